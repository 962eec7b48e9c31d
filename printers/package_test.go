package printers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

func TestPackageFindings(t *testing.T) {
	f := report.NewFindings("shop", []report.Finding{
		{Severity: report.Error, Rule: "schema", File: "openapi/settings.yaml", Line: 4, Text: "wanted a type,\nfound \x1b[31mnone"},
		{Severity: report.Warning, Rule: "docs", Text: "there is no docs/README.md"},
	})
	goldenPlainAndColored(t, "package-findings", func(o Options) error { return PackageFindings(f, o) })
	var out bytes.Buffer
	require.NoError(t, PackageFindings(report.NewFindings("shop", nil), testOptions(&out)))
	assert.Equal(t, "shop: nothing found\n", out.String())
}

func TestPackageHooks(t *testing.T) {
	order := int64(10)
	l := &report.HookList{
		Package: "shop",
		Hooks: []report.Hook{
			{ID: "hooks/a.sh", Type: "shell", MinInterval: "5s", Burst: 2, Bindings: []report.Binding{
				{Type: "beforeHelm", Order: &order},
				{Type: "kubernetes", Name: "pods", Queue: "main", Objects: "Pod (v1)", Events: []string{"Added", "Deleted"}, Resynchronization: "10m0s"},
			}},
			{ID: "hooks/batch:x:0", Type: "batch", Bindings: []report.Binding{{Type: "schedule", Name: "nightly", Crontab: "0 3 * * *", Queue: "slow"}}},
		},
		Checks: []string{"hooks/batch"}, Ready: []string{"hooks/batch:ready"},
		Skipped: []report.Skipped{{File: "hooks/lib", Reason: "directory of what hooks use, not of hooks"}},
	}
	goldenPlainAndColored(t, "package-hooks", func(o Options) error { return PackageHooks(l, o) })
	var out bytes.Buffer
	require.NoError(t, PackageHooks(&report.HookList{}, testOptions(&out)))
	assert.Equal(t, "No hooks.\n", out.String())
}

func TestPackageHookRuns(t *testing.T) {
	state := func(members string) map[string]any {
		return map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"name": "d8a-shop-state", "namespace": "default"},
			"data":     map[string]any{"members": members},
		}
	}
	r := &report.HookRuns{
		Package: "shop", Instance: "default.shop",
		Runs: []report.HookRun{
			{
				Hook: "hooks/a.sh", Binding: "beforeHelm", Stdout: "looking\nfound\n", Stderr: "a\x1b]0;title\x07\n",
				ValuesBefore: map[string]any{"replicas": 1, "internal": map[string]any{}},
				ValuesAfter:  map[string]any{"replicas": 1, "internal": map[string]any{"members": []any{"a"}}},
				Objects: []report.ObjectChange{
					{Operation: "CreateOrUpdate", APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "d8a-shop-state", Before: state("[]"), After: state(`["a"]`)},
					{Operation: "Delete", APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "d8a-shop-old", Before: state("x")},
					{Operation: "Delete", APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "d8a-shop-gone"},
				},
				Metrics: []report.Metric{
					{Name: "members", Action: "set", Value: 1, Group: "members", Labels: map[string]string{"b": "2", "a": "x"}},
					{Action: "expire", Group: "old"},
				},
				Notes: []string{"operation 1 (CreateOrUpdate): name state became d8a-shop-state"},
			},
			{Hook: "hooks/b.sh", Binding: "pods", Error: "ended with exit code 1\n  no such file"},
			{Hook: "hooks/c.sh", Binding: "pods", Error: "ended with exit code 1", Allowed: true},
			{Hook: "hooks/d.sh", Binding: "pods"},
		},
		NotRun: []string{"hooks/e.sh (afterHelm)"},
		Ready:  []report.Readiness{{Hook: "hooks/a:ready", Ready: true}, {Hook: "hooks/b:ready", Message: "not\nyet"}},
	}
	goldenPlainAndColored(t, "package-hook-runs", func(o Options) error { return PackageHookRuns(r, o) })
	var out bytes.Buffer
	require.NoError(t, PackageHookRuns(&report.HookRuns{}, testOptions(&out)))
	assert.Equal(t, "No hook runs.\n", out.String())
}

