package overview

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

func now() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

func application(state api.State, message string) *api.Application {
	return &api.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop", CreationTimestamp: metav1.NewTime(now().Add(-time.Hour))},
		Spec:       api.ApplicationSpec{PackageName: "store", PackageVersion: "v1.4.0"},
		Status:     api.ApplicationStatus{Summary: &api.Summary{State: state, Message: message, Tip: "the tip"}},
	}
}

// conditionsUntil are internal conditions: all before the named one are True, and it
// is as given.
func conditionsUntil(name status.Type, value, reason, message string) []report.Condition {
	var all []report.Condition
	for _, s := range steps() {
		if s.condition == name {
			return append(all, report.Condition{Type: string(name), Status: value, Reason: reason, Message: message})
		}
		all = append(all, report.Condition{Type: string(s.condition), Status: "True"})
	}
	return all
}

func queues(name, task, failure string) *report.Queues {
	return &report.Queues{Queues: map[string]report.Queue{name: {Length: 1, Tasks: []report.Task{
		{Index: 1, Name: task, Enqueued: "1m0s", NextRetry: "30s", Error: failure},
	}}}}
}

func warned(last, message string) report.EventLine {
	return report.EventLine{Last: last, Type: "Warning", Object: "Pod/web-1", Reason: "Failed", Message: message}
}

func TestLine(t *testing.T) {
	a := application(api.StateUpdating, "it waits")
	a.Status.CurrentVersion = &api.CurrentVersion{Version: "v1.3.0"}
	assert.Equal(t, report.ApplicationLine{
		Namespace: "demo", Name: "shop", Package: "store", Version: "v1.4.0", Installed: "v1.3.0", Repository: api.DefaultRepository,
		State: "Updating", Message: "it waits", Age: "60m",
	}, Line(a, now()))
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		name               string
		facts              Facts
		stands, state, why string
		next               string
	}{
		{
			"the registry can't be reached",
			Facts{
				Application: application(api.StateFailed, "x"), Queues: queues("demo.shop", "Download", "connection refused"),
				Instance: instance(conditionsUntil(status.ReadyOnFilesystem, "False", "DownloadFailed", "older")),
			},
			"Download", Failed, "connection refused", "registry",
		},
		{
			"a module is missing",
			Facts{
				Application: application(api.StatePending, "x"),
				Instance:    instance(conditionsUntil(status.RequirementsMet, "False", "DependencyNotEnabled", "older")),
				Node:        &report.Node{Decision: report.Decision{Kind: "forbid", Message: "dependency 'ingress' not enabled"}},
			},
			"Scheduling", Failed, "dependency 'ingress' not enabled", "\"kubectl tazuna packages module enable MODULE",
		},
		{
			"settings are wrong",
			Facts{
				Application: application(api.StateFailed, "x"),
				Instance:    instance(conditionsUntil(status.Configured, "False", "SettingsInvalid", "store.replica is a forbidden property")),
			},
			"Configuration", Failed, "store.replica is a forbidden property", "Correct spec.settings",
		},
		{
			"a hook fails",
			Facts{
				Application: application(api.StateFailed, "x"), Queues: queues("demo.shop", "Enable", "hook hooks/a: exit status 3"),
				Instance: instance(conditionsUntil(status.HooksProcessed, "False", "SyncHookFailed", "")),
			},
			"Hook initialization", Failed, "hook hooks/a: exit status 3", "\"kubectl tazuna packages snapshots demo.shop\"",
		},
		{
			"a Job doesn't complete",
			Facts{
				Application: tracked(application(api.StatePending, "x")), Queues: queues("demo.shop", "Run", ""),
				Instance: instance(conditionsUntil(status.ManifestsApplied, "False", status.ReasonApplyingManifests, "")),
			},
			"Apply", Underway, "it waits for Job migrate", "status demo.shop --watch",
		},
		{
			"a Pod doesn't start while an apply waits",
			Facts{
				Application: tracked(application(api.StatePending, "x")), Queues: queues("demo.shop", "Run", ""),
				Instance: instance(append(conditionsUntil(status.ManifestsApplied, "False", status.ReasonApplyingManifests, ""),
					report.Condition{Type: string(status.Scaled), Status: "False", Message: "Deployment web: 0 of 2 replicas are available"})),
				Events: []report.EventLine{warned("09", "older"), warned("10", "no such image"), {Type: "Normal", Last: "11", Message: "pulled"}},
			},
			"Apply", Underway, "it waits for Job migrate\n  Deployment web: 0 of 2 replicas are available\n  last warning (10): Pod/web-1: Failed: no such image", "Mend what the last warning tells of",
		},
		{
			"workloads are not well",
			Facts{
				Application: application(api.StateDegraded, "x"),
				Instance:    instance(conditionsUntil(status.Scaled, "False", "Degraded", "Deployment web: 0 of 2 available")),
			},
			"Workloads", Failed, "Deployment web: 0 of 2 available", "Pods",
		},
		{
			"workloads are not well, and an event tells why",
			Facts{
				Application: application(api.StateDegraded, "x"), Events: []report.EventLine{warned("10", "no such image")},
				Instance: instance(conditionsUntil(status.Scaled, "False", "Degraded", "Deployment web: 0 of 2 available")),
			},
			"Workloads", Failed, "Deployment web: 0 of 2 available\n  last warning (10): Pod/web-1: Failed: no such image", "Pods",
		},
		{
			"all is well",
			Facts{Application: application(api.StateReady, ""), Instance: instance(conditionsUntil("", "", "", ""))},
			"", Done, "", "Nothing: it is ready.",
		},
		{
			"a hook before an apply fails",
			Facts{
				Application: application(api.StateFailed, "x"), Queues: queues("demo.shop", "Run", "hook hooks/a (beforeHelm): exit status 3"),
				Instance: instance(conditionsUntil(status.HooksProcessed, "False", status.ReasonHookFailed, "older")),
			},
			"Apply", Failed, "hook hooks/a (beforeHelm): exit status 3", "Mend what the hook says",
		},
		{
			"its removal fails",
			Facts{
				Application: application(api.StateDeleting, "x"), Queues: queues("demo.shop", "Purge", "delete configmaps: refused"),
				Instance: instance(conditionsUntil("", "", "", "")),
			},
			"Purge", Failed, "delete configmaps: refused", "Mend what the error names; it is tried again in 30s.",
		},
		{
			"its removal goes on without its package",
			Facts{Application: application(api.StateDeleting, "x"), Queues: queues("demo.shop", "Uninstall", ""), Instance: instance(nil)},
			"Uninstall", Underway, "", "Wait: it is being removed.",
		},
		{
			"a finalizer holds its removal",
			Facts{
				Application: application(api.StateDeleting, "x"), Queues: queues("demo.shop", "Disable", ""),
				Instance: instance(conditionsUntil(status.ManifestsApplied, "False", status.ReasonUninstalling, "it waits for the end of ConfigMap/c (held by a.b/c)")),
			},
			"Disable", Underway, "it waits for the end of ConfigMap/c (held by a.b/c)", "take it off by hand",
		},
		{
			"it says itself that it is not ready",
			Facts{
				Application: application(api.StateDegraded, "x"),
				Instance:    instance(conditionsUntil(status.IsReady, "False", status.ReasonReadinessProbeFailed, "hook hooks/h:ready: the store is not up")),
			},
			"Readiness", Failed, "hook hooks/h:ready: the store is not up", "the package's own program",
		},
		{
			"no controller answers",
			Facts{Application: application(api.StatePending, "it waits")},
			"", Done, "it waits", "the tip",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := Explain(Of(c.facts, now()), "kubectl tazuna")
			assert.Equal(t, c.stands, e.Stands)
			assert.Equal(t, c.state, failedOf(e))
			assert.Equal(t, c.why, e.Why)
			assert.Contains(t, e.Next, c.next)
		})
	}
}

