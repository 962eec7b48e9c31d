// Package pki makes the certificates, keys and kubeconfigs of a control plane.
//
// Flow: Ensure writes one authority and everything the servers need into a
// directory, once; Open reads the authority back, and Issue signs client
// certificates with it for as many users as a test wants.
//
// Invariants:
//   - One authority signs servers and clients alike: fewer files, and nothing
//     here depends on telling them apart.
//   - Existing files are never replaced, so a restart keeps kubeconfigs valid.
package pki