// No text of a package, of a hook or of an object can forge a line or move the cursor.
func TestPackageTextsAreHarmless(t *testing.T) {
	const s = "a\n@@ delete deployment/x @@\nHook forged\n\x1b]0;x\x07\rb\u202e"
	body := map[string]any{s: s, "kind": s}
	order := int64(1)
	var out bytes.Buffer
	o := testOptions(&out)
	require.NoError(t, PackageFindings(report.NewFindings(s, []report.Finding{{Severity: report.Severity(s), Rule: s, File: s, Text: s}}), o))
	require.NoError(t, PackageFindings(report.NewFindings(s, nil), o))
	require.NoError(t, PackageHooks(&report.HookList{
		Hooks: []report.Hook{{ID: s, Type: s, MinInterval: s, Bindings: []report.Binding{{
			Type: s, Name: s, Order: &order, Crontab: s, Objects: s, Events: []string{s}, Queue: s, Resynchronization: s,
		}}}},
		Checks: []string{s}, Ready: []string{s}, Skipped: []report.Skipped{{File: s, Reason: s}},
	}, o))
	change := report.ObjectChange{Operation: s, APIVersion: s, Kind: s, Namespace: s, Name: s, Before: body, After: map[string]any{s: "other"}}
	metric := report.Metric{Name: s, Group: s, Action: s, Labels: map[string]string{s: s}}
	require.NoError(t, PackageHookRuns(&report.HookRuns{
		Runs: []report.HookRun{
			{Hook: s, Binding: s, Error: s, ValuesBefore: body, ValuesAfter: map[string]any{}, Objects: []report.ObjectChange{change}, Metrics: []report.Metric{metric}, Notes: []string{s}, Stdout: s, Stderr: s},
			{Hook: s, Binding: s, Error: s, Allowed: true},
		},
		NotRun: []string{s}, Ready: []report.Readiness{{Hook: s, Message: s}},
	}, o))
	for _, line := range strings.Split(out.String(), "\n") {
		assert.False(t, strings.HasPrefix(line, "@@ delete deployment/x"), line)
		assert.False(t, strings.HasPrefix(line, "Hook forged"), line)
		assert.NotContains(t, line, "\x1b")
		assert.NotContains(t, line, "\r")
		assert.NotContains(t, line, "\u202e")
	}
}

func TestPackageQueues(t *testing.T) {
	q := &report.Queues{Queues: map[string]report.Queue{
		"demo.shop": {Length: 2, Tasks: []report.Task{
			{Index: 1, Name: "Purge", Enqueued: "3m12s", NextRetry: "48s", Error: "delete configmaps:\nconnection \x1b[31mrefused"},
			{Index: 2, Name: "Undeploy", Enqueued: "1s", NextRetry: "0s"},
		}},
		"demo.shop/main": {},
	}}
	goldenPlainAndColored(t, "package-queues", func(o Options) error { return PackageQueues(q, o) })
}

func TestPackageScheduler(t *testing.T) {
	s := &report.Scheduler{Nodes: map[string]report.Node{
		"demo.shop": {Version: "v1.4.0", Order: 999, EffectiveOrder: 999, State: "idle", Decision: report.Decision{Kind: "forbid", Reason: "DependencyNotEnabled", Message: "dependency 'ingress' not enabled"}},
		"a.blog":    {Version: "v1.0.0", Order: 999, EffectiveOrder: 999, State: "active", ScheduleReason: "Enabled", Decision: report.Decision{Kind: "enable"}},
		"dns":       {Version: "v1.2.0", Order: 10, EffectiveOrder: 10, State: "active", Decision: report.Decision{Kind: "enable"}},
	}}
	goldenPlainAndColored(t, "package-scheduler", func(o Options) error { return PackageScheduler(s, o) })
	var out bytes.Buffer
	require.NoError(t, PackageScheduler(&report.Scheduler{}, testOptions(&out)))
	assert.Equal(t, "No nodes.\n", out.String())
}

