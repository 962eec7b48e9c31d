// Package apply does what a plan says and waits until it has come true.
//
// # Responsibility
//
// [Executor.Run] takes a [plan.Plan] and its [plan.Graph] and gives a [Result].
// It decides when an object is written, with which preconditions, what a refusal
// means, whether to try again, when an object is ready, what may be deleted and
// what is told to the record. What is written was decided by the plan: this
// package never computes a difference of its own.
//
// # Flow
//
//	write-ahead of the record
//	  └ ready queue ─→ attempt (one server-side apply) ─→ applied ─→ ready
//	        ↑              │ conflict: plan again            │ by watch
//	        │              │ passing failure: later          │
//	        └── edges of the graph open ←────────────────────┘
//	  └ prune, behind everything else
//	save of the record
//
// One goroutine, the loop in run.go, owns all state of a run and sends all
// events. Attempts and watches run beside it and report back by posting a
// function to it, so nothing here takes a lock. An attempt that must wait (for a
// retry, for a deletion to finish) gives its place back and is started again.
//
// When an object is ready says plan.Readiness. retry.go is a pure function of one
// error; the guards of deletions are filters of their own in package prune.
//
// # Invariants
//
//   - Nothing is written that the plan did not show. A write carries the uid and
//     resourceVersion the plan saw; when they are out of date, the object is
//     planned again and only the same change goes through.
//   - A create is never forced, and an update only where the plan says so.
//   - A refused or failed object stops itself and what depends on it by a hard
//     edge. Nothing else.
//   - Nothing is deleted before every apply and every wait of the run succeeded,
//     and never without the uid (and the version that the guards looked at).
//   - No write starts while the manifest's session is not alive, after the
//     context ended, or before the write-ahead was saved.
//   - Whatever happens, the record is saved with what did happen; if it can't be, the
//     result says so, and what was announced lets the next run go on. An interrupt
//     shortens the attempt.
//   - A run that ends while it waits for something leaves that in the record: the next
//     one goes on waiting and answers for it, though it has nothing to write.
//   - An object that the server's answer shows ready costs no further request.
//   - Nothing is printed; texts in events and results hold no values of Secrets.
package apply
