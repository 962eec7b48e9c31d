//go:build linux || darwin

package offline

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

func shop() hook.Instance { return hook.Instance{Namespace: "default", Name: "shop"} }

func limits() hook.Limits {
	l := hook.DefaultLimits()
	l.Run, l.Grace = time.Minute, 200*time.Millisecond
	return l
}

// load makes a bundle of shell hooks by name: each a configuration.
func load(t *testing.T, rule binding.Rule, configs map[string]string) *hook.Set {
	t.Helper()
	dir := t.TempDir()
	for name, config := range configs {
		path := filepath.Join(dir, "hooks", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\ncat <<'E'\n"+config+"\nE\n"), 0o755))
	}
	return loadDir(t, rule, dir)
}

func loadDir(t *testing.T, rule binding.Rule, dir string) *hook.Set {
	t.Helper()
	set, err := hook.Loader{Instance: shop(), Namespaces: rule, Env: hook.BaseEnv(os.Environ()), Limits: limits()}.Load(t.Context(), dir)
	require.NoError(t, err)
	return set
}

func cluster(t *testing.T, set *hook.Set, text, namespace string) *Cluster {
	t.Helper()
	c, err := Load(t.Context(), set, []byte(text), "snapshots.yaml", namespace)
	require.NoError(t, err)
	return c
}

func snapshotText(t *testing.T, c *Cluster, id, name string) string {
	t.Helper()
	taken, err := c.Snapshot(t.Context(), id, name)
	require.NoError(t, err)
	data, err := json.Marshal(taken)
	require.NoError(t, err)
	return string(data)
}

const objects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
data: {num: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default, labels: {pick: "yes"}}
data: {num: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: other}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
`

func TestSnapshotOfObjects(t *testing.T) {
	set := load(t, binding.Instance, map[string]string{"a.sh": `
configVersion: v1
kubernetes:
- {name: all, kind: cm, jqFilter: .data.num, keepFullObjectsInMemory: false}
- {name: picked, apiVersion: v1, kind: configmaps, labelSelector: {matchLabels: {pick: "yes"}}, jqFilter: .metadata.name, keepFullObjectsInMemory: false}
- {name: deployments, kind: Deployment, jqFilter: .metadata.name, keepFullObjectsInMemory: false}
- {name: other-version, apiVersion: apps/v1beta1, kind: Deployment}
- {name: secrets, kind: Secret}
- {name: odd, kind: ConfigMap, jqFilter: ".data.num.x"}
`})
	c := cluster(t, set, objects, "default")
	const id = "hooks/a.sh"
	assert.Equal(t, `[{"filterResult":"1"},{"filterResult":"2"}]`, snapshotText(t, c, id, "all"), "those without a namespace are the instance's; others can't be seen")
	assert.Equal(t, `[{"filterResult":"a"}]`, snapshotText(t, c, id, "picked"))
	assert.Equal(t, `[{"filterResult":"web"}]`, snapshotText(t, c, id, "deployments"))
	assert.Equal(t, `[]`, snapshotText(t, c, id, "other-version"))
	assert.Equal(t, `[]`, snapshotText(t, c, id, "secrets"))
	_, err := c.Snapshot(t.Context(), id, "odd")
	assert.ErrorContains(t, err, `binding "odd": ConfigMap default/a: filter ".data.num.x"`)
	_, err = c.Snapshot(t.Context(), id, "none")
	assert.EqualError(t, err, `hook hooks/a.sh has no kubernetes binding "none"`)
	_, err = c.Snapshot(t.Context(), "hooks/none.sh", "all")
	assert.EqualError(t, err, `there is no hook "hooks/none.sh"`)
}

// Case J07, as far as files can tell it: namespaces chosen by their labels.
func TestCaseJ07(t *testing.T) {
	set := loadDir(t, binding.Any, "../testdata/cases/J07")
	data, err := os.ReadFile("../testdata/cases/J07/objects.yaml")
	require.NoError(t, err)
	c := cluster(t, set, string(data), "")
	taken, err := c.Snapshot(t.Context(), "hooks/by-label.sh", "cms")
	require.NoError(t, err)
	require.Len(t, taken, 1)
	assert.Equal(t, "early", taken[0].Result)

	for label, want := range map[string]int{"yes": 2, "no": 1} {
		require.NoError(t, c.Do(t.Context(), one(t, `{"operation":"MergePatch","kind":"ns","name":"late","mergePatch":{"metadata":{"labels":{"pick":"`+label+`"}}}}`)))
		taken, err = c.Snapshot(t.Context(), "hooks/by-label.sh", "cms")
		require.NoError(t, err)
		assert.Len(t, taken, want)
	}
}

func one(t *testing.T, text string) output.Operation {
	t.Helper()
	all, err := output.ParseOperations([]byte(text))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func TestRecordedSnapshots(t *testing.T) {
	set := load(t, binding.Instance, map[string]string{"a.sh": `
configVersion: v1
kubernetes:
- {name: cms, kind: ConfigMap, jqFilter: .data.num, keepFullObjectsInMemory: false}
- {name: pods, kind: Pod}
`, "b.sh": `{"configVersion":"v1","onStartup":1}`})
	c := cluster(t, set, `
hooks/a.sh:
  cms:
    operations: {sinceStart: {added: 2, count: 2}}
    snapshot:
    - filterResult: {name: x}
    - filterResult: null
    - object: {apiVersion: v1, kind: ConfigMap, metadata: {name: y}, data: {num: "7"}}
  pods: []
hooks/b.sh: null
`, "default")
	assert.Equal(t, `[{"filterResult":{"name":"x"}},{"filterResult":null},{"filterResult":"7"}]`, snapshotText(t, c, "hooks/a.sh", "cms"),
		"what is recorded counts; of an object the filter is run")
	assert.Equal(t, `[]`, snapshotText(t, c, "hooks/a.sh", "pods"))

	lacking := cluster(t, set, "hooks/a.sh: {cms: []}", "")
	_, err := lacking.Snapshot(t.Context(), "hooks/a.sh", "pods")
	assert.EqualError(t, err, `binding "pods" of hook hooks/a.sh: the recording has no snapshot of it`)
}

func TestLoadRefuses(t *testing.T) {
	set := load(t, binding.Instance, map[string]string{"a.sh": `{"configVersion":"v1","kubernetes":[{"name":"cms","kind":"ConfigMap","jqFilter":".data.num | tonumber"}]}`})
	for text, want := range map[string]string{
		"hooks/x.sh: {}":                            "f: hooks/x.sh: the package has no such hook; it has hooks/a.sh",
		"hooks/a.sh: {pods: []}":                    "f: hooks/a.sh pods: the hook has no such binding; it has cms",
		"hooks/a.sh: []":                            "f: hooks/a.sh: wanted a mapping of bindings, found a list",
		"hooks/a.sh: {cms: 1}":                      "f: hooks/a.sh cms: wanted a list, found a number",
		"hooks/a.sh: {cms: [1]}":                    "f: hooks/a.sh cms[0]: wanted a mapping, found a number",
		"hooks/a.sh: {cms: [{objekt: 1}]}":          `f: hooks/a.sh cms[0]: unknown key "objekt"`,
		"hooks/a.sh: {cms: [{object: 1}]}":          "f: hooks/a.sh cms[0].object: wanted an object, found a number",
		"hooks/a.sh: {cms: [{object: {data: {}}}]}": "f: hooks/a.sh cms[0]: filter \".data.num | tonumber\": ",
		"kind: Pod":                                 "apiVersion",
		"a: [":                                      "f",
		"{\"a\": 1}{":                               "f",
	} {
		_, err := Load(t.Context(), set, []byte(text), "f", "")
		assert.ErrorContains(t, err, want, text)
	}
	c, err := Load(t.Context(), set, nil, "f", "")
	require.NoError(t, err)
	assert.Empty(t, c.Objects())
}

// Case J03: operations on objects that are there, or not.
func TestCaseJ03Objects(t *testing.T) {
	set := loadDir(t, binding.Instance, "../testdata/cases/J03")
	r := &hook.Runner{Instance: shop(), Env: hook.BaseEnv(os.Environ()), Limits: limits(), TempDir: t.TempDir()}
	result, err := r.Run(t.Context(), hook.Request{Hook: set.Find("hooks/objects.sh"), Triggers: []hook.Trigger{hook.Stage(binding.OnStartup)}})
	require.NoError(t, err)
	existing := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d8a-shop-exists-already","namespace":"default"},"data":{"a":"old"}}`
	c := cluster(t, set, existing, "")
	taken, err := result.Take(t.Context(), hook.Effects{Objects: c})
	require.NoError(t, err)
	assert.False(t, taken.Changed)
	require.Len(t, c.Steps(), 3)
	require.Len(t, c.Objects(), 1)
	assert.Equal(t, map[string]any{"a": "old"}, c.Objects()[0]["data"], "CreateIfNotExists leaves it alone")

	for text, want := range map[string]error{
		`{"operation":"Create","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d8a-shop-exists-already","namespace":"default"}}}`: output.ErrExists,
		`{"operation":"MergePatch","kind":"ConfigMap","name":"never-existed","namespace":"default","mergePatch":{"data":{"a":"1"}}}`:                 output.ErrMissing,
	} {
		assert.ErrorIs(t, hook.Result{Hook: set.Hooks[0], Operations: []output.Operation{one(t, text)}}.Operate(t.Context(), c), want)
	}
}

