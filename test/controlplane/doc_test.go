// Package controlplane_test drives the built programs as their users do.
//
// Flow: the programs are built, or taken from the cache, by build.sh; each test
// starts a control plane in a directory of its own and stops it in the end.
package controlplane_test
