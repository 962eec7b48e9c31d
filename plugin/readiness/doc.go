// Package readiness tells from one object as it is live how far it has come: still
// on its way, ready, or failed for good; and from a Pod what is wrong with it.
// It also reads what an Event tells of an object.
//
// Flow:
//
//	live object ─ Of ─→ Verdict        Pod ─ TroubleOf ─→ Trouble
//	              └ the exceptions of workload.go, else kstatus
//
// Invariants:
//
//   - Everything here is a pure function of the object: no clock, no cluster, no
//     memory of what it was before.
//   - An object in deletion is never ready; Held names what holds it.
//   - Failed means that waiting won't help. What may pass by itself, such as a Pod
//     that can't be scheduled yet, is waiting.
//   - Whoever needs to know whether an object is ready asks plan.Readiness, which
//     puts the user's own rules first, so that diff, apply and status never disagree.
package readiness
