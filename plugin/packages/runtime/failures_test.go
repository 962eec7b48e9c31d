//go:build unix

package runtime

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// waitFalse waits until a condition of an application is False for a reason, and gives
// its message.
func (w *world) waitFalse(d Desired, of status.Type, reason string) string {
	w.t.Helper()
	w.waitFor(string(of)+" "+reason, func() bool { return w.condition(d, of).Reason == reason })
	return w.condition(d, of).Message
}

// TestComplaint15Maintenance: one apply puts the label on, then nothing is applied, not
// after a restart either, while hooks keep running; afterwards all is as it should be.
func TestComplaint15Maintenance(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	labelled := func() bool {
		_, there := w.get("v1", "ConfigMap", "d8a-shop-config").GetLabels()["maintenance.deckhouse.io/no-resource-reconciliation"]
		return there
	}
	shop.Maintenance = true
	w.update(shop)
	w.waitFor("the label", labelled)
	w.ready(shop)
	number := w.revision(shop).Number
	assert.Equal(t, 2, number)

	w.hooksRan()
	shop.Settings = map[string]any{"replicas": int64(2)}
	w.update(shop)
	w.waitFor("hooks", func() bool { return strings.Contains(w.hooksRan(), "after") })
	w.lose("v1", "ConfigMap", "d8a-shop-config")
	w.stop()
	w.start(shop)
	w.waitFor("the run after the restart", func() bool { return strings.Contains(w.hooksRan(), "after") })
	w.waitFor("its end", func() bool { return w.Queues(shop.InstanceName()).Queues[shop.InstanceName()].Length == 0 })
	assert.Equal(t, number, w.revision(shop).Number)
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"), "nothing is restored")
	assert.True(t, w.condition(shop, status.MaintenanceMode).Abnormal())

	shop.Maintenance = false
	w.update(shop)
	w.waitFor("what was left alone", func() bool { return w.data("d8a-shop-config", "replicas") == "2" })
	assert.False(t, labelled())
	w.ready(shop)
}

// TestComplaint2ReleasesWithoutAnApplication are uninstalled at the start; what is not
// ours stays.
func TestComplaint2ReleasesWithoutAnApplication(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.start()
	shop, stays := w.desired("shop", "v1.0.0"), w.desired("stays", "v1.0.0")
	w.update(shop)
	w.update(stays)
	w.ready(shop)
	w.ready(stays)
	w.stop()
	w.create(`{apiVersion: v1, kind: Secret, metadata: {name: sh.helm.release.v1.foreign.v1, labels: {owner: helm, name: foreign, status: deployed, version: "1"}}, type: helm.sh/release.v1}`)
	w.start(stays)
	w.waitFor("the clean-up", func() bool {
		return w.revision(shop) == nil && w.get("apps/v1", "Deployment", "d8a-shop-server") == nil && len(w.Names()) == 1
	})
	w.ready(stays)
	assert.NotNil(t, w.get("v1", "Secret", "sh.helm.release.v1.foreign.v1"))
}

