// Package lifecycle decides what follows when something about an application is to be
// another than it was, and keeps the operations that are under way.
//
// # Flow
//
//	Desired of before, Desired now ──Decide──► Nothing | Reconfigure | Update, with triggers
//	Decision ──Instance.Update/Reconcile/Remove──► a context for the tasks of the operation
//
// There are three operations: an update brings a version and all that follows, a
// reconciliation configures and applies what is loaded, a removal ends everything.
//
// # Invariants
//
//   - Decide is a pure function, and Desired has only what it compares.
//   - A new update ends the update and the reconciliation of before; a new
//     reconciliation ends only the reconciliation of before; a removal ends both and is
//     final: nothing begins after it, and a second removal is the first.
//   - A context ends with a CanceledError that says what came instead ("update
//     superseded"), and that errors.Is takes for context.Canceled.
package lifecycle
