package printers

import (
	"testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

const deploymentLive = `
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    example.com/team.name: blue
  labels: {app: web}
  name: web
  namespace: shop
spec:
  replicas: 5
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - image: web:1
        name: app
        ports:
        - containerPort: 80
          protocol: TCP
      - image: log:hand
        name: logs
      nodeSelector: {disk: ssd}
`

const deploymentWanted = `
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    example.com/injected: "yes"
    example.com/team.name: red
  labels: {app: web}
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - image: web:2
        name: app
        ports:
        - containerPort: 80
          protocol: TCP
      - image: log:7
        name: logs
      nodeSelector: {disk: ssd}
      serviceAccountName: web
`

// driftedDeployment has one difference of every kind that a block shows.
func driftedDeployment(t testing.TB) plan.ObjectReport {
	return plan.ObjectReport{
		APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web",
		Op: plan.OpUpdate, WaitTo: "reconcile", State: "ongoing",
		Info:    "1 of 5 replicas are ready since the last rollout started",
		Created: minutesAgo(60 * 24 * 9),
		Before:  body(t, deploymentLive), After: body(t, deploymentWanted),
		Differences: []plan.Difference{
			{Path: ".metadata.annotations.example.com/injected", Verdict: plan.VerdictServer, Desired: "yes", HasDesired: true},
			{
				Path: ".metadata.annotations.example.com/team.name", Verdict: plan.VerdictChange,
				Live: "blue", HasLive: true, Desired: "red", HasDesired: true,
				Authors: []plan.Author{{Manager: "tazuna", Operation: "Apply"}},
			},
			{
				Path: ".spec.replicas", Verdict: plan.VerdictDrift,
				Live: int64(5), HasLive: true, Desired: int64(2), HasDesired: true,
				Authors: []plan.Author{{Manager: "kube-controller", Operation: "Update", Subresource: "scale", Time: minutesAgo(30)}},
			},
			{
				Path: `.spec.template.spec.containers[name="app"].image`, Verdict: plan.VerdictChange,
				Live: "web:1", HasLive: true, Desired: "web:2", HasDesired: true,
			},
			{
				Path: `.spec.template.spec.containers[name="logs"].image`, Verdict: plan.VerdictDrift,
				Live: "log:hand", HasLive: true, Desired: "log:7", HasDesired: true,
				Authors: []plan.Author{author("kubectl-edit"), author("a manager, at or before 1999")},
			},
			{
				Path: ".spec.template.spec.nodeSelector.disk", Verdict: plan.VerdictRelease,
				Live: "ssd", HasLive: true, Authors: []plan.Author{author("scheduler")},
			},
			{
				Path: ".spec.template.spec.serviceAccountName", Verdict: plan.VerdictDrift,
				Desired: "web", HasDesired: true, AuthorUnknown: true,
			},
		},
		Notes: []string{"selectors are left alone"},
	}
}

func simpleService(t testing.TB) plan.ObjectReport {
	text := func(port string) string {
		return "apiVersion: v1\nkind: Service\nmetadata: {name: simple-app, namespace: default}\n" +
			"spec:\n  ports:\n  - port: 80\n    targetPort: " + port + "\n  selector:\n    simple-app: \"\"\n"
	}
	return plan.ObjectReport{
		APIVersion: "v1", Kind: "Service", Namespace: "default", Name: "simple-app",
		Op: plan.OpUpdate, OpStrategy: "fallback on replace", WaitTo: "reconcile", State: "ok",
		Created: minutesAgo(3),
		Before:  body(t, text("80")), After: body(t, text("81")),
	}
}

func createdConfigMap(t testing.TB) plan.ObjectReport {
	return plan.ObjectReport{
		APIVersion: "v1", Kind: "ConfigMap", Namespace: "default", Name: "simple-app",
		Op: plan.OpCreate, WaitTo: "reconcile",
		After: body(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: simple-app, namespace: default}\ndata: {a: \"1\"}\n"),
	}
}

func deletedRole(t testing.TB) plan.ObjectReport {
	return plan.ObjectReport{
		APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "old",
		Op: plan.OpDelete, WaitTo: "delete", State: "ok", Created: minutesAgo(60 * 24 * 400),
		Before: body(t, "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: old}\nrules: []\n"),
	}
}

func refusedDeployment() plan.ObjectReport {
	return plan.ObjectReport{
		APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "scaled",
		Op: plan.OpRefuse, Reason: "other managers own fields with other values", Created: minutesAgo(60 * 5),
		Differences: []plan.Difference{
			{
				Path: ".spec.replicas", Verdict: plan.VerdictConflict,
				Live: int64(7), HasLive: true, Desired: int64(2), HasDesired: true,
				Authors: []plan.Author{{Manager: "operator", Operation: "Apply", Time: minutesAgo(5)}},
			},
			{Path: ".metadata.labels.x", Verdict: plan.VerdictChange, Desired: "y", HasDesired: true},
		},
	}
}

func blockedObjects() []plan.ObjectReport {
	return []plan.ObjectReport{
		{
			APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "migrate", Op: plan.OpBlocked,
			Reason: "Job.batch \"migrate\" is invalid:\nspec.template: field is immutable",
			Differences: []plan.Difference{{
				Path: ".spec.template", Verdict: plan.VerdictImmutable,
				Live: map[string]any{"image": "a<b"}, HasLive: true, Desired: map[string]any{"image": "c"}, HasDesired: true,
			}},
		},
		{
			APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: "shop", Name: "data", Op: plan.OpBlocked,
			Differences: []plan.Difference{{
				Path: ".spec.storageClassName", Verdict: plan.VerdictImmutable,
				Live: "slow", HasLive: true, Desired: "fast", HasDesired: true,
			}},
		},
		{
			APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "broken", Op: plan.OpError,
			Reason: "get ConfigMap shop/broken: the server timed out",
		},
	}
}

// sampleReport has every operation once.
func sampleReport(t testing.TB) *plan.Report {
	hidden := plan.Difference{
		Path: ".spec.clusterIP", Verdict: plan.VerdictIneffective,
		Live: "10.0.0.1", HasLive: true, Desired: "None", HasDesired: true,
	}
	r := &plan.Report{
		APIVersion: plan.APIVersion, Kind: plan.ReportKind, Context: "kind", Server: "https://127.0.0.1:6443",
		Objects: []plan.ObjectReport{
			simpleService(t), createdConfigMap(t), driftedDeployment(t), deletedRole(t), refusedDeployment(),
			{
				APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "adopted", Op: plan.OpAdopt,
				Before: body(t, "kind: ConfigMap"), After: body(t, "kind: ConfigMap"),
			},
			{
				APIVersion: "v1", Kind: "Service", Namespace: "shop", Name: "same",
				Hidden: []plan.Difference{hidden}, Before: body(t, "kind: Service"), After: body(t, "kind: Service"),
			},
			{
				APIVersion: "batch/v1", Kind: "Job", Namespace: "shop", Name: "once", Op: plan.OpReplace,
				Unverified: "admission webhook \"w.example.com\" has no dry-run",
				Before:     body(t, "kind: Job\nspec: {a: 1}"), After: body(t, "kind: Job\nspec: {a: 2}"),
			},
		},
		Leftover: []plan.Leftover{
			{Manifest: "shop", APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "gone"},
			{Manifest: "shop", APIVersion: "v1", Kind: "Namespace", Name: "old", Reason: "a Namespace needs --prune-protected"},
		},
		RecordOnly: []plan.RecordOnly{{Manifest: "base", Reason: "the bodies of the record were lost"}},
		Summary: plan.Summary{
			Create: 1, Delete: 1, Update: 2, Adopt: 1, Replace: 1, Refused: 1, Blocked: 2, Failed: 1,
			Hidden: 1, Leftover: 2, Reconcile: 3, WaitGone: 1, RecordOnly: 1,
		},
	}
	r.Objects = append(r.Objects, blockedObjects()...)
	return r
}
