package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/exec"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestEnded(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	code := func(n int) error { return exec.CodeExitError{Err: errors.New("command terminated"), Code: n} }
	for name, c := range map[string]struct {
		err  error
		code int
		want string
	}{
		"done":          {},
		"failed":        {err: code(1), code: 1},
		"no program":    {err: code(127), want: "Pod tazuna-system/c-1 has no program ask in its container controller"},
		"not startable": {err: code(126), want: "has no program ask"},
		"no program, in the words of a runtime": {
			err:  errors.New(`OCI runtime exec failed: exec: "ask": executable file not found in $PATH: unknown`),
			want: "has no program ask",
		},
		"forbidden": {
			err:  apierrors.NewForbidden(pods, "c-1", errors.New("no")),
			want: "you may not run commands in Pod tazuna-system/c-1: wanted the right to create and get pods/exec in the namespace tazuna-system, found",
		},
		"gone": {err: apierrors.NewNotFound(pods, "c-1"), want: "Pod tazuna-system/c-1 is gone"},
		"lost": {err: errors.New("connection reset by peer"), want: "the command could not be run to its end: connection reset by peer"},
	} {
		t.Run(name, func(t *testing.T) {
			o := Output{}
			err := o.ended(pod, "ask", c.err)
			assert.Equal(t, c.code, o.Code)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestBoundedOutput(t *testing.T) {
	full := 0
	b := &bounded{most: 5, full: func() { full++ }}
	for _, text := range []string{"abc", "de", "f", "g"} {
		n, err := b.Write([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, len(text), n, "the other side isn't held up")
	}
	assert.Equal(t, "abcde", string(b.taken()))
	assert.Equal(t, 2, full)
}

// A server that says nothing, and one that refuses.
func TestStreamsGiveUp(t *testing.T) {
	silent := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-silent:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(silent)
	s := Streams{Config: &rest.Config{Host: server.URL}, Limit: 50 * time.Millisecond}
	_, err := s.Run(t.Context(), pod, []string{"ask"}, nil)
	require.EqualError(t, err, "Pod tazuna-system/c-1: no whole answer within 50ms")

	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, err := w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"pods \"c-1\" is forbidden","code":403}`))
		assert.NoError(t, err)
	}))
	defer refusing.Close()
	_, err = Streams{Config: &rest.Config{Host: refusing.URL}}.Run(t.Context(), pod, []string{"ask"}, nil)
	require.ErrorContains(t, err, "wanted the right to create and get pods/exec in the namespace tazuna-system")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Streams{Config: s.Config}.Run(ctx, pod, []string{"ask"}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestWordsOfAFailure(t *testing.T) {
	o := Output{Code: 1, Stderr: []byte("Error: it failed\n\n  password hunter2-hunter2 refused\nRun 'x --help' for usage.\n")}
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"p": "hunter2-hunter2"}}
	assert.Equal(t, "Error: it failed password <hidden> refused", o.words(object.DefaultMasker(), secret))
	o.Stderr = []byte(strings.Repeat("ä", mostWords))
	assert.LessOrEqual(t, len(o.words(object.DefaultMasker())), mostWords+len(" …"))
	assert.Equal(t, "exit code 7", Output{Code: 7}.words(object.DefaultMasker()))
}