func TestPackageInstances(t *testing.T) {
	i := report.Instance{
		Name: "shop", Namespace: "demo", Running: true, Path: "/data/apps/deployed/demo.shop",
		Definition: report.Definition{Name: "store", Version: "v1.4.0"},
		Repository: report.Repository{Name: "main", Repository: "registry.example.com/packages"},
		Digests:    map[string]string{"server": "sha256:1", "client": "sha256:2"}, Hooks: []string{"hooks/a.sh"},
		Values: map[string]any{"replicas": int64(2), "note": "\x1b[31mred"},
		Status: report.InstanceStatus{
			Version: "v1.4.0", Settings: map[string]any{"replicas": int64(2)},
			URLs: []report.URL{{URL: "https://shop.example.com/", Description: "the shop"}},
			Conditions: []report.Condition{
				{Type: "Loaded", Status: "True", LastTransitionTime: "2026-11-29T10:00:00Z"},
				{Type: "ManifestsApplied", Status: "False", Reason: "ApplyManifestsFailed", Message: "Deployment demo/web: not ready"},
				{Type: "HooksProcessed", Status: "False", Reason: "HookFailed", Message: "hook a: exit code 3\n  no licence\x1b[31m"},
				{Type: "MaintenanceMode", Status: "False"},
			},
			Tracking: map[string]any{"completed": int64(3), "remaining": int64(1)},
		},
	}
	goldenPlainAndColored(t, "package-instance", func(o Options) error { return PackageInstance(&i, o) })
	all := &report.Instances{Apps: map[string]report.Instance{"demo.shop": i, "demo.clean": {Definition: report.Definition{Version: "v1.0.0"}}}}
	goldenPlainAndColored(t, "package-instances", func(o Options) error { return PackageInstances(all, o) })
	var out bytes.Buffer
	require.NoError(t, PackageInstances(&report.Instances{}, testOptions(&out)))
	assert.Equal(t, "No applications.\n", out.String())
}

