//go:build linux || darwin

package trial

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func toJSON(t *testing.T, value any) map[string]any {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	body, err := object.DecodeJSON(data)
	require.NoError(t, err)
	return body
}

func calls(phases []Phase) []string {
	var all []string
	for _, phase := range phases {
		for _, call := range phase {
			all = append(all, call.Hook.ID+" "+named(call.Triggers))
		}
	}
	return all
}

func TestSelect(t *testing.T) {
	set := loaded(t, directory(t, "store"))
	for _, c := range []struct {
		ids  []string
		name string
		want []string
		err  string
	}{
		{name: "beforeHelm", want: []string{"hooks/batchhooks:batch/state:0 beforeHelm"}},
		{name: "count", want: []string{"hooks/batchhooks:batch/backups:1 count"}},
		{ids: []string{"hooks/initialised.sh"}, want: []string{"hooks/initialised.sh jobs", "hooks/initialised.sh afterHelm"}},
		{ids: []string{"hooks/initialised.sh"}, name: "jobs", want: []string{"hooks/initialised.sh jobs"}},
		{ids: []string{"hooks/initialised.sh"}, name: "members", err: `hook hooks/initialised.sh has no binding "members"; it has afterHelm, jobs`},
		{ids: []string{"hooks/initialised"}, err: `there is no hook "hooks/initialised"; there are ` +
			`hooks/batchhooks:batch/backups:1, hooks/batchhooks:batch/farewell:2, hooks/batchhooks:batch/state:0, hooks/initialised.sh`},
		{name: "onStartup", err: `no hook has a binding "onStartup"; the hooks are ` +
			`hooks/batchhooks:batch/backups:1, hooks/batchhooks:batch/farewell:2, hooks/batchhooks:batch/state:0, hooks/initialised.sh`},
	} {
		phases, err := Select(set, c.ids, c.name)
		if c.err != "" {
			require.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, calls(phases))
	}
}

func TestList(t *testing.T) {
	for _, name := range []string{"store", "web"} {
		data, err := object.EncodeYAML(toJSON(t, List(name, loaded(t, directory(t, name)))))
		require.NoError(t, err)
		golden(t, name+"-hooks.yaml", data)
	}
}
