// Package home owns the directory of one control plane: its paths, its
// remembered settings and the lock that tells whether it runs.
//
// Flow: Open makes the directory, State gives the ports and the control token,
// choosing them on the first call and reading them back ever after, and Lock is
// held by the running process for as long as it lives.
//
// Invariants:
//   - Ports never change once written, so kubeconfigs outlive a restart.
//   - The pid in the lock file was written by the process that holds the lock;
//     a pid read while the lock is held therefore belongs to our own process.
package home
