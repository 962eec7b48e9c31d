// Package inventory looks at what a record lists, and finds what one could list:
// the live objects of entries, how far they have come, and the objects that carry
// the marks of a record or of another tool.
//
// # Flow
//
//	Record ──► Live ──► Judge (pure)             status
//	Record ──► Untouched (these have no drift)   state drift
//	  the rest ─► Wanted ─► (plan.Planner)       what was applied last is wanted
//	Record ──► Follow ─► Judge                   status --watch
//	label, marks of a tool ──► Find ──► Members  state rebuild, state adopt
//
// # Invariants
//
//   - Nothing here writes, neither to objects nor to records.
//   - An object that can't be read is reported as that, never as missing.
//   - A label alone proves nothing, since controllers copy labels: a member of a
//     record was also applied by our field manager and has no controller.
//   - What an object is wanted to be is never invented: it is what was applied last
//     according to record, annotation, release or managedFields, in live values.
package inventory