// TestO9PackageThatCannotBeDownloaded: the release is uninstalled, orphans stay.
func TestO9PackageThatCannotBeDownloaded(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	w.stop()
	w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: orphan, labels: {packages.deckhouse.io/instance: shop}}}`)
	w.fails = errors.New("the registry is away")
	w.start(shop)
	assert.Contains(t, w.waitFalse(shop, status.ReadyOnFilesystem, status.ReasonDownloadFailed), "the registry is away")
	w.gone(shop)
	assert.Nil(t, w.get("apps/v1", "Deployment", "d8a-shop-server"))
	assert.NotNil(t, w.get("v1", "ConfigMap", "orphan"))
}

// TestMetricsOfHooks: that nobody serves them is told, once.
func TestMetricsOfHooks(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", map[string]string{"hooks/before.sh": w.shell("before", "beforeHelm: 1", `echo '{"name":"seen","action":"set","value":1}' > $METRICS_PATH`)})
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	shop.Settings = map[string]any{"replicas": int64(2)}
	w.update(shop)
	w.waitFor("settings", func() bool { return w.data("d8a-shop-config", "replicas") == "2" })
	assert.Equal(t, 1, strings.Count(w.log(), "metrics of hooks of applications"))
}

// TestTemplatesThatLoop hold up nobody but their own application, which can have other
// ones, or be removed; and they don't keep the controller from ending.
func TestTemplatesThatLoop(t *testing.T) {
	w := newWorld(t)
	w.rendering = 300 * time.Millisecond
	w.pack("v1.0.0", map[string]string{"templates/loop.yaml": "{{ range until 5000 }}{{ range until 2000 }}{{ end }}{{ end }}"})
	w.pack("v1.1.0", map[string]string{"templates/loop.yaml": "{{ range until 40000 }}{{ range until 2000 }}{{ end }}{{ end }}"})
	w.pack("v1.2.0", nil)
	w.start()
	looping, well := w.desired("looping", "v1.0.0"), w.desired("well", "v1.2.0")
	w.update(looping)
	assert.Equal(t, "the templates have not been rendered within 300ms: do they loop?", w.waitFalse(looping, status.ManifestsApplied, status.ReasonRenderFailed))
	w.update(well)
	w.ready(well)
	looping.Version = "v1.2.0"
	w.update(looping)
	w.ready(looping)
	looping.Version = "v1.1.0" // these come to no end for long
	w.update(looping)
	w.waitFor("it is told", func() bool {
		return strings.Contains(w.condition(looping, status.ManifestsApplied).Message, "still being rendered: do they loop?")
	})
	w.gone(looping)
	w.stop()
	assert.Equal(t, 2*time.Minute, DefaultRendering)
}

// TestDownloadThatNeverEnds is ended, told and tried again; the application can be removed
// meanwhile.
func TestDownloadThatNeverEnds(t *testing.T) {
	w := newWorld(t)
	w.hang = 200 * time.Millisecond
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	assert.Equal(t, "the bundle was not there within 200ms", w.waitFalse(shop, status.ReadyOnFilesystem, status.ReasonDownloadFailed))
	assert.Equal(t, "Download", w.Queues(shop.InstanceName()).Queues[shop.InstanceName()].Tasks[0].Name)
	w.gone(shop)
	assert.Equal(t, 30*time.Minute, DefaultDownload)
}

// TestDeletionAfterRestart: an application that this process never ran is loaded for its
// removal, so that hooks and orphans count.
func TestDeletionAfterRestart(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	w.stop()
	w.hooksRan()
	w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: orphan, labels: {packages.deckhouse.io/instance: shop}}}`)
	w.begin(shop)
	w.gone(shop)
	assert.Equal(t, "beforeDelete afterDelete", w.hooksRan())
	assert.Nil(t, w.get("v1", "ConfigMap", "orphan"))
	assert.Nil(t, w.get("apps/v1", "Deployment", "d8a-shop-server"))
}

// TestComplaint14StuckApplication delays no other, and goes at once when it is removed.
func TestComplaint14StuckApplication(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", map[string]string{"hooks/before.sh": w.shell("before", "beforeHelm: 1", "sleep 600")})
	w.pack("v1.1.0", nil)
	w.start()
	stuck, shop := w.desired("stuck", "v1.0.0"), w.desired("shop", "v1.1.0")
	w.update(stuck)
	w.waitFor("it is stuck", func() bool {
		q := w.Queues(stuck.InstanceName()).Queues[stuck.InstanceName()]
		return q.Length == 1 && q.Tasks[0].Name == "Run"
	})
	w.update(shop)
	w.ready(shop)
	assert.Equal(t, 1, w.Queues(stuck.InstanceName()).Queues[stuck.InstanceName()].Length)
	w.gone(stuck)
	assert.NotNil(t, w.get("apps/v1", "Deployment", "d8a-shop-server"))
}

