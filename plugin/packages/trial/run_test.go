//go:build linux || darwin

package trial

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/offline"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// hooks are those of a directory over objects.
func hooks(t *testing.T, set *hook.Set, objects string, values map[string]any) *Hooks {
	t.Helper()
	cluster, err := offline.Load(t.Context(), set, []byte(objects), "objects.yaml", "default")
	require.NoError(t, err)
	return &Hooks{Package: "x", Runner: runner(t), Cluster: cluster, Values: values, Masker: object.DefaultMasker()}
}

// bundleOf makes a bundle of shell hooks by name: configuration and body.
func bundleOf(t *testing.T, hooks map[string][2]string) *hook.Set {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "hooks"), 0o755))
	for name, h := range hooks {
		text := "#!/bin/sh\nif [ \"$1\" = --config ]; then cat <<'E'\n" + h[0] + "\nE\nexit 0; fi\n" + h[1] + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "hooks", name), []byte(text), 0o755))
	}
	return loaded(t, dir)
}

func runs(t *testing.T, h *Hooks, phases []Phase) *report.HookRuns {
	t.Helper()
	all, err := h.Run(t.Context(), phases)
	require.NoError(t, err)
	return all
}

const members = `
apiVersion: v1
kind: Pod
metadata: {name: d8a-shop-server-0, labels: {app.kubernetes.io/name: store}}
status: {conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: d8a-shop-server-1, labels: {app.kubernetes.io/name: store}}
status: {conditions: [{type: Ready, status: "False"}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: d8a-shop-initialise, labels: {packages.deckhouse.io/instance: shop}}
status: {succeeded: 1}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d8a-shop-members}
`

// The hooks of the store note what they see in values and in a ConfigMap, which gets
// the prefix of the instance; a second run changes nothing.
func TestStore(t *testing.T) {
	set := loaded(t, directory(t, "store"))
	h := hooks(t, set, members, map[string]any{"internal": map[string]any{}})
	all := runs(t, h, Reconciliation(set))
	assert.False(t, all.Failed())
	var order []string
	for _, r := range all.Runs {
		order = append(order, r.Hook+" "+r.Binding)
	}
	assert.Equal(t, []string{
		"hooks/batchhooks:batch/backups:1 backups", "hooks/batchhooks:batch/state:0 members", "hooks/initialised.sh jobs",
		"hooks/batchhooks:batch/state:0 beforeHelm", "hooks/initialised.sh afterHelm",
	}, order)
	assert.Equal(t, map[string]any{"internal": map[string]any{
		"members": []any{"d8a-shop-server-0"}, "backups": int64(1), "initialised": true,
	}}, all.Values)
	state := all.Runs[1].Objects
	require.Len(t, state, 1)
	assert.Equal(t, "d8a-shop-state", state[0].Name)
	assert.Nil(t, state[0].Before)
	assert.Equal(t, map[string]any{"members": `["d8a-shop-server-0"]`}, state[0].After["data"])
	assert.NotEmpty(t, all.Runs[1].Notes, "the prefix is told")

	assert.Equal(t, []report.Readiness{{Hook: "hooks/batchhooks:ready", Ready: true}}, h.Ready(t.Context(), set))
	fresh := hooks(t, set, "", map[string]any{})
	assert.Equal(t, []report.Readiness{{Hook: "hooks/batchhooks:ready", Message: "the cluster is not made yet"}}, fresh.Ready(t.Context(), set))

	again := runs(t, h, Reconciliation(set))
	for _, r := range again.Runs {
		assert.False(t, r.ChangedValues(), r.Hook)
		for _, o := range r.Objects {
			assert.Nil(t, o.After, "%s: %s changes nothing", r.Hook, o.Name)
		}
	}

	phases, err := Select(set, nil, "afterDeleteHelm")
	require.NoError(t, err)
	gone := runs(t, h, phases)
	require.Len(t, gone.Runs, 1)
	require.Len(t, gone.Runs[0].Objects, 1)
	assert.Equal(t, "DeleteInBackground", gone.Runs[0].Objects[0].Operation)
	assert.NotNil(t, gone.Runs[0].Objects[0].Before)
	assert.Nil(t, gone.Runs[0].Objects[0].After)
}

