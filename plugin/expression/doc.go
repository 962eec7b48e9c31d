// Package expression evaluates questions about one object that users write in
// CEL, the Common Expression Language: when is it ready, when has it failed.
//
// Flow:
//
//	text ─ Compile ─→ Condition ─ Holds(object) ─→ true, false or an error
//
// Invariants:
//
//   - What doesn't compile, or can't be a boolean, is an error of Compile: nothing
//     is found out in the middle of a run that could have been known before it.
//   - An expression sees the one object, as self mostly, and nothing else: no clock, no
//     cluster, no environment.
//   - Evaluation is bounded in cost, so an expression can slow a run down but not
//     stop it.
//   - A field that is not there (yet) is an error of Holds that names it, never a
//     guess; has(self.x) and self.?x.orValue(y) are the ways to ask.
//   - Texts of errors may quote values of the object: callers clean them.
package expression
