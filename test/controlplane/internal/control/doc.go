// Package control is the endpoint by which the subcommands talk to a running
// control plane, and its client.
//
// Flow: Listen serves JSON over HTTP on a loopback port; Client calls it.
//
// Invariant: every call carries the token of the home, since others on the
// machine can reach the port and a rule may kill a process.
package control
