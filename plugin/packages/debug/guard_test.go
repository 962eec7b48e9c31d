package debug

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// careless answers as a controller would that masks nothing.
type careless struct{}

func (careless) Get(_ context.Context, path string, _ url.Values) (int, []byte, error) {
	secretObject := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"},
		"data": map[string]any{"p": "aHVudGVyMi1odW50ZXIy"},
	}
	one := report.Instance{Name: "shop", Repository: report.Repository{Login: "robot", Password: secret, DockerConfig: secret}}
	var answer any
	switch strings.TrimPrefix(path, Prefix) {
	case "packages/dump":
		answer = map[string]any{"apps": map[string]any{"demo.shop": one}}
	case "packages/snapshots/demo.shop":
		answer = report.Snapshots{"hook": {"credentials": {
			Snapshot: []report.SnapshotEntry{{Object: secretObject, FilterResult: map[string]any{"p": secret}}},
		}}, "idle": nil}
	case "packages/render/demo.shop":
		return http.StatusOK, []byte("---\n# Source: s/templates/s.yaml\n# " + secret + "\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: " + secret + "}\n" +
			"---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: t}, data: {p: aHVudGVyMi1odW50ZXIy}}\n---\n# nothing\n"), nil
	}
	body, err := json.Marshal(answer)
	return http.StatusOK, body, err
}

// Whoever is asked, credentials and what is in Secrets are masked where they arrive.
func TestWhatArrivesIsMaskedAgain(t *testing.T) {
	ctx := t.Context()
	for _, show := range []bool{false, true} {
		c := Client{Transport: careless{}, Secrets: show}
		all, err := c.Instances(ctx)
		require.NoError(t, err)
		snapshots, err := c.Snapshots(ctx, "demo.shop")
		require.NoError(t, err)
		assert.Contains(t, *snapshots, "idle")
		objects, err := c.Render(ctx, "demo.shop")
		require.NoError(t, err)
		assert.Contains(t, objects, "---\n# Source: s/templates/s.yaml\napiVersion: v1\n")
		assert.Contains(t, objects, "name: t\n")
		told, err := json.Marshal([]any{all, snapshots, objects})
		require.NoError(t, err)
		for _, hidden := range []string{secret, "aHVudGVyMi1odW50ZXIy", "robot"} {
			assert.Equal(t, show, strings.Contains(string(told), hidden), hidden)
		}
	}
}

// What was masked there arrives as it was.
func TestWhatIsMaskedStaysAsItIs(t *testing.T) {
	path := serve(t, shop{})
	c := Client{Transport: Socket{Path: path}}
	for _, of := range []string{"packages/dump?name=demo.shop", "packages/snapshots/demo.shop", "packages/render/demo.shop"} {
		sent := get(t, of, "json", "")
		var arrived any
		var err error
		switch {
		case strings.HasPrefix(of, "packages/dump"):
			arrived, err = c.Instance(t.Context(), "demo.shop")
		case strings.HasPrefix(of, "packages/snapshots"):
			arrived, err = c.Snapshots(t.Context(), "demo.shop")
		default:
			text, failed := c.Render(t.Context(), "demo.shop")
			require.NoError(t, failed)
			assert.Equal(t, sent, text)
			continue
		}
		require.NoError(t, err)
		again, err := json.Marshal(arrived)
		require.NoError(t, err)
		assert.JSONEq(t, sent, string(again), of)
	}
}

// A side that masks nothing and doesn't tell kinds has all filter results hidden.
func TestStrictGuard(t *testing.T) {
	all := report.Snapshots{"hook": {"b": {Snapshot: []report.SnapshotEntry{
		{FilterResult: map[string]any{"n": "text"}},
		{Object: map[string]any{"kind": "ConfigMap"}, FilterResult: "plain"},
	}}}}
	shown := Guard{Strict: true}.Snapshots(all)["hook"]["b"].Snapshot
	assert.Equal(t, map[string]any{"n": "<value not shown>"}, shown[0].FilterResult)
	assert.Equal(t, "plain", shown[1].FilterResult)
	shown = Guard{}.Snapshots(all)["hook"]["b"].Snapshot
	assert.Equal(t, map[string]any{"n": "text"}, shown[0].FilterResult)
}

// Objects that can't be read aren't shown.
func TestGuardFailsClosed(t *testing.T) {
	shown, err := Guard{}.Render("kind: [" + secret)
	require.ErrorContains(t, err, "can't be read, so they are not shown")
	assert.NotContains(t, err.Error(), secret)
	assert.Empty(t, shown)
}
