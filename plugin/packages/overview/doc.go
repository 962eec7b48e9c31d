// Package overview sums up one application for a person: how it is, at which step it
// stands, what it waits for, and the one thing to do next.
//
// Flow:
//
//	Application (cluster) ────────┐
//	Instance, Queues, Node (debug) ┼─ Of ─► report.Overview ─ Explain ─► report.Explanation
//	Events (cluster) ─────────────┘
//
// # Invariants
//
//   - Pure functions: nothing is read here, and the clock is given.
//   - Everything but the Application may be missing: then the overview says less and
//     says so (Overview.Without), and never something else.
//   - What comes in is masked already: by the controller's debug server, and by
//     whoever reads events.
//   - An Explanation has one next thing to do, also for what nobody here foresaw.
package overview
