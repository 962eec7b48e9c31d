package quiet

import "k8s.io/kubectl/pkg/util/i18n"

// Packages of k8s.io/kubectl call i18n.T while they initialise, and the first
// call parses a catalogue of several megabytes: 20 to 30 ms of every start. The
// loader is replaced before that happens, because Go initialises packages that
// are ready in order of their import path and this module's path sorts before
// k8s.io/. The price: kubectl's own messages are always English.
func init() { //nolint:gochecknoinits // must run before k8s.io/kubectl initialises
	_ = i18n.SetLoadTranslationsFunc(func() error { return nil })
}
