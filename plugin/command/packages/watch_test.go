package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// watched runs --watch over answers, each an error or a text, and gives what was printed.
func watched(t *testing.T, on bool, format string, answers ...any) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := &Env{Now: func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }}
	env.Out, env.ErrOut = &stdout, &stderr
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := watchOptions{on: on, interval: time.Nanosecond}
	err = w.run(ctx, env, format, func(context.Context) (answer, error) {
		if len(answers) == 0 {
			cancel() // Ctrl-C
			return answer{}, context.Canceled
		}
		next := answers[0]
		answers = answers[1:]
		if err, ok := next.(error); ok {
			return answer{}, err
		}
		text := fmt.Sprint(next)
		return answer{shape: text, print: func() error { fmt.Fprintln(&stdout, text); return nil }}, nil
	})
	return stdout.String(), stderr.String(), err
}

func TestWatch(t *testing.T) {
	restarted := &debug.NoControllerError{Path: "s", Why: "no controller"}
	out, errOut, err := watched(t, true, "text", "a", "a", restarted, restarted, "a", "b", restarted)
	require.NoError(t, err)
	assert.Equal(t, "a\n\n--- 2026-11-29T12:00:00Z\nb\n", out, "only what is another, and when")
	assert.Contains(t, errOut, "no controller", "that nobody answers is told, and waited for")

	out, _, err = watched(t, true, "text", "", "a", "")
	require.NoError(t, err)
	assert.Equal(t, "\n\n--- 2026-11-29T12:00:00Z\na\n\n--- 2026-11-29T12:00:00Z\n\n", out, "nothing at all is an answer")
	out, _, err = watched(t, true, "yaml", "a: 1", "a: 2")
	require.NoError(t, err)
	assert.Equal(t, "a: 1\n---\na: 2\n", out, "a stream of documents")
	out, _, err = watched(t, true, "json", "{}", "[]")
	require.NoError(t, err)
	assert.Equal(t, "{}\n[]\n", out)
}

func TestWatchEnds(t *testing.T) {
	for _, gone := range []error{&unknownError{name: "demo.shop"}, fmt.Errorf("ask: %w", &debug.NotHeldError{Text: "not found"})} {
		out, errOut, err := watched(t, true, "text", "a", gone, "never asked")
		require.NoError(t, err)
		assert.Equal(t, "a\n", out)
		assert.Contains(t, errOut, "The application is gone.")
		_, _, err = watched(t, true, "text", gone)
		require.ErrorIs(t, err, gone, "it was never there")
	}
	refused := errors.New("refused")
	_, _, err := watched(t, true, "text", refused)
	require.ErrorIs(t, err, refused)
	out, _, err := watched(t, false, "text", "a", "b")
	require.NoError(t, err)
	assert.Equal(t, "a\n", out, "without --watch it is one answer")
	_, _, err = watched(t, false, "text", refused)
	require.ErrorIs(t, err, refused)
	require.ErrorContains(t, (&watchOptions{on: true}).run(t.Context(), &Env{}, "", nil), "--interval: wanted more than 0")
}
