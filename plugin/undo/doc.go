// Package undo says what has to be done to take a run back: a failed one that was
// to be atomic.
//
// # Flow
//
//	plan of the run ───┐
//	what it wrote ─────┼─ Run.Back ─► Back: inputs for plan.Planner, and what is lost
//	records before ────┘                 │
//	                                     └ Back.Only: the new plan, cut down to what the run wrote
//
// The plan is then carried out by package apply, as any other.
//
// # Invariants
//
//   - Nothing here reads or writes a cluster.
//   - An object goes back to what the record held of it before the run, never to
//     what happened to be live: what others had changed is not made again.
//   - Only what the run wrote is touched. An object that was not there and not
//     recorded before is deleted, behind the guards of any deletion.
//   - What was not ready before the run is not waited for: it is as it was.
//   - Values that the record knows by their hashes only come from the live object
//     as it was planned with, if they fit. One that doesn't is lost, and said to be.
package undo