func TestExplainNoControllerEver(t *testing.T) {
	a := application("", "")
	a.Status.Summary = nil
	e := Explain(Of(Facts{Application: a}, now()), "kubectl tazuna")
	assert.Equal(t, "Start a controller: kubectl tazuna packages controller", e.Next)
	assert.Equal(t, "no controller has looked at it yet", e.Why)
}

func TestExplainReadyWithoutController(t *testing.T) {
	a := application(api.StateReady, "")
	a.Status.Summary.Tip = ""
	a.Status.Conditions = []metav1.Condition{{Type: status.ExternalScaled, Status: metav1.ConditionTrue}}
	e := Explain(Of(Facts{Application: a}, now()), "kubectl tazuna")
	assert.Equal(t, nothing, e.Next)
	assert.Empty(t, e.Steps)
}

func instance(conditions []report.Condition) *report.Instance {
	return &report.Instance{Status: report.InstanceStatus{Conditions: conditions}, Hooks: []string{"hooks/a"}}
}

func tracked(a *api.Application) *api.Application {
	operation := func(id, kind, name string, s api.OperationStatus, dependsOn ...string) api.Operation {
		return api.Operation{ID: id, Kind: kind, Name: name, Type: "apply", Category: api.CategoryResource, Status: s, DependsOn: dependsOn}
	}
	a.Status.Tracking = &api.Tracking{Completed: 1, Remaining: 3, Report: api.TrackingReport{Operations: []api.Operation{
		operation("1", "ConfigMap", "c", api.OperationCompleted),
		operation("2", "Job", "migrate", api.OperationProgressing, "1"),
		operation("3", "Deployment", "web", api.OperationPending, "1", "2"),
		operation("4", "Service", "loop", api.OperationPending, "5"),
		operation("5", "Service", "other", api.OperationPending, "4"),
	}}}
	return a
}

func TestTree(t *testing.T) {
	o := Of(Facts{Application: tracked(application(api.StatePending, "x"))}, now())
	data, err := json.Marshal(o.Operations)
	require.NoError(t, err)
	assert.JSONEq(t, `[{"object":"ConfigMap c","type":"apply","category":"resource","status":"Completed","below":[
		{"object":"Job migrate","type":"apply","category":"resource","status":"Progressing","below":[
			{"object":"Deployment web","type":"apply","category":"resource","status":"Pending","waitsFor":["Job migrate"]}]}]},
		{"object":"Service loop","type":"apply","category":"resource","status":"Pending","waitsFor":["Service other"],"below":[
			{"object":"Service other","type":"apply","category":"resource","status":"Pending","waitsFor":["Service loop"]}]}]`, string(data))
}
