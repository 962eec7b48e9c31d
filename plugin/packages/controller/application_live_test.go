package controller

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	apiversion "k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// state wants the summary of an Application to be in a state.
func state(want api.State) func(*api.Application) string {
	return func(a *api.Application) string {
		if a.Status.Summary == nil {
			return "no summary yet"
		}
		if a.Status.Summary.State != want {
			return string(a.Status.Summary.State) + ": " + a.Status.Summary.Message
		}
		return ""
	}
}

// good reports that a version is installed and well.
func (w *world) good(name, version string) {
	full := w.id + "." + name
	w.store.SetVersion(full, version)
	for _, t := range []status.Type{status.RequirementsMet, status.ReadyOnFilesystem, status.Loaded, status.Configured, status.HooksProcessed, status.Scaled} {
		w.store.Set(full, status.True(t))
	}
	w.store.Commit(full, status.Applied{Version: version, Settings: map[string]any{"replicas": int64(2)}, URLs: []api.URL{{URL: "https://shop"}}})
}

func patch(w *world, o client.Object, text string) {
	w.t.Helper()
	require.NoError(w.t, w.client.Patch(w.t.Context(), o, client.RawPatch(types.MergePatchType, []byte(text))))
}

func TestApplication(t *testing.T) {
	w := newWorld(t)
	web := w.id + "-web"
	w.push(web, "v1.0.0", "")
	w.push(web, "v1.1.0", "")
	w.repository()
	eventually(w, version(w, web, "v1.0.0"), isLoaded)
	eventually(w, version(w, web, "v1.1.0"), isLoaded)
	app := w.application("shop", web, "v1.0.0")
	app.Spec.Settings = &runtime.RawExtension{Raw: []byte(`{"replicas":2,"big":9007199254740993}`)}
	app.Spec.ReleaseChannel = "stable"
	w.create(app)
	full := w.id + ".shop"
	w.waitFor("the runtime hears of it", func() bool { _, ok := w.runtime.last(full); return ok })
	d, _ := w.runtime.last(full)
	assert.Equal(t, Desired{
		Namespace: w.id, Name: "shop", Repository: w.id, Registry: api.RegistrySpec{Repo: w.root().Name(), Scheme: "http"},
		Package: web, Version: "v1.0.0", Settings: map[string]any{"replicas": int64(2), "big": int64(9007199254740993)},
	}, d)
	app = eventually(w, app, state(api.StatePending))
	assert.Equal(t, []string{api.FinalizerApplication}, app.Finalizers)
	assert.Nil(t, app.Status.CurrentVersion)

	w.store.Track(full, api.Tracking{Completed: 1, Report: api.TrackingReport{Operations: []api.Operation{{Kind: "Deployment", Name: "d8a-shop-web", ID: "1"}}}})
	w.good("shop", "v1.0.0")
	app = eventually(w, app, state(api.StateReady))
	assert.Equal(t, &api.CurrentVersion{Version: "v1.0.0", Channel: "stable"}, app.Status.CurrentVersion)
	assert.Equal(t, []api.URL{{URL: "https://shop"}}, app.Status.URLs)
	assert.JSONEq(t, `{"replicas":2}`, string(app.Status.LastAppliedConfiguration.Raw))
	require.NotNil(t, app.Status.Tracking)
	assert.Equal(t, []string{}, app.Status.Tracking.Report.Operations[0].DependsOn)

	patch(w, app, `{"spec":{"packageVersion":"v1.1.0","maintenance":"NoResourceReconciliation"}}`)
	app = eventually(w, app, state(api.StateUpdating))
	assert.Equal(t, "v1.0.0", app.Status.CurrentVersion.Version, "never ahead of the objects")
	w.waitFor("the new version is asked for", func() bool {
		d, _ := w.runtime.last(full)
		return d.Version == "v1.1.0" && d.Maintenance
	})
	w.good("shop", "v1.1.0")
	app = eventually(w, app, state(api.StateReady))
	assert.Empty(t, wantCondition(app.Status.Conditions, "UpdateInstalled=True"))

	w.store.Set(full, status.False(status.RequirementsMet, status.ReasonDependencyNotEnabled, "dependency 'ingress' not enabled"))
	app = eventually(w, app, state(api.StateSuspended))
	assert.Empty(t, app.Status.URLs)
	assert.Equal(t, "v1.1.0", app.Status.CurrentVersion.Version)
	w.store.Set(full, status.True(status.RequirementsMet))
	eventually(w, app, state(api.StateReady))
}

