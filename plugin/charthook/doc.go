// Package charthook runs the hooks of Helm charts: objects that exist for an event
// only, as a Job that prepares a database before an upgrade.
//
// Flow:
//
//	chart.Hook, an event ─ Runner.Run ─→ for each, by weight:
//	    delete what is left of the last time → create → wait until it is done → delete
//
// Invariants:
//
//   - Only the hooks of the event run, one after the other, in Helm's order. One
//     that fails ends the row.
//   - Hooks are no part of the record: what they leave behind is neither drift nor
//     left over.
//   - Nothing is deleted that is not a hook: an object of the same name without the
//     mark of a hook is an error.
//   - Nothing is written while the lock of the manifest may be lost.
package charthook