// TestComplaint7TimeoutNamesWhatItWaitsFor.
func TestComplaint7TimeoutNamesWhatItWaitsFor(t *testing.T) {
	w := newWorld(t)
	w.limit = 3 * time.Second
	w.pack("v1.0.0", map[string]string{"templates/never.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: d8a-{{ .Application.Instance.Name }}-never}\nspec:\n  template: {metadata: {annotations: {standin.tazuna.dev/run-for: 300s}}, spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/main}]}}\n"})
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	message := w.waitFalse(shop, status.ManifestsApplied, status.ReasonApplyManifestsFailed)
	assert.Regexp(t, "^install release '"+shop.InstanceName()+"': apply timed out after 3s, waiting for .*Job/d8a-shop-never", message)
}

// TestDeletionGoesOnAfterAFailingHook: what failed is told with step and next try, and
// what was done before is not done again.
func TestDeletionGoesOnAfterAFailingHook(t *testing.T) {
	w := newWorld(t)
	fixed := w.journal + ".fixed"
	w.pack("v1.0.0", map[string]string{"hooks/gone.sh": w.shell("afterDelete", "afterDeleteHelm: 1", "[ -e "+fixed+" ] || { echo not yet >&2; exit 1; }")})
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	w.hooksRan()
	w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: orphan, labels: {packages.deckhouse.io/instance: shop}}}`)
	done, err := w.Remove(shop)
	require.NoError(t, err)
	assert.False(t, done)
	message := w.waitFalse(shop, status.HooksProcessed, status.ReasonHookFailed)
	assert.Regexp(t, `(?s)^Disable: hook hooks/gone.sh \(afterDeleteHelm\):.*not yet.*; the next try is at 20`, message)
	task := w.Queues(shop.InstanceName()).Queues[shop.InstanceName()].Tasks[0]
	assert.Equal(t, "Disable", task.Name)
	assert.NotNil(t, w.get("v1", "ConfigMap", "orphan"), "not before all hooks have run")
	require.NoError(t, os.WriteFile(fixed, nil, 0o600))
	w.gone(shop)
	assert.Equal(t, 1, strings.Count(w.hooksRan(), "beforeDelete"), "once")
	assert.Nil(t, w.get("v1", "ConfigMap", "orphan"))
}

// TestDeletionOfTheNamespace: what a hook of the removal can't make any more in a
// namespace that is going doesn't keep the application, and with it the namespace.
func TestDeletionOfTheNamespace(t *testing.T) {
	w := newWorld(t)
	note := func(verb, name string) string {
		return fmt.Sprintf(`echo '{"operation":"%s","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d8a-shop-%s","namespace":"%s"}}}' > $KUBERNETES_PATCH_PATH`, verb, name, w.ns)
	}
	w.pack("v1.0.0", map[string]string{
		"hooks/down.sh": w.shell("beforeDelete", "beforeDeleteHelm: 1", note("CreateOrUpdate", "down")),
		"hooks/gone.sh": w.shell("afterDelete", "afterDeleteHelm: 1", note("Create", "gone")),
	})
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	w.hooksRan()
	w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: holds-it, finalizers: [example.com/test]}}`)
	defer w.create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: holds-it, finalizers: []}}`)
	require.NoError(t, w.client.Delete(t.Context(), w.mapping("v1", "Namespace"), "", w.ns, cluster.DeleteOptions{}))
	w.waitFor("the namespace takes nothing any more", func() bool {
		u := w.get("v1", "ConfigMap", "holds-it")
		return u != nil && u.GetDeletionTimestamp() != nil
	})
	w.gone(shop)
	assert.Equal(t, "beforeDelete afterDelete", w.hooksRan())
	assert.Contains(t, w.log(), "its namespace is being deleted")
	assert.Contains(t, w.log(), "d8a-shop-gone")
}

// TestSecretsOfSettingsAreInNoError: a hook that tells a password is scrubbed in
// conditions, queues and the log.
func TestSecretsOfSettingsAreInNoError(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", map[string]string{"hooks/before.sh": w.shell("before", "beforeHelm: 1", `grep -o '"token":"[^"]*"' $CONFIG_VALUES_PATH; cat $CONFIG_VALUES_PATH >&2; exit 1`)})
	w.start()
	shop := w.desired("shop", "v1.0.0")
	shop.Settings = map[string]any{"token": "hunter2-hunter2"}
	shop.Registry.Password = "swordfish-swordfish"
	w.update(shop)
	message := w.waitFalse(shop, status.HooksProcessed, status.ReasonHookFailed)
	assert.Contains(t, message, "hooks/before.sh")
	for _, text := range []string{message, fmt.Sprint(w.Queues("")), w.log()} {
		assert.NotContains(t, text, "hunter2")
	}
	assert.Equal(t, "<value not shown>", w.Hide(shop.InstanceName()).Values(shop.Settings)["token"])
	i, ok := w.Instance(shop.InstanceName())
	require.True(t, ok)
	assert.Equal(t, []string{"hooks/after.sh", "hooks/before.sh", "hooks/down.sh", "hooks/gone.sh", "hooks/peers.sh", "hooks/start.sh"}, i.Hooks)
	assert.Len(t, w.Snapshots(shop.InstanceName()), 6)
}

// TestInvalidSettingsChangeNothing: they change nothing, and other settings mend it.
func TestInvalidSettingsChangeNothing(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	w.hooksRan()
	shop.Settings = map[string]any{"replica": int64(2)}
	w.update(shop)
	assert.Contains(t, w.waitFalse(shop, status.Configured, status.ReasonSettingsInvalid), "replica")
	assert.Empty(t, w.hooksRan())
	shop.Settings = map[string]any{"token": strings.Repeat("x", 600<<10)}
	w.update(shop)
	w.waitFor("the size is told", func() bool {
		return strings.Contains(w.condition(shop, status.Configured).Message, "settings of "+shop.InstanceName()+": wanted at most 512 KiB")
	})
	shop.Settings = map[string]any{"replicas": int64(2)}
	w.update(shop)
	w.waitFor("settings", func() bool { return w.data("d8a-shop-config", "replicas") == "2" })
	w.ready(shop)
}

// TestComplaint44KindThatComesLater: a hook that watches for a kind that isn't there
// holds up its package, visibly, until the kind comes.
func TestComplaint44KindThatComesLater(t *testing.T) {
	w := newWorld(t)
	group := fmt.Sprintf("late-%x.example.com", rand.Uint32())
	w.pack("v1.0.0", map[string]string{"hooks/late.sh": w.shell("late", "kubernetes: [{name: l, apiVersion: "+group+"/v1, kind: Late}]", "")})
	w.start()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	assert.Contains(t, w.waitFalse(shop, status.HooksProcessed, status.ReasonHookInitializationFailed), "Late")
	assert.Equal(t, "Enable", w.Queues(shop.InstanceName()).Queues[shop.InstanceName()].Tasks[0].Name)
	w.create(fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: lates.%[1]s}, spec: {group: %[1]s, scope: Namespaced, names: {plural: lates, kind: Late}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`, group))
	t.Cleanup(func() {
		_ = w.client.Delete(t.Context(), w.mapping("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "", "lates."+group, cluster.DeleteOptions{})
	})
	w.ready(shop)
	assert.Contains(t, w.hooksRan(), "late")
}

// TestKindsThatComeLater are seen by what is rendered, though the cluster was asked before.
func TestKindsThatComeLater(t *testing.T) {
	w := newWorld(t)
	now := time.Now()
	c := &LiveCluster{Client: w.client, Now: func() time.Time { return now }}
	group := fmt.Sprintf("kinds-%x.example.com", rand.Uint32())
	serves := func() bool {
		got, err := c.Capabilities(t.Context())
		require.NoError(t, err)
		return slices.Contains(got.APIVersions, group+"/v1/Later")
	}
	require.False(t, serves())
	w.create(fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: laters.%[1]s}, spec: {group: %[1]s, scope: Namespaced, names: {plural: laters, kind: Later}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`, group))
	t.Cleanup(func() {
		_ = w.client.Delete(context.WithoutCancel(t.Context()), w.mapping("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "", "laters."+group, cluster.DeleteOptions{})
	})
	w.waitFor("the kind", func() bool { now = now.Add(kindsAge); return serves() })
}

// TestComplaint17NothingIsLeftOfASuspension: watches of hooks end with the run.
func TestComplaint17NothingIsLeftOfASuspension(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.start()
	idle := w.watches()
	shop := w.desired("shop", "v1.0.0")
	w.update(shop)
	w.ready(shop)
	assert.Equal(t, idle+1, w.watches())
	for range 10 { // flapping leaves one release or none, and one set of hooks or none
		w.modules()
		w.modules("ingress")
	}
	w.ready(shop)
	assert.Equal(t, idle+1, w.watches())
	w.modules()
	w.waitFor("suspension", func() bool { return w.revision(shop) == nil && w.watches() == idle })
}

// TestComplaint4EnableNeedsALoadedPackage: a task that comes too early fails, and is
// tried again.
func TestComplaint4EnableNeedsALoadedPackage(t *testing.T) {
	w := newWorld(t)
	w.start()
	a := newApp(w.desired("shop", "v1.0.0"))
	for _, early := range []task{w.configure(a), w.enable(a), w.run(a), w.load(a, true)} {
		require.Error(t, early.do(t.Context()), early.name)
	}
	require.NoError(t, w.purge(a).do(t.Context()))
}

// TestEndsAtAnyMoment: the controller is ended and started again while applications are
// installed, changed, upgraded and removed. Afterwards each is as it should be, and of the
// removed ones nothing is left.
func TestEndsAtAnyMoment(t *testing.T) {
	w := newWorld(t)
	w.pack("v1.0.0", nil)
	w.pack("v1.1.0", nil)
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]Desired, 5)
	for i := range all {
		all[i] = w.desired(fmt.Sprintf("app-%d", i), "v1.0.0")
	}
	for round := range 5 {
		w.start(all...)
		for i := range all {
			all[i].Version = fmt.Sprintf("v1.%d.0", random.IntN(2))
			all[i].Settings = map[string]any{"replicas": int64(1 + round%2)}
			w.update(all[i])
		}
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond) // a moment; whatever it meets is right
		w.stop()
	}
	w.start(all...)
	for _, d := range all {
		w.ready(d)
		assert.Equal(t, d.Version, w.data("d8a-"+d.Name+"-config", "version"))
		assert.Equal(t, fmt.Sprint(d.Settings["replicas"]), w.data("d8a-"+d.Name+"-config", "replicas"))
		assert.True(t, w.revision(d).Deployed())
	}
	for _, d := range all[:3] {
		_, err := w.Remove(d)
		require.NoError(t, err)
	}
	w.stop()
	w.begin(all...)
	for _, d := range all[3:] {
		w.update(d)
	}
	for _, d := range all[:3] {
		w.gone(d)
		assert.Nil(t, w.revision(d))
		assert.Nil(t, w.get("apps/v1", "Deployment", "d8a-"+d.Name+"-server"))
	}
	for _, d := range all[3:] {
		w.ready(d)
	}
}

// watches counts what is watched for hooks and workloads.
func (w *world) watches() int {
	hooks, ok := w.Hooks.(LiveHooks)
	require.True(w.t, ok)
	return hooks.Watches.Watches()
}