func TestPackageSnapshots(t *testing.T) {
	s := report.Snapshots{
		"hooks/nightly": nil,
		"hooks/sub/h:batch/state:0": {
			"pods": {
				Snapshot: []report.SnapshotEntry{
					{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web", "namespace": "demo"}}},
					{FilterResult: map[string]any{"name": "web", "tags": []any{"a", "b"}}},
					{FilterResult: "\x1b[31mtext"},
				},
				Operations: report.Operations{SinceLastExecution: report.OperationCounts{Added: 2, Deleted: 1}},
			},
			"things": {Error: "no kind Thing"},
		},
	}
	goldenPlainAndColored(t, "package-snapshots", func(o Options) error { return PackageSnapshots(s, o) })
}

func overviewSample() *report.Overview {
	return &report.Overview{
		ApplicationLine: report.ApplicationLine{Namespace: "demo", Name: "shop", Package: "store", Version: "v1.4.0", Installed: "v1.3.0", Repository: "main", State: "Updating", Message: "Version v1.4.0 is not installed yet", Age: "3h"},
		Tip:             "Wait.", Conditions: []report.Condition{{Type: "ManifestsApplied", Status: "False", Reason: "ApplyingManifests"}},
		Operations: []report.OperationNode{{Object: "Secret sh.helm.release.v1.demo.shop.v1", Type: "create-pending-release", Category: "release", Status: "Completed", Below: []report.OperationNode{
			{Object: "ConfigMap done", Type: "create", Category: "resource", Status: "Completed"},
			{Object: "ConfigMap c", Type: "create", Category: "resource", Status: "Completed", Below: []report.OperationNode{
				{Object: "Job migrate", Type: "track-readiness", Category: "track", Status: "Progressing", Below: []report.OperationNode{
					{Object: "Deployment web", Type: "update", Category: "resource", Status: "Pending", WaitsFor: []string{"Job migrate"}, Below: []report.OperationNode{
						{Object: "main", Type: "stage", Category: "meta", Status: "Pending"},
					}},
				}},
			}},
		}}},
		Completed: 1, Remaining: 2, Unmet: "dependency 'ingress' not enabled",
		Queue: []report.QueuedTask{{Queue: "demo.shop", Task: report.Task{Index: 1, Name: "Run", Enqueued: "1m0s", NextRetry: "0s", Error: "refused"}}},
		Hooks: []string{"hooks/a.sh", "hooks/b.sh"}, LastRuns: map[string]report.LastRun{
			"hooks/a.sh": {Began: "2026-11-29T10:00:00Z", Took: "120ms", Why: "beforeHelm", Error: "exit code 1\nno such file", Runs: 3, Failures: 2},
		},
		Events:  []report.EventLine{{Last: "2026-11-29T10:00:00Z", Type: "Warning", Reason: "BackOff", Object: "Pod/d8a-shop-web-1", Message: "back-off \x1b[31m"}},
		Without: []string{"no controller answers"},
	}
}

func TestPackageOverview(t *testing.T) {
	goldenPlainAndColored(t, "package-overview", func(o Options) error { return PackageOverview(overviewSample(), o) })
	lines := overviewSample()
	lines.Message = "A hook failed: hook a: exit code 3\n  no licence"
	lines.Conditions[0].Message = "hook a: exit code 3\n  no licence"
	lines.Queue = []report.QueuedTask{
		{Queue: "demo.shop", Task: report.Task{Index: 1, Name: "Run", Enqueued: "1m0s", NextRetry: "9s", Error: "hook a: exit code 3\n  no licence"}},
		{Queue: "demo.shop", Task: report.Task{Index: 2, Name: "Run", Enqueued: "1m0s", NextRetry: "0s"}},
		{Queue: "demo.shop/main", Task: report.Task{Index: 1, Name: "HookRun", Enqueued: "1m0s", NextRetry: "0s", Error: "hook b: exit code 1\n  not told above"}},
	}
	goldenPlainAndColored(t, "package-overview-lines", func(o Options) error { return PackageOverview(lines, o) })
	all := &report.Applications{Items: []report.ApplicationLine{overviewSample().ApplicationLine, {Namespace: "demo", Name: "blog", State: "Ready", Age: "1d"}, {Namespace: "demo", Name: "wiki", State: "Failed", Age: "1d", Message: "A hook failed: exit code 3\n  no licence"}}}
	goldenPlainAndColored(t, "package-applications", func(o Options) error { return Applications(all, o) })
	goldenPlainAndColored(t, "package-events", func(o Options) error { return PackageEvents(overviewSample().Events, o) })
	var out bytes.Buffer
	require.NoError(t, Applications(&report.Applications{}, testOptions(&out)))
	require.NoError(t, PackageEvents(nil, testOptions(&out)))
	assert.Equal(t, "No applications.\nNo events.\n", out.String())
}

func TestPackageExplanation(t *testing.T) {
	e := &report.Explanation{Name: "demo.shop", State: "Pending", Stands: "Scheduling", Why: "dependency 'ingress' not enabled", Next: "Meet the requirement.", Steps: []report.Step{
		{Name: "Download", State: "done"}, {Name: "Load", State: "underway"}, {Name: "Scheduling", State: "failed"}, {Name: "Configuration", State: "waiting"},
	}}
	goldenPlainAndColored(t, "package-explanation", func(o Options) error { return PackageExplanation(e, o) })
}
