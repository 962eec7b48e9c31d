// Package follow tells its users what becomes of objects in a cluster, with one
// watch for all who follow the same objects.
//
// Flow:
//
//	Pool.Follow(Query, Listener) ─► feed (one for each Query) ── client-go's reflector ── cluster
//	                                  ├─► Following: its own goroutine ─► Listener
//	                                  └─► Following …
//
// The first who follows opens the watch, the last who stops closes it. A cut watch
// is opened again and the list read again where that is needed; a Listener sees
// states and never hears of it.
//
// # Invariants
//
//   - A Listener is called from one goroutine, its own: one that is slow or hangs
//     holds up nobody else. What happens to an object meanwhile is told as its last
//     state, so what waits is bounded by the number of objects.
//   - The first call is Reset with all that is there. A later Reset is told where
//     changes may have been missed.
//   - A call that panics ends neither the program nor the following: it is reported,
//     and so that nothing is lost by it, Reset follows.
//   - Bodies are shared and never changed, neither here nor by a Listener.
//   - After Stop returned no call is under way, and with the last Stop everything
//     is gone: watch, goroutines, objects. A Listener must not stop itself.
//   - Nothing is written to the cluster.
package follow
