package standin

import (
	"bytes"
	"strings"
	"testing"
)

func TestSimulate(t *testing.T) {
	tests := map[string]struct {
		command  []string
		in       string
		out, err string
		code     int
	}{
		"nothing":          {},
		"echo":             {command: []string{"echo", "a", "b"}, out: "a b\n"},
		"cat":              {command: []string{"cat"}, in: "x\ny", out: "x\ny"},
		"cat of a file":    {command: []string{"cat", "/etc/x"}, out: "cat /etc/x\n"},
		"true":             {command: []string{"true"}},
		"false":            {command: []string{"false"}, code: 1},
		"exit":             {command: []string{"exit", "7"}, code: 7},
		"bad exit":         {command: []string{"exit", "x"}, code: 2},
		"sleep":            {command: []string{"sleep", "0.001"}},
		"bad sleep":        {command: []string{"sleep", "long"}, code: 1},
		"any other":        {command: []string{"ls", "-l"}, out: "ls -l\n"},
		"shell":            {command: []string{"sh", "-c", `echo "a b"; echo c >&2; exit 3; echo d`}, out: "a b\n", err: "c\n", code: 3},
		"code of the last": {command: []string{"/bin/bash", "-c", "false; true"}},
		"shell by itself":  {command: []string{"sh"}, out: "sh\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out, err bytes.Buffer
			code := simulate(t.Context(), test.command, newStreams(strings.NewReader(test.in), &out, &err))
			if code != test.code || out.String() != test.out || err.String() != test.err {
				t.Errorf("got %d, %q, %q", code, out.String(), err.String())
			}
		})
	}
}
