package release

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/release/common"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

func job(name, annotations, pod string) string {
	return `---
apiVersion: batch/v1
kind: Job
metadata: {name: ` + name + `, labels: {packages.deckhouse.io/instance: shop}, annotations: {` + annotations + `}}
spec:
  backoffLimit: 0
  template: {metadata: {annotations: {` + pod + `}}, spec: {restartPolicy: Never, containers: [{name: c, image: job}]}}
`
}

func configMap(name, annotations string) string {
	return "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", annotations: {" + annotations + "}}, data: {a: b}}\n"
}

// fail makes an upgrade that has to fail.
func (w *world) fail(text string) (Outcome, error) {
	w.t.Helper()
	out, err := w.service.Upgrade(w.t.Context(), w.request(text))
	require.Error(w.t, err)
	return out, err
}

// TestComplaint7TimeoutNamesWhatItWaitsFor, and complaint 77: a timeout says which
// object, and how far it has come.
func TestComplaint7TimeoutNamesWhatItWaitsFor(t *testing.T) {
	w := newWorld(t)
	w.service.Limit = 4 * time.Second
	text := job("d8a-shop-migrate", "", `standin.tazuna.dev/waiting: ImagePullBackOff`) +
		configMap("d8a-shop-later", `werf.io/weight: "5"`)
	out, err := w.fail(text)
	var timeout *TimeoutError
	require.ErrorAs(t, err, &timeout)
	first, rest, _ := strings.Cut(err.Error(), "\n")
	assert.Equal(t, "install release '"+w.ns+".shop': apply timed out after 4s, waiting for Job/d8a-shop-migrate, ConfigMap/d8a-shop-later", first)
	assert.Contains(t, rest, "Job/d8a-shop-migrate: not ready after ", "its last state")
	assert.True(t, out.Upgraded)
	assert.False(t, out.Deployed)
	last := latest(w.history())
	assert.Equal(t, common.StatusFailed, last.Status)
	assert.Contains(t, last.Description, "timed out after 4s, waiting for Job/d8a-shop-migrate")

	// Complaint 16: a failed revision doesn't block; complaint 75: what is as wanted is
	// still waited for after it.
	out, err = w.fail(text)
	require.ErrorAs(t, err, &timeout)
	assert.Equal(t, "1 failed, 2 failed", standing(w.history()))
	for _, op := range out.Tracking.Report.Operations {
		if op.Kind == "Job" {
			assert.Equal(t, "track-readiness", op.Type, "nothing is done to it")
			assert.Equal(t, api.OperationFailed, op.Status, "what was waited for in vain has failed")
		}
	}
	w.service.Limit = time.Minute
	w.upgrade(job("d8a-shop-migrate", "", "") + configMap("d8a-shop-later", ""))
	assert.Equal(t, "1 failed, 2 failed, 3 deployed", standing(w.history()))
	w.uninstall()
	assert.Nil(t, w.get("batch/v1", "Job", "d8a-shop-migrate"))
}

