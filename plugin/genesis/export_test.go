package genesis

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vault is a stand-in for op that remembers what it was given.
type vault struct {
	items  map[string]string
	inputs []string
	fails  string
}

func (v *vault) run(_ context.Context, input []byte, _ string, args ...string) ([]byte, error) {
	switch args[3] {
	case "list":
		var titles []map[string]string
		for title := range v.items {
			titles = append(titles, map[string]string{"title": title})
		}
		return json.Marshal(titles)
	case "create":
		v.inputs = append(v.inputs, string(input))
		if v.fails != "" {
			return nil, errors.New(v.fails)
		}
		var item struct {
			Title string `json:"title"`
		}
		if err := json.Unmarshal(input, &item); err != nil {
			return nil, err
		}
		v.items[item.Title] = string(input)
		return input, nil
	default:
		return []byte(v.items[args[6]]), nil
	}
}

func liveSecret(data map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret",
		"metadata": map[string]any{
			"namespace": "shop", "name": "db.main",
			"labels":      map[string]any{"team": "a", applySetLabel: "applyset-x"},
			"annotations": map[string]any{"old": "c3VwZXI="},
		},
		"data": data,
	}
}

func TestExportAndBack(t *testing.T) {
	v := &vault{items: map[string]string{}}
	e := &Exporter{Run: v.run, Host: "my.example", Vault: "Infra", Note: "why"}
	x, err := e.Prepare(liveSecret(map[string]any{"password": "aHVudGVyMjI=", "empty": ""}), nil)
	require.NoError(t, err)
	assert.Equal(t, "shop.db.main", x.Title)
	assert.False(t, x.Exists)
	assert.NotContains(t, string(x.File), "hunter22")
	assert.NotContains(t, string(x.File), "aHVudGVyMjI")
	assert.NotContains(t, string(x.File), "c3VwZXI")
	assert.NotContains(t, string(x.File), "applyset")
	require.NoError(t, e.Store(t.Context(), x))
	require.Len(t, v.inputs, 1)

	// what was written makes the Secret again
	s, warnings, err := Parse(x.File, "db.yaml", false)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	providers := NewProviders(nil, func(ctx context.Context, name string, args ...string) ([]byte, error) {
		return v.run(ctx, nil, name, args...)
	})
	values, err := providers.Resolve(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, Values{"password": "hunter22", "empty": ""}, values)
	assert.Equal(t, opaque, s.Outputs[0].Type)
	assert.Equal(t, map[string]string{"team": "a", managedLabel: "tazuna"}, s.Outputs[0].Labels)

	titles, err := e.Titles(t.Context())
	require.NoError(t, err)
	x, err = e.Prepare(liveSecret(map[string]any{"password": "b3RoZXI=", "empty": ""}), titles)
	require.NoError(t, err)
	assert.True(t, x.Exists)
	err = e.Store(t.Context(), x)
	require.ErrorContains(t, err, "has other values than the Secret, or several fields, for password")
	assert.NotContains(t, err.Error(), "hunter22")
	assert.NotContains(t, err.Error(), "other\"")
	assert.Len(t, v.inputs, 1, "an item that is there is never written")
}

func TestExportRefuses(t *testing.T) {
	e := &Exporter{Host: "my.example", Vault: "Infra"}
	for want, data := range map[string]map[string]any{
		"it has no values": {},
		`"blob" is binary`: {"blob": "/w=="},
		`"nul" is binary`:  {"nul": "AA=="},
	} {
		_, err := e.Prepare(liveSecret(data), nil)
		require.ErrorContains(t, err, want)
	}
	_, err := e.Prepare(liveSecret(map[string]any{"k": "dg=="}), map[string]int{"shop.db.main": 2})
	require.ErrorContains(t, err, "2 items of the title")
	_, err = (&Exporter{Vault: "--help"}).Titles(t.Context())
	require.ErrorContains(t, err, "begins with '-'")
	_, err = (&Exporter{Vault: "Infra"}).Prepare(liveSecret(map[string]any{"k": "dg=="}), nil)
	require.ErrorContains(t, err, "no host")
}

func TestExportErrorsHoldNoValue(t *testing.T) {
	v := &vault{items: map[string]string{}, fails: "op said: hunter22 and hunter are no good"}
	e := &Exporter{Run: v.run, Host: "my.example", Vault: "Infra"}
	x, err := e.Prepare(liveSecret(map[string]any{"a": "aHVudGVy", "b": "aHVudGVyMjI="}), nil)
	require.NoError(t, err)
	err = e.Store(t.Context(), x)
	require.ErrorContains(t, err, "op said: *** and *** are no good")
	assert.NotContains(t, err.Error(), "hunter")
}
