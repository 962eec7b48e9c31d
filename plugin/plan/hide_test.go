package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Secrets that no rule knows are masked on both sides, so that it is still seen which
// value changed and which didn't.
func TestHide(t *testing.T) {
	body := func(token, host string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c", "namespace": "n"},
			"data": map[string]any{"dsn": "db://" + token + "@" + host, "same": "x-" + "hunter-1", "open": host},
			"list": []any{map[string]any{"name": "T", "value": token}},
		}
	}
	before, after := body("hunter-1", "a"), body("hunter-2", "b")
	o := &Object{
		Ref: object.RefOf(before), Op: OpUpdate, Live: before, Desired: object.Object{Body: after}, before: before, after: after,
	}
	p := &Plan{Objects: []*Object{o}}
	p.Hide(func(text string) bool { return strings.Contains(text, "hunter") })
	r := p.Report(object.DefaultMasker())
	data, err := json.Marshal(r)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "hunter")
	b, a := r.Objects[0].Before["data"].(map[string]any), r.Objects[0].After["data"].(map[string]any)
	assert.Equal(t, "a", b["open"])
	assert.Equal(t, b["same"], a["same"], "equal values are told to be equal")
	assert.NotEqual(t, b["dsn"], a["dsn"])
}