// Settings are judged by the program; its remarks are no refusal.
func TestCheckSettings(t *testing.T) {
	set := loaded(t, directory(t, "store"))
	for _, c := range []struct {
		settings map[string]any
		warnings []string
		refused  string
	}{
		{settings: map[string]any{"replicas": 3}},
		{settings: map[string]any{"replicas": 1}, warnings: []string{"settings: hooks/batchhooks: one replica and no backup: a lost volume is lost data"}},
		{settings: map[string]any{"replicas": 9}, refused: "settings: hooks/batchhooks: refused: more than 7 replicas never agree in time"},
	} {
		warnings, err := CheckSettings(t.Context(), runner(t), set, c.settings)
		assert.Equal(t, c.warnings, warnings)
		if c.refused == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.refused)
		}
	}
}

const early, before = `{"configVersion":"v1","onStartup":1}`, `{"configVersion":"v1","beforeHelm":1}`

// A failure ends the trial with its phase.
func TestFailureEndsWithItsPhase(t *testing.T) {
	set := bundleOf(t, map[string][2]string{
		"a.sh": {early, "echo no >&2; exit 3"},
		"b.sh": {early, `echo '[{"op":"add","path":"/b","value":1}]' > "$VALUES_JSON_PATCH_PATH"`},
		"c.sh": {before, ""},
	})
	all := runs(t, hooks(t, set, "", nil), Reconciliation(set))
	require.Len(t, all.Runs, 2)
	assert.Equal(t, "exit code 3", all.Runs[0].Error)
	assert.Equal(t, "no\n", all.Runs[0].Stderr)
	assert.True(t, all.Runs[1].ChangedValues())
	assert.Equal(t, []string{"hooks/c.sh (beforeHelm)"}, all.NotRun)
	assert.True(t, all.Failed())
}

// A failure that the configuration passes over ends nothing.
func TestAllowedFailure(t *testing.T) {
	set := bundleOf(t, map[string][2]string{
		"a.sh": {`{"configVersion":"v1","kubernetes":[{"name":"pods","apiVersion":"v1","kind":"Pod","allowFailure":true}]}`, "exit 1"},
		"b.sh": {early, ""},
	})
	all := runs(t, hooks(t, set, "", nil), Reconciliation(set))
	assert.True(t, all.Runs[0].Allowed)
	assert.Len(t, all.Runs, 2)
	assert.False(t, all.Failed())
}

// Values that the schema refuses fail the run and stay as they were.
func TestValuesAreChecked(t *testing.T) {
	set := bundleOf(t, map[string][2]string{
		"a.sh": {early, `echo '[{"op":"add","path":"/stolen","value":1}]' > "$VALUES_JSON_PATCH_PATH"`},
	})
	h := hooks(t, set, "", map[string]any{"mine": true})
	h.CheckValues = func(map[string]any) error { return errors.New("stolen: forbidden property") }
	all := runs(t, h, Reconciliation(set))
	assert.Equal(t, "values after its patch: stolen: forbidden property", all.Runs[0].Error)
	assert.Equal(t, map[string]any{"mine": true}, all.Values)
}

// What a hook reads of a Secret is in no part of the report, whatever it does with
// it, and neither is what it writes into one.
func TestSecrets(t *testing.T) {
	set := bundleOf(t, map[string][2]string{"a.sh": {
		`{"configVersion":"v1","beforeHelm":1,"kubernetes":[{"name":"keys","apiVersion":"v1","kind":"Secret","executeHookOnSynchronization":false}]}`, `
cat "$BINDING_CONTEXT_PATH"
echo '[{"op":"add","path":"/leak","value":["x correct-horse x","y3R5cHQtaGVyZQ"]}]' > "$VALUES_JSON_PATCH_PATH"
echo '{"operation":"Create","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"new"},"stringData":{"p":"battery-staple"}}}' > "$KUBERNETES_PATCH_PATH"
`,
	}})
	h := hooks(t, set, "{apiVersion: v1, kind: Secret, metadata: {name: d8a-shop-key}, stringData: {k: correct-horse}}", map[string]any{})
	all := runs(t, h, Reconciliation(set))
	require.False(t, all.Failed(), all.Runs)
	data, err := object.EncodeJSON(toJSON(t, all))
	require.NoError(t, err)
	assert.NotContains(t, string(data), "correct-horse")
	assert.NotContains(t, string(data), "battery-staple")
	assert.Contains(t, string(data), "d8a-shop-new")
	assert.Contains(t, string(data), "y3R5cHQtaGVyZQ", "what is no secret is shown")

	h = hooks(t, set, "{apiVersion: v1, kind: Secret, metadata: {name: d8a-shop-key}, stringData: {k: correct-horse}}", map[string]any{})
	h.Masker.Show = true
	all = runs(t, h, Reconciliation(set))
	assert.Equal(t, []any{"x correct-horse x", "y3R5cHQtaGVyZQ"}, all.Values["leak"])
}

