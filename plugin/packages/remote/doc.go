// Package remote finds whom to ask about applications, and asks in containers of the
// cluster: our own controller where it runs as a Pod, or Deckhouse.
//
// # Flow
//
//	Finder.Find ─ Choose ┬ Socket:    a controller on this machine (debug.Socket)
//	                     ├ Exec:      Lease ─► Pod ─► Controller ─► Runner
//	                     └ Deckhouse: Pod that leads ─► Platform ─► Runner
//	                                                        └ spellings ─► shape ─► debug.Guard
//
// All three are a debug.Transport: the same question, the same shapes, whoever answers.
// Runner runs a command in a container; Streams does it through the API server, as
// kubectl exec does.
//
// In the container of a controller the command is "packages ask", which reads the
// question, asks the socket there and prints the answer as it came, as HTTP: the status tells errors from answers,
// and the length whether all of it arrived (Controller, ReadQuestion, WriteAnswer).
//
// In the container of Deckhouse it is deckhouse-controller, whose commands changed over
// its versions. spelling.go knows how each question was spelled, the newest first; an
// older one is tried when a newer one isn't known there. shape.go makes our shapes of
// what either generation prints.
//
// # Invariants
//
//   - Nothing is changed in the cluster, and no shell is used: names reach the program
//     as arguments.
//   - Output and time are bounded. An answer that is not whole is an error.
//   - Deckhouse masks nothing, and doesn't say which values are secret: so every text in
//     settings and values is, and all that hooks filtered out of objects, unless secrets
//     are asked for. What another controller masked is not relied on either: see
//     debug.Guard.
//   - An error names the Pod and, where a right is missing, the right.
package remote
