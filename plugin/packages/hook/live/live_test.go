package live

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

// connect gives a client of the control plane that the environment names, and a
// namespace of this test; without a control plane the test is skipped.
func connect(t *testing.T) (*cluster.Client, string) {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	c, err := cluster.Connect(cluster.Options{Getter: flags, FieldManager: "tazuna", CacheDir: cache})
	require.NoError(t, err)
	name := fmt.Sprintf("live-%x", time.Now().UnixNano())
	makeNamespace(t, c, name, nil)
	return c, name
}

func makeNamespace(t *testing.T, c *cluster.Client, name string, labels map[string]any) {
	t.Helper()
	put(t, c, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name, "labels": labels}})
	t.Cleanup(func() {
		err := c.Delete(context.WithoutCancel(t.Context()), kindOf(t, c, "", "Namespace"), "", name, cluster.DeleteOptions{})
		assert.True(t, err == nil || apierrors.IsNotFound(err), "clean up: %v", err)
	})
}

func kindOf(t *testing.T, c *cluster.Client, group, kind string) cluster.Mapping {
	t.Helper()
	m, err := c.Mapping(context.WithoutCancel(t.Context()), schema.GroupKind{Group: group, Kind: kind}, "")
	require.NoError(t, err)
	return m
}

// put makes an object or gives it new content.
func put(t *testing.T, c *cluster.Client, body map[string]any) {
	t.Helper()
	gv, err := schema.ParseGroupVersion(body["apiVersion"].(string))
	require.NoError(t, err)
	m := kindOf(t, c, gv.Group, body["kind"].(string))
	_, err = c.Apply(t.Context(), m, body, cluster.ApplyOptions{Force: true})
	require.NoError(t, err)
}

func configMap(namespace, name, value string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"v": value},
		"metadata": map[string]any{"name": name, "namespace": namespace},
	}
}

// setOf is a set of one hook with this configuration.
func setOf(t *testing.T, rule binding.Rule, namespace, config string) *hook.Set {
	t.Helper()
	c, _, err := binding.Parse([]byte("configVersion: v1\n"+config), binding.Options{Rule: rule, Namespace: namespace})
	require.NoError(t, err)
	return &hook.Set{Hooks: []*hook.Hook{{ID: "hooks/h", Config: c}}}
}

// calls writes down which runs were called for.
type calls struct {
	mu   sync.Mutex
	list []string
}

func (c *calls) add(p hook.Pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, trigger := range p.Triggers {
		line := trigger.String()
		if trigger.Change != nil {
			line = string(trigger.Change.Event) + " " + trigger.Change.Entry.Ref.Name
		}
		c.list = append(c.list, line)
	}
}

func (c *calls) read() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

func (c *calls) waitFor(t *testing.T, lines ...string) {
	t.Helper()
	require.Eventually(t, func() bool { return slices.Equal(lines, c.read()) }, time.Minute, 10*time.Millisecond)
}

func monitor(c *cluster.Client, set *hook.Set, to *calls) *Monitor {
	return &Monitor{
		Set: set, Watches: &follow.Pool{Client: c}, Kinds: &Kinds{Discovery: c}, Events: to.add,
	}
}

const configMaps = `kubernetes: [{name: all, apiVersion: v1, kind: ConfigMap, jqFilter: .data, labelSelector: {matchExpressions: [{key: skip, operator: DoesNotExist}]}, nameSelector: {matchNames: [a, b, c]}}]`

// TestComplaint36 : snapshots were empty in lifecycle hooks.
func TestComplaint36(t *testing.T) {
	c, ns := connect(t)
	put(t, c, configMap(ns, "a", "1"))
	m := monitor(c, setOf(t, binding.Instance, ns, configMaps), &calls{})
	defer m.Stop()
	require.NoError(t, m.Start(t.Context()))
	taken, err := m.Snapshot(t.Context(), "hooks/h", "all")
	require.NoError(t, err)
	require.Len(t, taken, 1)
	assert.Equal(t, map[string]any{"v": "1"}, taken[0].Result)
	awaited, others := m.Synchronizations()
	assert.Len(t, awaited, 1)
	assert.Empty(t, others)
}

func TestChangesCallHooksFromArmOn(t *testing.T) {
	c, ns := connect(t)
	put(t, c, configMap(ns, "a", "1"))
	put(t, c, configMap(ns, "other", "1"))
	got := &calls{}
	m := monitor(c, setOf(t, binding.Instance, ns, configMaps), got)
	defer m.Stop()
	require.NoError(t, m.Start(t.Context()))
	put(t, c, configMap(ns, "b", "1"))
	require.Eventually(t, func() bool {
		taken, err := m.Snapshot(t.Context(), "hooks/h", "all")
		return err == nil && len(taken) == 2
	}, time.Minute, 10*time.Millisecond)
	assert.Empty(t, got.read(), "what was there calls nothing, and what changes waits for Arm")
	m.Arm()
	got.waitFor(t, "Added b")
	put(t, c, configMap(ns, "a", "2"))
	got.waitFor(t, "Added b", "Modified a")
	require.NoError(t, c.Delete(t.Context(), kindOf(t, c, "", "ConfigMap"), ns, "b", cluster.DeleteOptions{}))
	got.waitFor(t, "Added b", "Modified a", "Deleted b")

	state := m.State()["hooks/h"]["all"]
	assert.Empty(t, state.Error)
	assert.Equal(t, Counts{Count: 1, Added: 2, Deleted: 1, Modified: 1}, state.Operations.SinceStart)
	m.Ran("hooks/h")
	assert.Equal(t, Counts{}, m.State()["hooks/h"]["all"].Operations.SinceLastExecution)
}