// A2: what isn't there is told, and nothing is done.
func TestA2WhatIsMissingIsTold(t *testing.T) {
	w := newWorld(t)
	web := w.id + "-web"
	app := w.application("shop", web, "v1.0.0")
	w.create(app)
	message := func(text string) func(*api.Application) string {
		return func(a *api.Application) string {
			return wantCondition(a.Status.Conditions, "Installed=False(Pending: "+text)
		}
	}
	app = eventually(w, app, message("PackageRepositoryNotFound: there is no PackageRepository "+w.id))
	assert.Equal(t, api.StatePending, app.Status.Summary.State)
	w.tag(w.root().WithTag(web))
	w.tag(w.root().Below(web).Below("version").WithTag("v1.0.0"))
	w.repository()
	app = eventually(w, app, message("PackageVersionIsDraft: the metadata of ApplicationPackageVersion "+version(w, web, "v1.0.0").Name+" is not loaded: GetImageError"))
	other := w.application("other", web+"-x", "v1.0.0")
	w.create(other)
	eventually(w, other, message("PackageNotFound: there is no ApplicationPackage "+web+"-x"))
	later := w.application("later", web, "v9.0.0")
	w.create(later)
	eventually(w, later, message("PackageVersionNotFound: the repository "+w.id+" has no version v9.0.0"))
	w.runtime.locked(func() { assert.Empty(t, w.runtime.updates) })
	w.push(web, "v9.0.0", "")
	w.create(manual(w, "again", false))
	w.waitFor("it is there now", func() bool { _, ok := w.runtime.last(w.id + ".later"); return ok })
	eventually(w, later, state(api.StatePending))
	// What runs goes on without its repository's word.
	w.good("later", "v9.0.0")
	eventually(w, later, state(api.StateReady))
	require.NoError(t, w.client.Delete(t.Context(), app))
}

// TestComplaint1FinalizerIsHeld until the removal is done, however often it is asked.
func TestComplaint1FinalizerIsHeld(t *testing.T) {
	w := newWorld(t)
	web := w.id + "-web"
	w.push(web, "v1.0.0", "")
	w.repository()
	eventually(w, version(w, web, "v1.0.0"), isLoaded)
	app := w.application("shop", web, "v1.0.0")
	w.create(app)
	full := w.id + ".shop"
	w.waitFor("the runtime hears of it", func() bool { _, ok := w.runtime.last(full); return ok })
	w.good("shop", "v1.0.0")
	eventually(w, app, state(api.StateReady))
	require.NoError(t, w.client.Delete(t.Context(), app))
	app = eventually(w, app, state(api.StateDeleting))
	for i := range 3 {
		patch(w, app, `{"metadata":{"annotations":{"again":"`+string(rune('a'+i))+`"}}}`)
	}
	w.waitFor("it is asked again", func() bool {
		asked := 0
		w.runtime.locked(func() { asked = w.runtime.removals[full] })
		return asked >= 2
	})
	app = eventually(w, app, state(api.StateDeleting))
	assert.Equal(t, []string{api.FinalizerApplication}, app.Finalizers)
	w.runtime.locked(func() { w.runtime.gone[full] = true })
	w.store.Set(full, status.False(status.Loaded, "Removed", ""))
	w.waitFor("it is gone", func() bool {
		return apierrors.IsNotFound(w.client.Get(t.Context(), client.ObjectKeyFromObject(app), app))
	})
	w.waitFor("its status is forgotten", func() bool { _, known := w.store.Get(full); return !known })
}

