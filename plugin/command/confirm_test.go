package command

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConfirmedReadsAnAnswer(t *testing.T) {
	tests := map[string]struct {
		answer string
		want   string
	}{
		"y":           {"y\n", ""},
		"yes, loudly": {"YES\n", ""},
		"no newline":  {"y", ""},
		"n":           {"n\n", "not confirmed: nothing was written"},
		"just Enter":  {"\n", "not confirmed: nothing was written"},
		"end of file": {"", "no answer: nothing was written"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := confirmed(t.Context(), strings.NewReader(tc.answer))
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
			code, _ := ExitCode(t.Context(), err)
			require.Equal(t, ExitRefused, code)
		})
	}
}

func TestConfirmedEndsWithTheFirstInterrupt(t *testing.T) {
	in, unanswered := io.Pipe() // a reader that blocks, as a terminal does
	defer func() { _ = unanswered.Close() }()
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- confirmed(ctx, in) }()
	cancel(errInterrupted)
	select {
	case err := <-ended:
		code, message := ExitCode(ctx, err)
		require.Equal(t, ExitInterrupted, code)
		require.Equal(t, "interrupted: nothing was written", message)
	case <-time.After(10 * time.Second):
		t.Fatal("the question still waits for an answer")
	}
}
