// Package serve joins the rooms of application packages into a running controller.
//
// # Flow
//
//	cluster.Client ─► follow.Pool ─► health.Monitor, live.Monitor (hooks)
//	               ─► release.Service, drift.Monitor, orphans.Purger, live.Sink
//	                         └────────► runtime.Runtime ◄── controller.Run
//	                                           └────────── debug.Serve
//
// Nothing is decided here: what the parts are is in their packages, and which of their
// values come from flags is in Options.
//
// # Invariants
//
//   - Before this process leads, only our own kinds are watched; workloads are
//     watched, hooks run and the socket answers only while it leads.
//   - When Run returns, nothing runs any more.
package serve