// TestComplaint63FieldsThatLeftTheTemplates are gone, whoever wrote them at first of those
// that only ever did it for the templates: kubectl apply without --server-side, for one.
func TestComplaint63FieldsThatLeftTheTemplates(t *testing.T) {
	w := newWorld(t)
	for _, o := range load(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: {x: "1"}}, data: {a: "1", gone: "1"}}`) {
		u := o.Unstructured()
		u.SetNamespace(w.ns)
		_, err := w.client.Create(t.Context(), w.mapping("v1", "ConfigMap"), u.Object, cluster.WriteOptions{Manager: "kubectl-client-side-apply"})
		require.NoError(t, err)
	}
	w.upgrade(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: {x: "1"}}, data: {a: "1", gone: "1"}}`)
	w.upgrade(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config}, data: {a: "1"}}`)
	live := w.get("v1", "ConfigMap", "d8a-shop-config")
	data, _, _ := unstructured.NestedStringMap(live.Object, "data")
	assert.Equal(t, map[string]string{"a": "1"}, data)
	assert.NotContains(t, live.GetLabels(), "x")
}

// TestComplaint64InterruptedReleaseIsFailed: also when the context has ended, and
// complaint 8: with the cause of the end.
func TestComplaint64InterruptedReleaseIsFailed(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	superseded := errors.New("update superseded")
	r := w.request(job("d8a-shop-migrate", "", `standin.tazuna.dev/waiting: ImagePullBackOff`))
	r.Progress = func(report api.Tracking) {
		for _, op := range report.Report.Operations {
			if op.Category == api.CategoryTrack && op.Status == api.OperationProgressing {
				cancel(superseded)
			}
		}
	}
	_, err := w.service.Upgrade(ctx, r)
	require.ErrorIs(t, err, superseded)
	assert.Contains(t, err.Error(), "install release '"+w.ns+".shop': update superseded")
	assert.Equal(t, "1 failed", standing(w.history()))
}

// TestComplaint16PendingAndUninstalling: what a crash left behind is taken up.
func TestComplaint16PendingAndUninstalling(t *testing.T) {
	w := newWorld(t)
	w.upgrade(config + configMap("d8a-shop-old", ""))
	store := w.service.store()
	crashed := *latest(w.history())
	crashed.Number, crashed.Status = 2, common.StatusPendingUpgrade
	crashed.Objects = append(crashed.Objects, load(t, configMap("d8a-shop-new", ""))...)
	require.NoError(t, store.create(t.Context(), &crashed))
	w.make(configMap("d8a-shop-new", "meta.helm.sh/release-name: "+w.ns+".shop, meta.helm.sh/release-namespace: "+w.ns), fieldManager)

	out := w.upgrade(config)
	assert.Equal(t, "its last revision, 2, is pending-upgrade", out.Why)
	assert.Equal(t, "1 superseded, 2 failed, 3 deployed", standing(w.history()))
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-old"))
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-new"), "what the crashed run may have made is known")

	require.NoError(t, store.mark(t.Context(), latest(w.history()), common.StatusUninstalling, ""))
	out = w.upgrade(configMap("d8a-shop-other", ""))
	assert.Equal(t, "1 deployed", standing(w.history()), "the uninstallation was ended first")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
	assert.Equal(t, 1, out.Revision)
}

// TestComplaint70HistoryCountsAll: ten are kept, failed ones counted; the deployed one
// stays.
func TestComplaint70HistoryCountsAll(t *testing.T) {
	w := newWorld(t)
	w.upgrade(config)
	store := w.service.store()
	for n := 2; n <= 11; n++ {
		r := *latest(w.history())
		r.Number, r.Status = n, common.StatusFailed
		require.NoError(t, store.create(t.Context(), &r))
	}
	u := &upgrade{Service: w.service, id: identity{w.ns, "shop", w.ns + ".shop"}, history: w.history()}
	require.NoError(t, u.forget(t.Context()))
	history := w.history()
	require.Len(t, history, DefaultHistory)
	assert.Equal(t, "1 deployed", standing(history[:1]))
	assert.Equal(t, 11, latest(history).Number)
	w.upgrade(config)
	history = w.history()
	require.Len(t, history, DefaultHistory)
	assert.True(t, latest(history).Deployed())
}

// TestPolicies: what stays, what goes, and what is left out.
func TestPolicies(t *testing.T) {
	w := newWorld(t)
	kept := configMap("d8a-shop-helm", "helm.sh/resource-policy: keep") +
		configMap("d8a-shop-werf", "werf.io/resource-policy: 'skip-delete'") +
		configMap("d8a-shop-anyone", "werf.io/ownership: anyone") +
		configMap("d8a-shop-once", "werf.io/deploy-on: install, werf.io/ownership: anyone")
	claim := "---\n{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d8a-shop-data}, spec: {accessModes: [ReadWriteOnce], storageClassName: standin, resources: {requests: {storage: 1Gi}}}}\n"
	rest := config + claim + configMap("d8a-shop-frozen", "werf.io/resource-policy: skip-update") + configMap("d8a-shop-never", "werf.io/resource-policy: skip-create")
	w.upgrade(kept + rest)
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-never"))
	annotations := w.get("v1", "ConfigMap", "d8a-shop-config").GetAnnotations()
	assert.Equal(t, w.ns+".shop", annotations[releaseNameAnnotation])
	assert.Empty(t, w.get("v1", "ConfigMap", "d8a-shop-anyone").GetAnnotations()[releaseNameAnnotation])

	out := w.upgrade(strings.ReplaceAll(rest, "a: b", "a: c"))
	assert.True(t, out.Upgraded)
	data, _, _ := unstructured.NestedString(w.get("v1", "ConfigMap", "d8a-shop-frozen").Object, "data", "a")
	assert.Equal(t, "b", data)
	assert.False(t, w.upgrade(strings.ReplaceAll(rest, "a: b", "a: c")).Upgraded, "what is not created is not missing")

	w.make(configMap("d8a-shop-frozen", "meta.helm.sh/release-name: other, meta.helm.sh/release-namespace: "+w.ns), "other")
	w.uninstall()
	for _, name := range []string{"helm", "werf", "anyone", "once"} {
		assert.NotNil(t, w.get("v1", "ConfigMap", "d8a-shop-"+name), name)
	}
	assert.NotNil(t, w.get("v1", "ConfigMap", "d8a-shop-frozen"), "somebody else took it over")
	assert.Nil(t, w.get("v1", "PersistentVolumeClaim", "d8a-shop-data"), "claims go with the release")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
}

// TestStagesAndHooks: hooks in stages of their own, weights, policies of deletion; and
// complaints 57, 71, 72.
func TestStagesAndHooks(t *testing.T) {
	w := newWorld(t)
	hook := func(name, events, more string) string {
		return job(name, "helm.sh/hook: '"+events+"'"+more, "")
	}
	text := config + deployment("d8a-shop-web", "werf.io/weight: '2'") + configMap("d8a-shop-first", "werf.io/weight: '-1'") +
		hook("d8a-shop-before", "pre-install,post-upgrade", ", helm.sh/hook-delete-policy: 'before-hook-creation'") +
		hook("d8a-shop-once", "pre-install", ", helm.sh/hook-delete-policy: 'hook-succeeded'") +
		hook("d8a-shop-goodbye", "pre-delete", "")
	w.upgrade(text)
	before := w.get("batch/v1", "Job", "d8a-shop-before")
	require.NotNil(t, before)
	assert.Nil(t, w.get("batch/v1", "Job", "d8a-shop-once"), "it has succeeded")
	assert.Nil(t, w.get("batch/v1", "Job", "d8a-shop-goodbye"))
	last := w.reports[len(w.reports)-1]
	assert.Zero(t, last.Remaining)
	place := map[string]int{}
	for i, op := range last.Report.Operations {
		assert.Equal(t, api.OperationCompleted, op.Status, op.ID)
		place[op.ID] = i
	}
	for _, op := range last.Report.Operations {
		for _, id := range op.DependsOn {
			assert.Contains(t, place, id, op.ID)
		}
	}
	created := func(apiVersion, kind, name string) time.Time {
		return w.get(apiVersion, kind, name).GetCreationTimestamp().Time
	}
	assert.False(t, created("v1", "ConfigMap", "d8a-shop-first").Before(before.GetCreationTimestamp().Time))
	assert.False(t, created("apps/v1", "Deployment", "d8a-shop-web").Before(created("v1", "ConfigMap", "d8a-shop-config")))

	w.upgrade(strings.Replace(text, `"1"`, `"2"`, 1))
	again := w.get("batch/v1", "Job", "d8a-shop-before")
	require.NotNil(t, again)
	assert.NotEqual(t, before.GetUID(), again.GetUID(), "complaint 72: it runs for its second event as well")

	w.uninstall() // complaint 71: the hook first, and the objects all the same
	assert.NotNil(t, w.get("batch/v1", "Job", "d8a-shop-goodbye"))
	assert.NotNil(t, w.get("batch/v1", "Job", "d8a-shop-before"), "hooks stay")
	assert.Nil(t, w.get("apps/v1", "Deployment", "d8a-shop-web"))
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
}

// TestComplaint57DeletedAfterAllElse: what is deleted when it has succeeded is there
// until everything else is done.
func TestComplaint57DeletedAfterAllElse(t *testing.T) {
	w := newWorld(t)
	seen := false
	r := w.request(job("d8a-shop-task", "werf.io/delete-policy: succeeded", "") +
		deployment("d8a-shop-web", "werf.io/deploy-dependency-task: 'state=ready,kind=Job'"))
	r.Progress = func(report api.Tracking) {
		for _, op := range report.Report.Operations {
			if op.Kind == "Deployment" && op.Status == api.OperationCompleted && !seen {
				seen = true
				assert.NotNil(t, w.get("batch/v1", "Job", "d8a-shop-task"))
			}
		}
	}
	_, err := w.service.Upgrade(t.Context(), r)
	require.NoError(t, err)
	assert.True(t, seen)
	assert.Nil(t, w.get("batch/v1", "Job", "d8a-shop-task"))
	assert.False(t, w.upgrade(job("d8a-shop-task", "werf.io/delete-policy: succeeded", "")+
		deployment("d8a-shop-web", "werf.io/deploy-dependency-task: 'state=ready,kind=Job'")).Upgraded, "it is not missing")
}

// TestComplaint58HookNeedsALaterObject is an error before anything is written.
func TestComplaint58HookNeedsALaterObject(t *testing.T) {
	w := newWorld(t)
	needs := strings.Replace(job("d8a-shop-before", "helm.sh/hook: pre-install", ""), "image: job}", "image: job, envFrom: [{configMapRef: {name: d8a-shop-config}}]}", 1)
	_, err := w.fail(config + needs)
	assert.ErrorContains(t, err, "Job.batch "+w.ns+"/d8a-shop-before is deployed in stage pre and its Pods need ConfigMap "+w.ns+"/d8a-shop-config, which is created only in stage main")
	assert.Empty(t, w.history())
	w.make(config, "somebody")
	w.upgrade(config + needs) // it is there already
}

// TestFailModes, and complaint 59: a failure that may pass is told.
func TestFailModes(t *testing.T) {
	w := newWorld(t)
	broken := func(mode string) string {
		return job("d8a-shop-task", "werf.io/fail-mode: "+mode, `standin.tazuna.dev/fail: "1"`)
	}
	later := configMap("d8a-shop-later", "werf.io/weight: '1'")
	_, err := w.fail(broken("FailWholeDeployProcessImmediately") + later)
	assert.ErrorContains(t, err, "Job.batch "+w.ns+"/d8a-shop-task: ")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-later"))

	w.delete("batch/v1", "Job", "d8a-shop-task")
	_, err = w.fail(broken("HopeUntilEndOfDeployProcess") + later)
	assert.ErrorContains(t, err, "Job.batch "+w.ns+"/d8a-shop-task: ")
	assert.NotNil(t, w.get("v1", "ConfigMap", "d8a-shop-later"))

	w.delete("batch/v1", "Job", "d8a-shop-task")
	out := w.upgrade(broken("IgnoreAndContinueDeployProcess") + later)
	assert.True(t, out.Deployed)
	assert.Contains(t, strings.Join(out.Warnings, "\n"), "Job.batch "+w.ns+"/d8a-shop-task failed, and its annotation werf.io/fail-mode lets that pass")
}

// TestComplaint60FinalizerHoldsUninstall: the wait has an end, and names the object and
// what holds it; the next call goes on.
func TestComplaint60FinalizerHoldsUninstall(t *testing.T) {
	w := newWorld(t)
	w.upgrade(config)
	w.make(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, finalizers: [example.com/hold]}}`, "holder")
	w.service.Limit = 2 * time.Second
	var told []string // before the time is up
	err := w.service.Uninstall(t.Context(), w.ns, "shop", func(waiting []Waiting) { told = append(told, Names(waiting)) })
	require.NotEmpty(t, told)
	assert.Equal(t, "ConfigMap/d8a-shop-config (held by example.com/hold)", told[len(told)-1])
	require.ErrorContains(t, err, "uninstall release '"+w.ns+".shop': not done after 2s, waiting for ConfigMap/d8a-shop-config")
	assert.ErrorContains(t, err, "example.com/hold")
	assert.Equal(t, "1 uninstalling", standing(w.history()))
	w.make(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config}}`, "holder")
	w.service.Limit = time.Minute
	w.uninstall()
	assert.Empty(t, w.history())
}

// TestComplaint61DependencyAcrossStages is a warning, and the order holds.
func TestComplaint61DependencyAcrossStages(t *testing.T) {
	w := newWorld(t)
	out := w.upgrade(configMap("d8a-shop-a", "werf.io/deploy-dependency-x: 'state=ready,kind=Job'") +
		configMap("d8a-shop-b", "werf.io/deploy-dependency-x: 'state=present,name=d8a-shop-c'") + configMap("d8a-shop-c", "werf.io/weight: '3'") +
		job("d8a-shop-after", "helm.sh/hook: post-install", ""))
	text := strings.Join(out.Warnings, "\n")
	assert.Contains(t, text, "ConfigMap "+w.ns+"/d8a-shop-a: deploy-dependency-x has no effect: no other object of the same stage is meant")
	assert.Contains(t, text, "ConfigMap "+w.ns+"/d8a-shop-b: deploy-dependency-x on ConfigMap "+w.ns+"/d8a-shop-c has no effect: that one comes later by its weight")
}

// TestExternalDependency, and complaint 74: several objects on one, and one on several.
func TestExternalDependency(t *testing.T) {
	w := newWorld(t)
	on := "db.external-dependency.werf.io/resource: 'configmaps.v1/db', cache.external-dependency.werf.io/resource: 'ConfigMap/cache'"
	r := w.request(configMap("d8a-shop-a", on) + configMap("d8a-shop-b", on))
	made := map[string]bool{}
	r.Progress = func(report api.Tracking) {
		for _, op := range report.Report.Operations {
			if name := op.Name[strings.LastIndex(op.Name, "/")+1:]; op.Type == opWaitExternal && op.Status == api.OperationProgressing && !made[name] {
				made[name] = true
				assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-a"))
				w.make("{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+"}}", "somebody")
			}
		}
	}
	_, err := w.service.Upgrade(t.Context(), r)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"db": true, "cache": true}, made)
	assert.False(t, w.get("v1", "ConfigMap", "d8a-shop-a").GetCreationTimestamp().Time.Before(w.get("v1", "ConfigMap", "db").GetCreationTimestamp().Time))

	w.service.Limit = 2 * time.Second
	_, err = w.fail(configMap("d8a-shop-a", "no.external-dependency.werf.io/resource: 'secret/none'"))
	assert.ErrorContains(t, err, "waiting for external object secret/none")
	assert.ErrorContains(t, err, "it is not there")
}

// TestComplaint62OnlyOwnManagersAreTakenOver, and complaint 63: a field that left the
// templates leaves the object, whoever of ours wrote it first.
func TestComplaint62OnlyOwnManagersAreTakenOver(t *testing.T) {
	w := newWorld(t)
	w.make(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: {x: "1"}}, data: {a: "1", gone: "1"}}`, "helm")
	w.make(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config}, data: {foreign: "1"}}`, "operator")
	w.upgrade(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: {x: "1"}}, data: {a: "1", gone: "1"}}`)
	w.upgrade(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config}, data: {a: "2"}}`)
	live := w.get("v1", "ConfigMap", "d8a-shop-config")
	data, _, _ := unstructured.NestedStringMap(live.Object, "data")
	assert.Equal(t, map[string]string{"a": "2", "foreign": "1"}, data)
	assert.NotContains(t, live.GetLabels(), "x")
}

// TestComplaint68NullFields are left out.
func TestComplaint68NullFields(t *testing.T) {
	w := newWorld(t)
	text := `{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: null}, data: {a: "1", foo: null}}`
	w.upgrade(text)
	data, _, _ := unstructured.NestedStringMap(w.get("v1", "ConfigMap", "d8a-shop-config").Object, "data")
	assert.Equal(t, map[string]string{"a": "1"}, data)
	assert.False(t, w.upgrade(text).Upgraded)
}

// TestComplaint73OneInvalidLabel is an error of that object, and nothing is dropped.
func TestComplaint73OneInvalidLabel(t *testing.T) {
	w := newWorld(t)
	_, err := w.fail(`{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config, labels: {good: "1", bad: "not a label"}}, data: {}}`)
	assert.ErrorContains(t, err, "ConfigMap "+w.ns+"/d8a-shop-config: ")
	assert.ErrorContains(t, err, "label")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
}

// TestComplaint67NoSecretInProgressAndErrors.
func TestComplaint67NoSecretInProgressAndErrors(t *testing.T) {
	w := newWorld(t)
	secret := `{apiVersion: v1, kind: Secret, metadata: {name: d8a-shop-key, labels: {bad: "hunter22 is no label"}}, stringData: {password: hunter22}}`
	_, err := w.fail(secret)
	assert.NotContains(t, err.Error(), "hunter22")
	assert.NotContains(t, fmt.Sprint(w.reports), "hunter22")
	assert.NotContains(t, latest(w.history()).Description, "hunter22")
}

// TestComplaint76CrashesInTheBeginning don't fail an apply; with
// failures-allowed-per-replica there is a bound.
func TestComplaint76CrashesInTheBeginning(t *testing.T) {
	w := newWorld(t)
	crashing := func(annotations, times string) string {
		return strings.Replace(deployment("d8a-shop-web", annotations), "metadata: {labels: {app: d8a-shop-web}}",
			`metadata: {labels: {app: d8a-shop-web}, annotations: {standin.tazuna.dev/restarts: "`+times+`", standin.tazuna.dev/ready-after: 4s}}`, 1)
	}
	w.upgrade(crashing("", "3"))
	_, err := w.fail(crashing("werf.io/failures-allowed-per-replica: '1'", "4"))
	assert.ErrorContains(t, err, "Deployment.apps "+w.ns+"/d8a-shop-web: its containers have failed ")
	assert.ErrorContains(t, err, "and 1 are allowed")
}

// TestNoActivityTimeout: an object on which nothing changes fails early.
func TestNoActivityTimeout(t *testing.T) {
	w := newWorld(t)
	_, err := w.fail(job("d8a-shop-task", "werf.io/no-activity-timeout: 4s", `standin.tazuna.dev/waiting: ImagePullBackOff`))
	assert.ErrorContains(t, err, "Job.batch "+w.ns+"/d8a-shop-task: nothing has changed on it for 4s")
}

// TestReplicasOnCreation: set once, then left to whoever changes them.
func TestReplicasOnCreation(t *testing.T) {
	w := newWorld(t)
	text := deployment("d8a-shop-web", "werf.io/replicas-on-creation: '2'")
	replicas := func() int64 {
		n, _, _ := unstructured.NestedInt64(w.get("apps/v1", "Deployment", "d8a-shop-web").Object, "spec", "replicas")
		return n
	}
	w.upgrade(text)
	assert.EqualValues(t, 2, replicas())
	w.make(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: d8a-shop-web}, spec: {replicas: 3}}`, "autoscaler")
	w.upgrade(strings.Replace(text, "image: web", "image: web2", 1))
	assert.EqualValues(t, 3, replicas())
}