// A whole run of the batch binary, from objects to objects.
func TestBatchFromObjectsToObjects(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "hooks"), 0o755))
	build := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "hooks", "batchhooks"), "../testdata/gohook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	set := loadDir(t, binding.Instance, dir)
	state := set.Find("hooks/batchhooks:batch/state:0")
	r := &hook.Runner{Instance: shop(), Env: hook.BaseEnv(os.Environ()), Limits: limits(), TempDir: t.TempDir()}
	c := cluster(t, set, `
apiVersion: v1
kind: Secret
metadata: {name: d8a-shop-key}
data: {k: czNjcjN0}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d8a-shop-state, uid: u1}
data: {count: "0", stale: "1"}
`, "default")
	values := map[string]any{}
	for range 2 {
		result, err := r.Run(t.Context(), hook.Request{Hook: state, Triggers: []hook.Trigger{hook.Stage(binding.BeforeHelm)}, Values: values, Source: c})
		require.NoError(t, err)
		taken, err := result.Take(t.Context(), hook.Effects{Values: values, Objects: c})
		require.NoError(t, err)
		values = taken.Values
	}
	assert.Equal(t, map[string]any{"internal": map[string]any{"credentials": int64(1)}}, values)
	steps := c.Steps()
	require.Len(t, steps, 4)
	after, err := object.EncodeJSON(steps[0].After)
	require.NoError(t, err)
	assert.Equal(t, `{"apiVersion":"v1","data":{"count":"1","why":"beforeHelm <nil>"},"kind":"ConfigMap","metadata":{"labels":{"packages.deckhouse.io/instance":"shop"},`+
		`"name":"d8a-shop-state","namespace":"default","uid":"u1"}}`, string(after), "fields that it doesn't mention vanish")
	assert.Nil(t, steps[1].After, "a missing object that is ignored")
	assert.Equal(t, steps[2].Before, steps[2].After, "the second run changes nothing")
}

