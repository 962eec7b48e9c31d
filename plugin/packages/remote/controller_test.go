package remote

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// scripted answers commands from a function and remembers them.
type scripted struct {
	answer   func(command []string, input string) (Output, error)
	commands []string
}

func (s *scripted) Run(_ context.Context, _ Container, command []string, input []byte) (Output, error) {
	s.commands = append(s.commands, strings.Join(command, " "))
	return s.answer(command, string(input))
}

var pod = Container{Namespace: "tazuna-system", Pod: "c-1", Name: "controller"}

func TestControllerAsksTheSocketThere(t *testing.T) {
	body := []byte("application \"demo.shpo\" not found; there is demo.shop\n\x00\xff")
	runner := &scripted{answer: func(_ []string, input string) (Output, error) {
		path, query, err := ReadQuestion(strings.NewReader(input))
		require.NoError(t, err)
		assert.Equal(t, "/api/v1/packages/snapshots/demo.sh%20op", path)
		assert.Equal(t, url.Values{"secrets": {"show"}, "settings": {`{"password":"hunter2"}`}}, query)
		var out bytes.Buffer
		require.NoError(t, WriteAnswer(&out, http.StatusNotFound, body))
		return Output{Stdout: out.Bytes()}, nil
	}}
	status, got, err := Controller{Runner: runner, Container: pod, Socket: "/run/s"}.Get(t.Context(),
		debug.Prefix+"packages/snapshots/demo.sh%20op", url.Values{"secrets": {"show"}, "settings": {`{"password":"hunter2"}`}})
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, status)
	assert.Equal(t, body, got)
	assert.Equal(t, []string{"kubectl-tazuna packages ask --socket=/run/s"}, runner.commands, "what is asked is not in the log of the server")
}

func TestControllerFailures(t *testing.T) {
	var whole bytes.Buffer
	require.NoError(t, WriteAnswer(&whole, http.StatusOK, []byte(`{"apps":{}}`)))
	for name, c := range map[string]struct {
		out Output
		err string
	}{
		"no controller there": {
			Output{Code: 1, Stderr: []byte("error: no controller of this cluster runs on this machine (/run/s): start one\n")},
			"Pod tazuna-system/c-1: no controller of this cluster runs on this machine (/run/s): start one",
		},
		"an older program": {
			Output{Code: 1, Stderr: []byte("error: unknown command \"ask\" for \"kubectl-tazuna packages\"\nRun 'kubectl-tazuna packages --help' for usage.\n")},
			`Pod tazuna-system/c-1: unknown command "ask" for "kubectl-tazuna packages"`,
		},
		"no word":        {Output{Code: 3}, "Pod tazuna-system/c-1: exit code 3"},
		"cut off":        {Output{Stdout: whole.Bytes()[:whole.Len()-4]}, "Pod tazuna-system/c-1: the answer is cut off: wanted 11 bytes, found 7"},
		"nothing at all": {Output{}, "its answer can't be read"},
		"something else": {Output{Stdout: []byte("welcome to this container\n")}, "its answer can't be read"},
		"no length":      {Output{Stdout: []byte("HTTP/1.1 200 OK\r\n\r\nx")}, "it doesn't say how long it is"},
		"too long":       {Output{Stdout: []byte("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\nx")}, "more than 268435456 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &scripted{answer: func([]string, string) (Output, error) { return c.out, nil }}
			_, _, err := Controller{Runner: runner, Container: pod}.Get(t.Context(), debug.Prefix+"packages/dump", nil)
			require.ErrorContains(t, err, c.err)
		})
	}
}

func TestReadQuestion(t *testing.T) {
	path, query, err := ReadQuestion(strings.NewReader("/api/v1/queues/dump?name=demo.shop\nand more"))
	require.NoError(t, err)
	assert.Equal(t, "/api/v1/queues/dump", path)
	assert.Equal(t, url.Values{"name": {"demo.shop"}}, query)
	for _, bad := range []string{"", "no line end", "/metrics\n", "hunter2\n", strings.Repeat("x", mostQuestion) + "\n"} {
		_, _, err := ReadQuestion(strings.NewReader(bad))
		require.ErrorContains(t, err, "wanted a")
		assert.NotContains(t, err.Error(), "hunter2")
	}
}