// TestMaintenance: one apply for it, then none; the mark is in the release (complaint
// 15).
func TestMaintenance(t *testing.T) {
	w := newWorld(t)
	w.upgrade(config)
	r := w.request(strings.Replace(config, "packages.deckhouse.io/instance: shop", `packages.deckhouse.io/instance: shop, maintenance.deckhouse.io/no-resource-reconciliation: ""`, 1))
	r.Maintenance = true
	out, err := w.service.Upgrade(t.Context(), r)
	require.NoError(t, err)
	assert.True(t, out.Upgraded)
	assert.Contains(t, w.get("v1", "ConfigMap", "d8a-shop-config").GetLabels(), api.LabelMaintenance)
	w.delete("v1", "ConfigMap", "d8a-shop-config")
	r.Objects[0].Body["data"] = map[string]any{"a": "other settings"}
	restarted := &Service{Cluster: w.client}
	out, err = restarted.Upgrade(t.Context(), r)
	require.NoError(t, err)
	assert.False(t, out.Upgraded)
	assert.Equal(t, "it is in maintenance: nothing is applied", out.Why)
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
	assert.True(t, w.upgrade(config).Upgraded)
	assert.NotContains(t, w.get("v1", "ConfigMap", "d8a-shop-config").GetLabels(), api.LabelMaintenance)
}

