// Package module makes and takes back statements that a module is in a cluster.
//
// A Module is what packages can require. Without Deckhouse nothing is installed by it:
// it is a cluster-scoped object whose status.phase is Ready, and properties.version
// its version. Who acts on it is the controller.
//
// # Invariants
//
//   - Where Deckhouse runs, whose modules are its own matter, nothing is written.
//   - A Module that somebody else has said more about keeps it: only version and phase
//     are ours.
package module
