// Package helmfile reads the part of a helmfile that says which charts are
// released with which values: repositories and releases. It renders nothing.
//
// Flow:
//
//	variables (env, static, 1Password) ─ Hint.Complete ─→ Values
//	                                                       │
//	text ─ template(.Values, .Environment) ─→ YAML ─ Parse ─→ File: repositories, releases
//	                                                       └ File.Source(release) → charts.Source
//
// Invariants:
//
//   - What changes the objects and is not understood is an error with file and
//     line, never passed over; a lenient read warns. What doesn't change them
//     (needs, wait, labels …) is a warning.
//   - A template has no function that reads the environment, a file or the
//     network: a helmfile may come from somebody else.
//   - Values of secret variables are in no error text.
package helmfile
