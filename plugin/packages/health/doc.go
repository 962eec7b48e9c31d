// Package health tells whether the workloads of an application run: its Deployments and
// StatefulSets, by the label health.deckhouse.io/package.
//
// Flow:
//
//	two watches of the whole cluster, or of each namespace that is looked after,
//	shared by all applications (follow.Pool)
//	   └ Of, pure, for each workload ─→ Sum, pure, for each application ─→ Monitor.Report
//
// Invariants:
//
//   - A verdict is a pure function of the objects as they stand; no clock.
//   - No body is kept here, only what was found of it.
//   - An application is told of only while it is watched, and only when something has
//     changed for it; the first time at once.
//   - Nothing is written to the cluster.
package health
