//go:build unix

package runtime

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// TestLifeOfAnApplication: installation, E1 settings, E2 a hook that changes values, E5 a
// lost object, E3 another version, suspension and back, E4 restart, deletion.
func TestLifeOfAnApplication(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.pack("v1.1.0", map[string]string{"hooks/before.sh": "", "hooks/new.sh": w.shell("new", "beforeHelm: 1", "")})
	w.start()

	shop := w.desired("shop", "v1.0.0")
	step := func(name string, do func(t *testing.T)) { require.True(t, t.Run(name, do)) }

	step("P1 P2 P3 P4 P5 from nothing to ready", func(t *testing.T) {
		w.update(shop)
		known := w.ready(shop)
		assert.Equal(t, "peers start before after", w.hooksRan())
		assert.Equal(t, "v1.0.0", w.data("d8a-shop-config", "version"))
		assert.Equal(t, map[string]any{"replicas": int64(1)}, known.Applied.Settings)
		for _, of := range []status.Type{status.RequirementsMet, status.ReadyOnFilesystem, status.Loaded, status.Configured, status.HooksProcessed} {
			assert.True(t, known.Is(of), of)
		}
		assert.Equal(t, 1, w.revision(shop).Number)

		// Tracking: what was done, each with what it waited for, and how it ended.
		require.NotNil(t, known.Tracking)
		assert.Zero(t, known.Tracking.Remaining)
		var ready *api.Operation
		for i, o := range known.Tracking.Report.Operations {
			assert.Equal(t, api.OperationCompleted, o.Status, o.ID)
			if o.Kind == "Deployment" && o.Category == api.CategoryTrack {
				ready = &known.Tracking.Report.Operations[i]
			}
		}
		require.NotNil(t, ready, "it was waited for")
		assert.NotEmpty(t, ready.DependsOn)
	})

	step("E1 settings, and the same again is nothing", func(t *testing.T) {
		shop.Settings = map[string]any{"replicas": int64(2)}
		w.update(shop)
		w.update(shop)
		w.waitFor("settings", func() bool { return w.data("d8a-shop-config", "replicas") == "2" })
		w.ready(shop)
		assert.Equal(t, "peers before after", w.hooksRan(), "onStartup once after a load")
		assert.Equal(t, 2, w.revision(shop).Number)
	})

	step("E2 an event changes values, and only then is there another run", func(*testing.T) {
		w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: other, labels: {peer: "yes"}}}`)
		w.waitFor("values of a hook", func() bool { return w.data("d8a-shop-config", "peers") == "1" })
		w.ready(shop)
	})

	step("E5 a lost object is brought back", func(*testing.T) {
		w.lose("v1", "ConfigMap", "d8a-shop-config")
		w.waitFor("restoration", func() bool { return w.data("d8a-shop-config", "replicas") == "2" })
		w.ready(shop)
		w.hooksRan()
	})

	step("E3 another version is an upgrade of the same release, and keeps objects", func(t *testing.T) {
		w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-state, labels: {packages.deckhouse.io/instance: shop}}}`)
		uid := w.get("apps/v1", "Deployment", "d8a-shop-server").GetUID()
		before := w.revision(shop).Number
		shop.Version = "v1.1.0"
		w.update(shop)
		w.ready(shop)
		assert.Equal(t, "peers start new after", w.hooksRan())
		assert.Equal(t, "v1.1.0", w.data("d8a-shop-config", "version"))
		assert.Equal(t, uid, w.get("apps/v1", "Deployment", "d8a-shop-server").GetUID())
		assert.Equal(t, before+1, w.revision(shop).Number)
		assert.NotNil(t, w.get("v1", "ConfigMap", "d8a-shop-state"), "O8: orphans stay with another version")
	})

	step("E6 Suspension, and back", func(*testing.T) { w.suspendAndBack(shop) })
	step("E4 a restart", func(*testing.T) { w.restart(shop) })
	step("E7 Deletion", func(*testing.T) { w.delete(shop) })
}

// TestP4ValuesOfAfterHelm: what afterHelm hooks change of the values is applied in the
// same run.
func TestP4ValuesOfAfterHelm(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", map[string]string{
		"hooks/peers.sh": "",
		"hooks/after.sh": w.shell("after", "afterHelm: 1", `echo '{"op":"add","path":"/internal/peers","value":5}' > $VALUES_JSON_PATCH_PATH`),
	})
	shop := w.desired("shop", "v1.0.0")
	w.start(shop)
	w.waitFor("the second apply", func() bool { return w.data("d8a-shop-config", "peers") == "5" })
	w.ready(shop)
	assert.Equal(t, "start before after", w.hooksRan(), "one run, and no hook twice")
	assert.Equal(t, 2, w.revision(shop).Number)
	w.gone(shop)
}

