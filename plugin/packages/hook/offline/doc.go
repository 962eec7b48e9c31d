// Package offline stands in for a cluster when hooks are run from files.
//
// Flow: a file with the objects of an imagined cluster, or with snapshots that were
// recorded from a real one → Cluster, which is a hook.Source and a hook.Sink. What
// hooks want done is done to the objects in memory, and every step is kept in
// Steps.
//
// What holds:
//
//   - Nothing is written to a disk or a cluster.
//   - Later runs see what earlier ones did to objects. Recorded snapshots stay as
//     they were recorded.
//   - A hook or binding that a recording names and the package doesn't have is an
//     error, and so is a binding that the recording lacks.
//   - What an API server would add or refuse is not imitated: defaults, schemas,
//     admission, the work of controllers.
package offline