// TestImmutable: a Job is made anew by default, anything else only if it asks for it.
func TestImmutable(t *testing.T) {
	w := newWorld(t)
	w.upgrade(job("d8a-shop-task", "", ""))
	before := w.get("batch/v1", "Job", "d8a-shop-task").GetUID()
	w.upgrade(strings.Replace(job("d8a-shop-task", "", ""), "image: job", "image: job2", 1))
	assert.NotEqual(t, before, w.get("batch/v1", "Job", "d8a-shop-task").GetUID())

	fixed := func(annotations, value string) string {
		return "---\n{apiVersion: v1, kind: ConfigMap, immutable: true, metadata: {name: d8a-shop-fixed, annotations: {" + annotations + "}}, data: {a: '" + value + "'}}\n"
	}
	w.upgrade(fixed("", "1"))
	_, err := w.fail(fixed("", "2"))
	assert.ErrorContains(t, err, "ConfigMap "+w.ns+"/d8a-shop-fixed: ")
	assert.True(t, latest(w.history()).Deployed(), "nothing was begun")
	w.upgrade(fixed("werf.io/delete-policy: before-creation-if-immutable", "2"))
	_, err = w.fail(fixed("werf.io/delete-policy: 'before-creation-if-immutable', werf.io/resource-policy: skip-delete, werf.io/weight: x", "3"))
	assert.ErrorContains(t, err, `annotation werf.io/weight: wanted a whole number; found "x"`)
}

