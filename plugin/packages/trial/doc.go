// Package trial tries out a package without a cluster: its hooks run over objects in
// memory, and what they asked for is told.
//
// Flow:
//
//	hook.Set ──Select, Reconciliation──► Phases ──Hooks.Run──► report.HookRuns
//	                                                  │
//	offline.Cluster (objects, recorded snapshots) ◄───┘ operations
//
// What holds:
//
//   - Programs of the package are run, with the limits of hook.Runner; nothing else is
//     started, and nothing is written but the Cluster's memory.
//   - The order of runs is that of a cluster: synchronization, onStartup, beforeHelm,
//     afterHelm. Values that one run leaves are those of the next.
//   - A report is masked: bodies by the Masker, texts by what is in the Secrets that
//     hooks saw or wrote.
package trial
