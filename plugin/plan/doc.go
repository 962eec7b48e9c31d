// Package plan decides what a run would change. It compares, object by
// object, what the files want (D), what we applied last (A) and what the
// cluster has (L), and gives every difference a verdict.
//
// Flow:
//
//	desired objects ─┐
//	records ─────────┼─ Planner.Plan ─→ Plan ─→ Report ─→ printers
//	live (one LIST   │     │
//	per kind) ───────┘     └ dry-run, only of objects the table calls different
//
// The decision itself is made of pure functions: compare.go walks the three
// values side by side with the server's schema, table.go holds the verdicts,
// ownership.go reads managedFields, decide.go turns the differences of one
// object into one operation. planner.go is the only file that asks a cluster,
// and it only reads: lists, gets, schemas and server-side dry-runs.
//
// Invariants:
//
//   - Plan holds bodies and secrets and refuses to be marshalled; Report is its
//     masked, versioned, serialisable form and all that printers may import.
//   - Nothing is called removed that no record lists.
//   - An object without a difference costs no request of its own.
//   - Operation, differences and text come from the same values, so they can't
//     contradict each other.
//   - Fields that neither the files nor our last apply name are never compared,
//     shown or touched, except where the server's own dry-run would change them.
package plan
