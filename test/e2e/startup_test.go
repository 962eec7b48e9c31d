package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStartUp guards the order of initialisation: our switch has to come before
// anything of kubectl's, or every start loads a catalogue of translations (see
// package quiet). A new dependency can undo it without a word.
func TestStartUp(t *testing.T) {
	s := newSite(t)
	result := s.run(t, []string{"GODEBUG=inittrace=1"}, "kubectl-tazuna", "version", "--client")
	require.Zero(t, result.code, result.stderr)

	order := regexp.MustCompile(`(?m)^init (\S+) @`).FindAllStringSubmatch(result.stderr, -1)
	ours, theirs := -1, -1
	for i, match := range order {
		switch {
		case strings.HasSuffix(match[1], "/plugin/quiet"):
			ours = i
		case theirs < 0 && strings.HasPrefix(match[1], "k8s.io/kubectl/pkg/cmd"):
			theirs = i
		}
	}
	require.NotEqual(t, -1, ours, "package quiet isn't initialised:\n%s", result.stderr)
	if theirs >= 0 {
		assert.Less(t, ours, theirs, "kubectl's commands initialise before package quiet")
	}
	loaded := regexp.MustCompile(`(?m)^init \S+ @\S+ ms, (\S+) ms clock, (\d{7,}) bytes`).FindAllString(result.stderr, -1)
	for _, line := range loaded {
		assert.NotContains(t, line, "k8s.io/kubectl/pkg/cmd", "the catalogue of translations is loaded")
	}
}
