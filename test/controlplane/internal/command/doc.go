// Package command is the command line of the control plane.
//
// Flow: start re-executes this program with run in the background and waits
// until the control endpoint says that it is up; the others read the directory
// or call the endpoint.
//
// Invariants:
//   - What scripts use goes to standard output, progress to standard error.
//   - A process is signalled only when it holds the lock of the directory.
package command
