// Package drift finds out that objects of applications are missing in the cluster.
//
// Flow:
//
//	Monitor.Expect(NAME, objects) ──┐
//	Monitor.Run, every 4–5 minutes ─┼─ Absent: one metadata LIST for each kind ─→ Missing(NAME, refs)
//	Monitor.Pause(NAME) ────────────┘
//
// Invariants:
//
//   - Whether an object is there is all that is asked: contents are never read.
//   - All applications share the lists of a tick: what is idle costs one request for
//     each kind that any of them has, whatever their number.
//   - What can't be read is not missing. An object that a narrowed list doesn't show is
//     asked for by itself before it is called missing.
//   - An application whose check is paused, or was withdrawn, while the lists were read
//     is not reported: what was seen may be what a hook is just doing.
//   - Nothing is done about it here but telling.
package drift
