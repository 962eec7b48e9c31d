// Package nelm reads what the annotations of an application's objects say about their
// deployment: those of Nelm (werf.io/...) and those of Helm that Nelm honours.
//
// Flow:
//
//	object, or hook of a chart ─ Read / ReadHook ─→ Rules ─┬─ Strategy ──→ plan.Strategy
//	                                                       ├─ At ────────→ stages of an action
//	                                                       └─ dependencies, policies
//
//	Catalogue: every annotation there is, with its effect or why it has none
//
// Invariants:
//
//   - Pure: no cluster, no clock. What an annotation means is decided here and nowhere
//     else; who acts on it is the release package, through plan and apply.
//   - A value that can't be understood is an error that names annotation and value; all
//     faults of an object are told at once. None is replaced by a default in silence.
//   - An annotation of Nelm that isn't known is a warning: it would have no effect.
//   - What Nelm lets two annotations say, its own beats Helm's.
package nelm