// TestComplaint44 : a kind that is served only later made the start fail for ever.
func TestComplaint44(t *testing.T) {
	c, ns := connect(t)
	group := "later" + ns[len("live-"):] + ".example.com"
	config := `kubernetes: [{name: things, apiVersion: ` + group + `/v1, kind: Thing}, {name: maps, apiVersion: v1, kind: cm}]`
	got := &calls{}
	m := monitor(c, setOf(t, binding.Instance, ns, config), got)
	m.Kinds.Clock = clocktesting.NewFakePassiveClock(time.Now())
	defer m.Stop()
	err := m.Start(t.Context())
	require.ErrorContains(t, err, "hooks/h")
	require.ErrorContains(t, err, `binding "things"`)
	_, err = m.Snapshot(t.Context(), "hooks/h", "maps")
	require.NoError(t, err, "the other binding works")
	_, err = m.Snapshot(t.Context(), "hooks/h", "things")
	require.Error(t, err, "an unknown snapshot is no empty one")

	put(t, c, thingCRD(group))
	require.Eventually(t, func() bool {
		m.Kinds.Clock.(*clocktesting.FakePassiveClock).SetTime(m.Kinds.Clock.Now().Add(rediscoverGap))
		return m.Start(t.Context()) == nil
	}, time.Minute, 50*time.Millisecond)
	m.Arm()
	put(t, c, map[string]any{"apiVersion": group + "/v1", "kind": "Thing", "metadata": map[string]any{"name": "one", "namespace": ns}})
	got.waitFor(t, "Added one")
}

func thingCRD(group string) map[string]any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "things." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced",
			"names": map[string]any{"kind": "Thing", "plural": "things", "singular": "thing"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
			}},
		},
	}
}

// TestComplaint39 : events of namespaces whose labels match only later were lost.
func TestComplaint39(t *testing.T) {
	c, ns := connect(t)
	config := `kubernetes: [{name: all, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [a]}, namespace: {labelSelector: {matchLabels: {team: ` + ns + `}}}}]`
	got := &calls{}
	m := monitor(c, setOf(t, binding.Any, "", config), got)
	defer m.Stop()
	put(t, c, configMap(ns, "a", "1"))
	require.NoError(t, m.Start(t.Context()))
	m.Arm()
	assert.Empty(t, got.read())
	label := func(labels map[string]any) {
		put(t, c, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": ns, "labels": labels}})
	}
	label(map[string]any{"team": ns})
	got.waitFor(t, "Added a")
	label(nil)
	got.waitFor(t, "Added a", "Deleted a")
	assert.Equal(t, 1, m.Watches.Watches(), "only the namespaces are followed")
}

func TestSchedules(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 30, 0, time.UTC))
	got := &calls{}
	m := monitor(nil, setOf(t, binding.Instance, "demo", `schedule: [{name: minutely, crontab: "* * * * *"}]`), got)
	m.Clock = clk
	require.NoError(t, m.Start(t.Context()))
	m.Arm()
	require.Eventually(t, clk.HasWaiters, time.Minute, time.Millisecond)
	clk.Step(30 * time.Second)
	require.Eventually(t, func() bool { return len(got.read()) == 1 }, time.Minute, time.Millisecond)
	// Complaint 45: the schedule of a hook that is gone calls nothing.
	m.Stop()
	clk.Step(time.Hour)
	assert.Len(t, got.read(), 1)
}

func TestStopLeavesNothing(t *testing.T) {
	c, ns := connect(t)
	pool, kinds := &follow.Pool{Client: c}, &Kinds{Discovery: c}
	round := func() {
		m := &Monitor{Set: setOf(t, binding.Instance, ns, configMaps), Watches: pool, Kinds: kinds, Events: func(hook.Pending) {}}
		require.NoError(t, m.Start(t.Context()))
		m.Arm()
		m.Stop()
		require.Error(t, m.Start(t.Context()))
	}
	round() // connections of the client stay open
	before := runtime.NumGoroutine()
	for range 10 {
		round()
	}
	assert.Zero(t, pool.Watches())
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+4 }, time.Minute, 10*time.Millisecond)
}

func operations(t *testing.T, stream string) []output.Operation {
	t.Helper()
	all, err := output.ParseOperations([]byte(stream))
	require.NoError(t, err)
	return all
}