// An Application whose finalizer was taken off by hand is removed all the same.
func TestForcedRemoval(t *testing.T) {
	w := newWorld(t)
	app := w.application("shop", w.id+"-web", "v1.0.0")
	w.create(app)
	eventually(w, app, state(api.StatePending))
	w.good("shop", "v1.0.0")
	require.NoError(t, w.client.Delete(t.Context(), app))
	patch(w, app, `{"metadata":{"finalizers":null}}`)
	w.waitFor("it is removed", func() bool {
		asked := 0
		w.runtime.locked(func() { asked = w.runtime.removals[w.id+".shop"]; w.runtime.gone[w.id+".shop"] = true })
		return asked > 0
	})
}

func TestMaintenanceMetric(t *testing.T) {
	w := newWorld(t)
	app := w.application("shop", w.id+"-web", "v1.0.0")
	app.Spec.Maintenance = api.NoResourceReconciliation
	w.create(app)
	scrape := func() string {
		families, err := metrics.Registry.Gather()
		require.NoError(t, err)
		var text strings.Builder
		for _, f := range families {
			if f.GetName() == MaintenanceMetric {
				for _, m := range f.GetMetric() {
					text.WriteString(m.String() + "\n")
				}
			}
		}
		return text.String()
	}
	there := func() bool { return strings.Contains(scrape(), w.id) }
	w.waitFor("the metric is there", there)
	assert.Contains(t, scrape(), string(api.NoResourceReconciliation))
	w.stop()
	w.stop = w.start(w.runtime)
	w.waitFor("it is there after a restart (complaint 15)", there)
	patch(w, app, `{"spec":{"maintenance":null}}`)
	w.waitFor("it vanishes", func() bool { return !there() })
}

func TestFacts(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.PlatformVersion = "v1.70.0" })
	last := func() (f Facts) {
		w.runtime.locked(func() { f = w.runtime.facts[len(w.runtime.facts)-1] })
		return f
	}
	assert.Equal(t, "v1.70.0", last().Platform)
	assert.Contains(t, last().Kubernetes, "v1.")
	assert.True(t, last().Bootstrapped)
	m := &api.Module{ObjectMeta: metav1.ObjectMeta{Name: w.id}, Properties: api.ModuleProperties{
		Version: "v1.2.3", Requirements: &api.ModuleNeeds{Modules: map[string]string{"other": ">= 2.0"}},
	}}
	w.create(m)
	t.Cleanup(func() { _ = w.client.Delete(t.Context(), m) })
	patch(w, m, `{"status":{"phase":"Ready"}}`)
	w.waitFor("the module is enabled", func() bool { return last().Modules[w.id] == "v1.2.3" })
	assert.Equal(t, map[string]string{"other": ">= 2.0"}, last().Needs[w.id], "with what it needs itself")
	patch(w, m, `{"status":{"phase":"Downloading"}}`)
	w.waitFor("the module is disabled", func() bool { _, enabled := last().Modules[w.id]; return !enabled })
	platform := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.id, Name: PlatformConfigMap},
		Data:       map[string]string{PlatformKey: "applications: {ingressClass: traefik}\n"},
	}
	w.create(platform)
	values := func() (v map[string]any) {
		w.runtime.locked(func() { v = w.runtime.platform })
		return v
	}
	w.waitFor("templates see it", func() bool { return len(values()) == 1 })
	assert.Equal(t, map[string]any{"applications": map[string]any{"ingressClass": "traefik"}}, values())
	patch(w, platform, `{"data":{"platform.yaml":"a: ["}}`)
	w.waitFor("what can't be read counts as nothing", func() bool { return len(values()) == 0 })
	require.NoError(t, w.client.Delete(t.Context(), m))
}

// upgraded is a server whose version changes.
type upgraded struct{ versions []string }

