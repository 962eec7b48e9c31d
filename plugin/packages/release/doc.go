// Package release installs, upgrades and uninstalls the objects of an application, and
// keeps the record of it where Helm keeps its own.
//
// # Flow
//
//	Request (objects, hooks) ─ Service.Upgrade
//	    │ history: Secrets sh.helm.release.v1.NAME.vN     store.go, encode.go
//	    ├ Decide: is an upgrade due at all?               decide.go, pure
//	    ├ arrange: which object in which stage            arrange.go, pure but for kinds
//	    ├ one plan a stage (plan.Planner)                 stage.go; order.go, pure
//	    ├ revision N+1, pending
//	    ├ one run a stage (apply.Executor)  ──events──→ api.Tracking ──→ Request.Progress
//	    └ revision N+1, deployed or failed; older ones superseded, more than ten deleted
//
//	Service.Uninstall: hooks, deletions until all is gone, hooks; then the record
//
// # What may be touched
//
// The objects of the request, those that an earlier revision lists and this one
// doesn't, and the Secrets of the release. All objects go through plan and apply with
// the policy of packages.
//
// # Invariants
//
//   - The pending revision is written before the first object: what a killed run may
//     have made is known. Objects of every revision since the last deployed one are
//     the release's.
//   - A revision that is pending, failed or being uninstalled never blocks: the next
//     upgrade makes a new one, or ends the uninstallation first.
//   - Nothing is written, no revision either, where no upgrade is due, or where an object
//     or annotation can't be understood or the server refuses a change of it.
//   - Once the run has begun, the revision is brought to deployed or failed, also when
//     the context has ended.
//   - The record is deleted last, when every object is known to be gone.
//   - Hooks, what is anyone's, and what a policy protects is never deleted with a
//     release.
//   - Errors name the release and the objects; what they say has been scrubbed of
//     the values of Secrets by the engine.
package release