// TestForeignReleasesAreUntouched, by clean-up at the start (complaint 2).
func TestComplaint2ForeignReleaseIsNotInstalledByUs(t *testing.T) {
	w := newWorld(t)
	body, err := encode(&Revision{Namespace: w.ns, Name: w.ns + ".other", Number: 1, Status: common.StatusDeployed, Package: "x", Version: "1"}, 0)
	require.NoError(t, err)
	delete(body["metadata"].(map[string]any)["labels"].(map[string]any), api.AnnotationManagedBy)
	_, err = w.client.Create(t.Context(), secrets(), body, clusterWrite())
	require.NoError(t, err)
	found, err := w.service.Installed(t.Context())
	require.NoError(t, err)
	for _, f := range found {
		assert.NotEqual(t, w.ns+".other", f.Name)
	}
}

// TestReleaseOfHelm is taken over: its objects stay the same ones, those that are no
// longer wanted go, and Helm goes on with what we made of it.
func TestReleaseOfHelm(t *testing.T) {
	w := newWorld(t)
	name, dir := w.ns+".shop", t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "templates"), 0o755))
	write := func(file, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	write("Chart.yaml", "{apiVersion: v2, name: store, version: 0.1.0}\n")
	write("templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d8a-shop-config, labels: {x: a}}\ndata: {n: \"1\", gone: \"1\"}\n")
	write("templates/b.yaml", configMap("d8a-shop-old", ""))
	w.helm("install", name, dir)
	before := w.get("v1", "ConfigMap", "d8a-shop-config")
	require.NotNil(t, before)

	out := w.upgrade("---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-config}, data: {a: '2'}}\n")
	assert.Equal(t, 2, out.Revision)
	after := w.get("v1", "ConfigMap", "d8a-shop-config")
	assert.Equal(t, before.GetUID(), after.GetUID())
	data, _, _ := unstructured.NestedStringMap(after.Object, "data")
	assert.Equal(t, map[string]string{"a": "2"}, data)
	assert.NotContains(t, after.GetLabels(), "x")
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-old"))

	assert.Contains(t, w.helm("history", name), "superseded")
	w.helm("rollback", name, "1", "--force-conflicts")
	assert.NotNil(t, w.get("v1", "ConfigMap", "d8a-shop-old"), "its own revision is still whole")
	w.helm("uninstall", name)
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
	assert.True(t, w.upgrade(config).Deployed, "and back again")
}

// TestUnchangedHoldsUpNothing: that something was not ready before, and is not changed,
// keeps nothing from being deleted.
func TestUnchangedHoldsUpNothing(t *testing.T) {
	w := newWorld(t)
	w.upgrade(config + deployment("d8a-shop-web", ""))
	w.make(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: d8a-shop-web}, spec: {template: {metadata: {annotations: {standin.tazuna.dev/waiting: ImagePullBackOff}}}}}`, "somebody")
	out := w.upgrade(deployment("d8a-shop-web", ""))
	assert.True(t, out.Deployed)
	assert.Nil(t, w.get("v1", "ConfigMap", "d8a-shop-config"))
}