func (u *upgraded) ServerVersion() (*apiversion.Info, error) {
	v := u.versions[0]
	u.versions = u.versions[1:]
	return &apiversion.Info{GitVersion: v}, nil
}

// TestFactsAreAskedForAgain without an event: no watch tells of another version of
// Kubernetes, or of other kinds.
func TestFactsAreAskedForAgain(t *testing.T) {
	w := prepareWorld(t)
	var log strings.Builder
	forgot := 0
	f := &facts{
		client: w.client, discovery: &upgraded{[]string{"v1.36.1", "v1.37.0"}}, runtime: w.runtime, namespace: w.id,
		every: 4 * time.Minute, forgetKinds: func(context.Context) { forgot++ }, log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	for range 2 {
		result, err := f.Reconcile(t.Context(), reconcile.Request{})
		require.NoError(t, err)
		assert.Equal(t, f.every, result.RequeueAfter)
	}
	assert.Equal(t, 2, forgot)
	assert.Equal(t, []string{"v1.36.1", "v1.37.0"}, []string{w.runtime.facts[0].Kubernetes, w.runtime.facts[1].Kubernetes})
	assert.Regexp(t, `another version.*v1\.36\.1.*v1\.37\.0`, log.String())
}

// TestHealthAndMetricsAreServed where they are asked for, with the names that the
// documentation has.
func TestHealthAndMetricsAreServed(t *testing.T) {
	health, served := freeAddress(t), freeAddress(t)
	w := newWorld(t, func(o *Options) {
		o.HealthAddress, o.MetricsAddress = health, served
		o.Queues = func() queue.Dump {
			return queue.Dump{Queues: map[string]queue.QueueDump{"demo.shop": {Tasks: []queue.TaskDump{{Name: "Run", Error: "no"}}}}}
		}
	})
	app := w.application("shop", w.id+"-web", "v1.0.0")
	app.Spec.Maintenance = api.NoResourceReconciliation
	w.create(app)
	get := func(url string) string {
		response, err := http.Get(url) //nolint:gosec // of this very test
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.Status + "\n" + string(body)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		w.waitFor(path, func() bool { return strings.HasPrefix(get("http://"+health+path), "200") })
	}
	for _, want := range []string{
		`tazuna_application_tasks{name="shop",namespace="demo"} 1`, `tazuna_application_task_failing{name="shop",namespace="demo",task="Run"} 1`,
		`deckhouse_application_maintenance{name="shop",namespace="` + w.id + `",state="NoResourceReconciliation"} 1`,
		`workqueue_depth{controller="application"`,
	} {
		w.waitFor(want, func() bool { return strings.Contains(get("http://"+served+"/metrics"), want) })
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

// Only one of two controllers works, and the other takes over.
func TestLeaderElection(t *testing.T) {
	w := prepareWorld(t)
	short := func(o *Options) {
		o.LeaderElection = true
		o.Timing.Lease, o.Timing.Renew, o.Timing.RetryLease = 3*time.Second, 2*time.Second, 200*time.Millisecond
	}
	first, second := w.runtime, newStub()
	running := func(s *stub) (is bool) {
		s.locked(func() { is = s.running })
		return is
	}
	stop := w.start(first, short)
	w.waitFor("the first leads", func() bool { return running(first) })
	w.start(second, short)
	assert.False(t, running(second))
	stop()
	assert.False(t, running(first), "it has ended when Run has")
	w.waitFor("the second leads", func() bool { return running(second) })
}

func TestOptionsAreNeeded(t *testing.T) {
	require.Error(t, Run(t.Context(), Options{}, nil))
	d := DefaultTiming()
	assert.Equal(t, []time.Duration{15 * time.Second, 2 * time.Hour}, []time.Duration{d.RetryMin, d.RetryMax})
	assert.Equal(t, d, Timing{}.withDefaults())
	assert.Equal(t, 6*time.Hour, intervalOf(&api.PackageRepository{}))
	require.ErrorIs(t, errors.Join(ErrDeckhouse), ErrDeckhouse)
}
