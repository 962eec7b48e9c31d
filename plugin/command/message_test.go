package command

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestNoMessageSteersTheTerminal has names and texts of others in an error and in
// a warning.
func TestNoMessageSteersTheTerminal(t *testing.T) {
	const hostile, harmless = "no\x1b[2Jwhere", `no\x1b[2Jwhere`
	var told bytes.Buffer
	env := &Env{
		Name: "kubectl tazuna", Getenv: func(string) string { return "" }, Exit: func(int) { t.Error("ended") },
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: &told},
	}
	code, message := Execute(env, []string{"tags", "-f", hostile})
	assert.Equal(t, ExitFailed, code)
	assert.Contains(t, message, harmless)
	assert.NotContains(t, message, "\x1b")

	env.warn("the server says " + hostile)
	assert.Equal(t, "Warning: the server says "+harmless+"\n", told.String())
}