// TestO7OrphansGoLast: what hooks make until the end of a removal is deleted too, by
// when no hook is called any more that would make it again.
func TestO7OrphansGoLast(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", map[string]string{
		"hooks/peers.sh": "",
		"hooks/again.sh": w.shell("again", `kubernetes: [{name: state, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [d8a-shop-state]}, executeHookOnEvent: [Deleted], executeHookOnSynchronization: false}]`,
			`echo '{operation: CreateOrUpdate, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-state, labels: {packages.deckhouse.io/instance: shop}}}}' > $KUBERNETES_PATCH_PATH`),
		"hooks/gone.sh": w.shell("afterDelete", "afterDeleteHelm: 1",
			`echo '{operation: CreateOrUpdate, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-last, labels: {packages.deckhouse.io/instance: shop}}}}' > $KUBERNETES_PATCH_PATH`),
	})
	shop := w.desired("shop", "v1.0.0")
	w.start(shop)
	w.ready(shop)
	const state = `{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-state, labels: {packages.deckhouse.io/instance: shop}}}`
	w.create(state)
	w.waitFor("the hook makes it again", func() bool {
		if w.get("v1", "ConfigMap", "d8a-shop-state") != nil {
			w.lose("v1", "ConfigMap", "d8a-shop-state")
		}
		return strings.Contains(w.hooksRan(), "again")
	})
	w.waitFor("it is there", func() bool { return w.get("v1", "ConfigMap", "d8a-shop-state") != nil })
	w.gone(shop)
	assert.Contains(t, w.hooksRan(), "afterDelete")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-last"), "made by the last hook")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-state"), "and nobody made it again")
}

// lose deletes an object as somebody else, and lets the monitor notice.
func (w *world) lose(apiVersion, kind, name string) {
	w.t.Helper()
	u := w.get(apiVersion, kind, name)
	require.NotNil(w.t, u)
	require.NoError(w.t, w.client.Delete(w.t.Context(), w.mapping(apiVersion, kind), w.ns, name, cluster.DeleteOptions{UID: u.GetUID()}))
	monitor, ok := w.Drift.(*drift.Monitor)
	require.True(w.t, ok)
	monitor.Check(w.t.Context())
}

// suspendAndBack is E6: a module goes, and comes again.
func (w *world) suspendAndBack(shop Desired) {
	t := w.t
	w.modules()
	w.waitFor("suspension", func() bool {
		return w.get("apps/v1", "Deployment", "d8a-shop-server") == nil && w.revision(shop) == nil && w.Queues(shop.InstanceName()).Queues[shop.InstanceName()].Length == 0
	})
	assert.Equal(t, "beforeDelete afterDelete", w.hooksRan())
	c := w.condition(shop, status.RequirementsMet)
	assert.Equal(t, "DependencyNotEnabled", c.Reason)
	assert.Contains(t, c.Message, "dependency 'ingress' not enabled")
	assert.NotNil(t, w.get("v1", "ConfigMap", "d8a-shop-state"), "O8: orphans stay")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))

	// Complaint 18: a fresh load, with the same settings.
	w.modules("ingress")
	w.ready(shop)
	assert.Equal(t, "peers start new after", w.hooksRan())
	assert.Equal(t, "2", w.data("d8a-shop-config", "replicas"))
}

// restart is E4: the package is loaded again, onStartup included, and nothing is
// upgraded.
func (w *world) restart(shop Desired) {
	t := w.t
	number := w.revision(shop).Number
	w.stop()
	w.start(shop)
	known := w.ready(shop)
	assert.Equal(t, "peers start new after", w.hooksRan())
	assert.Equal(t, number, w.revision(shop).Number, "P6: nothing has changed")
	assert.Equal(t, "v1.1.0", known.Applied.Version)
}

// delete is E7.
func (w *world) delete(shop Desired) {
	t := w.t
	for range 3 { // complaint 1: more events change nothing
		_, err := w.Remove(shop)
		require.NoError(t, err)
	}
	w.update(shop)
	w.gone(shop)
	assert.Equal(t, "beforeDelete afterDelete", w.hooksRan())
	assert.Nil(t, w.get("apps/v1", "Deployment", "d8a-shop-server"))
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-state"), "orphans go")
	assert.NotNil(t, w.get("v1", "ConfigMap", "other"), "what is not ours stays")
	assert.Nil(t, w.revision(shop))
	assert.Empty(t, w.Queues("").Queues)
	assert.NotContains(t, w.Scheduler().Nodes, shop.InstanceName())
	assert.Empty(t, w.Names())
	names, err := w.disk.names()
	require.NoError(t, err)
	assert.Empty(t, names)
	w.mu.Lock()
	defer w.mu.Unlock()
	assert.Equal(t, 1, w.changed[shop.InstanceName()], "the controller is told once that it is done")
	assert.Contains(t, w.logged.String(), "orphan deleted")
}