func TestKinds(t *testing.T) {
	body := func(apiVersion, kind string) map[string]any {
		return map[string]any{"apiVersion": apiVersion, "kind": kind}
	}
	for _, tt := range []struct {
		body             map[string]any
		apiVersion, kind string
		is, ofGroup      bool
	}{
		{body("v1", "Pod"), "", "Pod", true, true},
		{body("v1", "Pod"), "v1", "pods", true, true},
		{body("v1", "Pod"), "v2", "PO", false, true},
		{body("apps/v1", "DaemonSet"), "", "ds", true, true},
		{body("apps/v1", "DaemonSet"), "apps/v1beta1", "Daemonset", false, true},
		{body("apps/v1", "DaemonSet"), "extensions/v1", "DaemonSets", false, false},
		{body("networking.k8s.io/v1", "Ingress"), "", "ingresses", true, true},
		{body("networking.k8s.io/v1", "NetworkPolicy"), "", "networkpolicies", true, true},
		{body("gateway.networking.k8s.io/v1", "Gateway"), "", "gateways", true, true},
		{body("v1", "Endpoints"), "", "endpoints", true, true},
		{body("v1", "Pod"), "", "Service", false, false},
	} {
		assert.Equal(t, tt.is, isKind(tt.body, tt.apiVersion, tt.kind), tt.kind)
		assert.Equal(t, tt.ofGroup, isGroupKind(tt.body, tt.apiVersion, tt.kind), tt.kind)
	}
}
