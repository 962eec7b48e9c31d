// Package helm pins the helm command with which the tests make releases as users
// have them, see test/e2e. build.sh builds it.
package helm