func TestOperations(t *testing.T) {
	c, ns := connect(t)
	sink := &Sink{Client: c, Kinds: &Kinds{Discovery: c}, Manager: "hook"}
	maps := kindOf(t, c, "", "ConfigMap")
	at := `, apiVersion: v1, kind: ConfigMap, namespace: ` + ns + `, name: a`
	created := func(verb, value string) string {
		return `{operation: ` + verb + `, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ` + ns + `}, data: {v: "` + value + `"}}}`
	}
	for _, step := range []struct {
		name, operation string
		want            string // data of the object; "" is no object
		fails           string
	}{
		{name: "a patch of nothing", operation: `{operation: MergePatch` + at + `, mergePatch: {data: {v: "0"}}}`, fails: "not"},
		{name: "a patch of nothing, ignored", operation: `{operation: MergePatch` + at + `, ignoreMissingObjects: true, mergePatch: {data: {v: "0"}}}`},
		{name: "create", operation: created("Create", "1"), want: "map[v:1]"},
		{name: "create again", operation: created("Create", "2"), want: "map[v:1]", fails: "already"},
		{name: "create if there is none", operation: created("CreateIfNotExists", "2"), want: "map[v:1]"},
		{name: "merge patch", operation: `{operation: MergePatch` + at + `, mergePatch: {data: {w: "1"}}}`, want: "map[v:1 w:1]"},
		{name: "replace", operation: created("CreateOrUpdate", "3"), want: "map[v:3]"},
		{name: "JSON patch", operation: `{operation: JSONPatch` + at + `, jsonPatch: [{op: add, path: /data/x, value: "1"}]}`, want: "map[v:3 x:1]"},
		{name: "jq", operation: `{operation: JQPatch` + at + `, jqFilter: '.data.v = "4"'}`, want: "map[v:4 x:1]"},
		{name: "delete", operation: `{operation: Delete` + at + `}`},
		{name: "delete again", operation: `{operation: Delete` + at + `}`},
	} {
		t.Run(step.name, func(t *testing.T) {
			err := sink.Do(t.Context(), operations(t, step.operation)[0])
			if step.fails == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, step.fails)
			}
			live, err := c.Get(t.Context(), maps, ns, "a")
			if step.want == "" {
				require.True(t, apierrors.IsNotFound(err), "%v", err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, step.want, fmt.Sprint(live.Object["data"]))
		})
	}
}

// TestComplaint49 : Create hid errors other than that the object exists.
func TestComplaint49(t *testing.T) {
	c, _ := connect(t)
	sink := &Sink{Client: c, Kinds: &Kinds{Discovery: c}}
	o := operations(t, `{operation: Create, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: nowhere-at-all}}}`)
	require.ErrorContains(t, sink.Do(t.Context(), o[0]), "nowhere-at-all")
}

func TestDeleteThatIsHeldNamesTheFinalizer(t *testing.T) {
	c, ns := connect(t)
	body := configMap(ns, "a", "1")
	body["metadata"].(map[string]any)["finalizers"] = []any{"example.com/held"}
	put(t, c, body)
	clk := clocktesting.NewFakeClock(time.Now())
	sink := &Sink{Client: c, Kinds: &Kinds{Discovery: c}, Clock: clk}
	o := operations(t, `{operation: Delete, apiVersion: v1, kind: ConfigMap, namespace: `+ns+`, name: a}`)
	failed := make(chan error)
	go func() { failed <- sink.Do(t.Context(), o[0]) }()
	for {
		select {
		case err := <-failed:
			require.ErrorContains(t, err, "example.com/held")
			patch := []byte(`{"metadata":{"finalizers":null}}`)
			_, err = c.Patch(t.Context(), kindOf(t, c, "", "ConfigMap"), ns, "a", "application/merge-patch+json", patch, cluster.WriteOptions{})
			require.NoError(t, err)
			return
		default:
			clk.Step(deleteGap)
			runtime.Gosched()
		}
	}
}

func TestFilterThatFailsIsReported(t *testing.T) {
	c, ns := connect(t)
	var mu sync.Mutex
	var failures []error
	m := monitor(c, setOf(t, binding.Instance, ns, `kubernetes: [{name: all, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [a]}, jqFilter: ".data.v | tonumber"}]`), &calls{})
	m.Failed = func(err error) { mu.Lock(); failures = append(failures, err); mu.Unlock() }
	defer m.Stop()
	put(t, c, configMap(ns, "a", "no number"))
	require.NoError(t, m.Start(t.Context()))
	_, err := m.Snapshot(t.Context(), "hooks/h", "all")
	require.ErrorContains(t, err, "ConfigMap")
	mu.Lock()
	require.Len(t, failures, 1)
	mu.Unlock()
	put(t, c, configMap(ns, "a", "7"))
	require.Eventually(t, func() bool {
		taken, err := m.Snapshot(t.Context(), "hooks/h", "all")
		return err == nil && len(taken) == 1 && object.Equal(taken[0].Result, int64(7))
	}, time.Minute, 10*time.Millisecond)
}