// A hook can put a secret into whatever it says, not only into objects and values.
func TestSecretsBesideObjects(t *testing.T) {
	set := bundleOf(t, map[string][2]string{"a.sh": {early, `
echo '{"name":"m_correcthorse","group":"correcthorse","action":"set","value":1,"labels":{"key":"is correcthorse"}}' > "$METRICS_PATH"
cat > "$KUBERNETES_PATCH_PATH" <<END
{"operation":"Create","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"correcthorse"}}}
{"operation":"DeleteInBackground","apiVersion":"v1","kind":"ConfigMap","name":"correcthorse"}
END
`}})
	const secret = "{apiVersion: v1, kind: Secret, metadata: {name: d8a-shop-key}, stringData: {k: correcthorse}}"
	h := hooks(t, set, secret, map[string]any{})
	all := runs(t, h, Reconciliation(set))
	require.False(t, all.Failed(), all.Runs)
	run := all.Runs[len(all.Runs)-1]
	assert.NotEmpty(t, run.Notes)
	assert.Len(t, run.Metrics, 1)
	assert.Len(t, run.Objects, 2)
	data, err := object.EncodeJSON(toJSON(t, all))
	require.NoError(t, err)
	assert.NotContains(t, string(data), "correcthorse")

	h = hooks(t, set, secret, map[string]any{})
	h.Masker.Show = true
	all = runs(t, h, Reconciliation(set))
	assert.Equal(t, map[string]string{"key": "is correcthorse"}, all.Runs[len(all.Runs)-1].Metrics[0].Labels)
}

func TestCancelled(t *testing.T) {
	set := bundleOf(t, map[string][2]string{"a.sh": {early, "sleep 600"}})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	_, err := hooks(t, set, "", nil).Run(ctx, Reconciliation(set))
	require.EqualError(t, err, "run hooks: interrupted")
}

// A batch binary can be run by hand, with only some of what it is told: it leaves out
// what has no place to go.
func TestHookByHand(t *testing.T) {
	dir := directory(t, "store")
	contexts, values := filepath.Join(dir, "contexts.json"), filepath.Join(dir, "values.json")
	require.NoError(t, os.WriteFile(contexts, []byte(`[{"binding":"beforeHelm","snapshots":{"members":[]}}]`), 0o600))
	require.NoError(t, os.WriteFile(values, []byte(`{}`), 0o600))
	run := exec.Command(filepath.Join(dir, "hooks", "batchhooks"), "hook", "run", "0")
	run.Env = []string{"BINDING_CONTEXT_PATH=" + contexts, "VALUES_PATH=" + values}
	out, err := run.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Empty(t, string(out))
}

// marked is a set of schemas: the password is marked by that of the settings, the token
// by that of the values, which doesn't extend it.
func marked(t *testing.T) schema.Set {
	t.Helper()
	set, findings := schema.Load(
		&bundle.File{Name: "settings.yaml", Data: []byte("{type: object, properties: {password: {type: string, format: password}}}")},
		&bundle.File{Name: "values.yaml", Data: []byte("{type: object, additionalProperties: true, properties: {token: {type: string, x-secret: true}}}")},
	)
	require.Empty(t, findings)
	return set
}

// What the schemas mark is hidden in values, in what the hook writes, and in objects.
func TestMarkedValues(t *testing.T) {
	set := bundleOf(t, map[string][2]string{"a.sh": {early, `
cat "$CONFIG_VALUES_PATH" "$VALUES_PATH"
echo '[{"op":"add","path":"/token","value":"made-by-hook"},{"op":"add","path":"/copy","value":"correct-horse"}]' > "$VALUES_JSON_PATCH_PATH"
echo '{"operation":"Create","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"p":"correct-horse made-by-hook"}}}' > "$KUBERNETES_PATCH_PATH"
`}})
	run := func(guessed bool) string {
		h := hooks(t, set, "", map[string]any{"password": "correct-horse"})
		h.Settings, h.Schemas, h.Guessed = map[string]any{"password": "correct-horse"}, marked(t), guessed
		all := runs(t, h, Reconciliation(set))
		require.False(t, all.Failed(), all.Runs)
		assert.Equal(t, schema.Masked, all.Values["password"])
		assert.Equal(t, schema.Masked, all.Values["token"])
		data, err := object.EncodeJSON(toJSON(t, all))
		require.NoError(t, err)
		assert.NotContains(t, string(data), "made-by-hook")
		return string(data)
	}
	assert.NotContains(t, run(false), "correct-horse")
	assert.Contains(t, run(true), "correct-horse", "what was guessed is nobody's secret")
}
