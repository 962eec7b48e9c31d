// Package live connects the hooks of an instance with a cluster: it keeps the
// snapshots of their kubernetes bindings, calls them when objects change or time
// has come, and does what they want done.
//
// Flow:
//
//	hook.Set ─ Monitor.Start ─► one follow.Following for each binding and namespace
//	                             └─► snapshot.Tracker ─► hook.Pending ─► Events
//	                                        ▲
//	hook.Runner ── Monitor.Snapshot ────────┘   (Monitor is a hook.Source)
//	output.Operation ── Sink.Do ──► cluster     (Sink is a hook.Sink)
//	hook.Timetable ── Monitor.Start ──► hook.Pending ─► Events
//
// # Life of a Monitor
//
// Start follows the objects of every binding and waits until they are known, once
// more for those that failed the last time: a kind that isn't served yet (a
// CustomResourceDefinition that comes later) is an error of Start, which its caller
// repeats. Objects that were there at the beginning call no hook: that is what
// Synchronizations are for, which the package runs itself. Arm lets changes and
// schedules call hooks; what changed since Start comes then. Stop ends everything.
//
// # Invariants
//
//   - Watches are shared with all who follow the same objects, and end with the last.
//   - Snapshot gives the present, and an error while the objects aren't known.
//   - Events is called by one goroutine for each binding, and never after Stop
//     returned. It must not wait long and must not stop the Monitor.
//   - A filter that fails on an object is reported (Failed) and takes the snapshot
//     away; it doesn't end the watch.
//   - Selectors for labels and a single name are the server's work, all others
//     are judged here, by snapshot.Selects.
//   - Sink writes nothing but what the operation says, through cluster.Client.
//     Whether it may is decided before (output.Operation.Scope).
package live
