package cluster

import (
	"encoding/base64"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

type collected struct {
	mu    sync.Mutex
	texts []string
}

func (c *collected) add(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts = append(c.texts, text)
}

func (c *collected) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.texts)
}

func TestWarningsOnce(t *testing.T) {
	var got collected
	server := play(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Warning", `299 - "policy/v1beta1 is deprecated"`)
		w.Header().Add("Warning", `299 - "unknown field \"spec.x\""`)
		w.Header().Add("Warning", `199 - "not ours"`)
		w.Header().Add("Warning", `garbage`)
		answer(200, okConfigMap)(w, r)
	})
	c := connectTo(t, server, func(o *Options) { o.Warn = got.add })
	for range 3 {
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"policy/v1beta1 is deprecated", `unknown field "spec.x"`}, got.all())

	silent := connectTo(t, server)
	_, err := silent.Get(t.Context(), configMaps, "default", "a")
	require.NoError(t, err)
}

// Whatever a server says about a Secret, its values don't come out: not through
// errors, however deep one digs, and not through warnings.
func TestSecretsStayInside(t *testing.T) {
	const value = "correct-horse-battery"
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	says := `data.password: Invalid value: "` + value + `" (` + encoded + `)`
	server := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Warning", `299 - "odd value `+value+`"`)
		body := metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status"}, Status: metav1.StatusFailure, Code: 422,
			Reason: metav1.StatusReasonInvalid, Message: says,
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: says, Field: "data.password"}}},
		}
		answerJSON(w, 422, body)
	})
	secret := map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{"name": "a", "namespace": "default"},
		"data":     map[string]any{"password": encoded},
	}
	calls := map[string]func(*Client) error{
		"apply": func(c *Client) error {
			_, err := c.Apply(t.Context(), secrets, secret, ApplyOptions{})
			return err
		},
		"create": func(c *Client) error {
			_, err := c.Create(t.Context(), secrets, secret, WriteOptions{})
			return err
		},
		"update dry-run": func(c *Client) error {
			_, err := c.Update(t.Context(), secrets, secret, WriteOptions{DryRun: true})
			return err
		},
		"merge patch": func(c *Client) error {
			_, err := c.Patch(t.Context(), secrets, "default", "a", types.MergePatchType, []byte(`{"stringData":{"password":"`+value+`"}}`), WriteOptions{})
			return err
		},
		"JSON patch": func(c *Client) error {
			_, err := c.Patch(t.Context(), secrets, "default", "a", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/password","value":"eA=="},{"op":"replace","path":"/data/password","value":"`+encoded+`"}]`), WriteOptions{})
			return err
		},
		"unreadable patch": func(c *Client) error {
			_, err := c.Patch(t.Context(), secrets, "default", "a", types.MergePatchType, []byte(`{"data":`), WriteOptions{})
			return err
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			var warned collected
			err := call(connectTo(t, server, func(o *Options) { o.Warn = warned.add }))
			require.Error(t, err)
			texts := append(warned.all(), allTexts(err)...)
			for _, text := range texts {
				assert.NotContains(t, text, "horse")
				assert.NotContains(t, text, encoded)
			}
			require.ErrorContains(t, err, "Secret default/a")
		})
	}
}

func TestPatchBody(t *testing.T) {
	tests := []struct {
		name, data string
		kind       types.PatchType
		want       map[string]any
	}{
		{"merge", `{"a":{"b":1}}`, types.MergePatchType, map[string]any{"a": map[string]any{"b": 1.0}}},
		{"merge, not an object", `[1]`, types.MergePatchType, nil},
		{"JSON", `[{"op":"add","path":"/a/b~1c","value":1},{"op":"remove","path":"/d"}]`, types.JSONPatchType, map[string]any{"a": map[string]any{"b/c": 1.0}, "d": nil}},
		{"JSON, whole object", `[{"op":"replace","path":"","value":{"a":1}}]`, types.JSONPatchType, map[string]any{"a": 1.0}},
		{"JSON, twice the same", `[{"op":"test","path":"/a","value":1},{"op":"add","path":"/a","value":2}]`, types.JSONPatchType, map[string]any{"a": 1.0, "a'": 2.0}},
		{"JSON, into a value", `[{"op":"add","path":"/a","value":1},{"op":"add","path":"/a/b","value":2}]`, types.JSONPatchType, map[string]any{"a": map[string]any{"": 1.0, "b": 2.0}}},
		{"JSON, broken", `{}`, types.JSONPatchType, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, patchBody(tt.kind, []byte(tt.data)))
		})
	}
}

// allTexts are the texts of an error and of all it wraps, with the parts of a
// Status.
func allTexts(err error) []string {
	if err == nil {
		return nil
	}
	texts := []string{err.Error()}
	if s, ok := err.(interface{ Status() metav1.Status }); ok {
		status := s.Status()
		texts = append(texts, status.String())
	}
	switch u := err.(type) { //nolint:errorlint // it goes down the chain by itself
	case interface{ Unwrap() error }:
		texts = append(texts, allTexts(u.Unwrap())...)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			texts = append(texts, allTexts(e)...)
		}
	}
	return texts
}
