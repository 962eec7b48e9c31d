package printers

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func TestHeadings(t *testing.T) {
	tests := map[string]plan.ObjectReport{
		"@@ update service/simple-app (v1) namespace: default @@": {
			Op: plan.OpUpdate, APIVersion: "v1", Kind: "Service", Namespace: "default", Name: "simple-app",
		},
		"@@ update deployment/simple-app (apps/v1) namespace: default @@": {
			Op: plan.OpUpdate, APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "simple-app",
		},
		"@@ delete clusterrole/system:x (rbac.authorization.k8s.io/v1) cluster @@": {
			Op: plan.OpDelete, APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: "system:x",
		},
	}
	for want, o := range tests {
		require.Equal(t, want+"\n  # the compared values are equal\n", printedBlock(t, o))
	}
}

// The lines that people know: a changed port, with two lines of context on both sides.
func TestUpdateLines(t *testing.T) {
	require.Equal(t, `@@ update service/simple-app (v1) namespace: default @@
  ...
  6,  6     ports:
  7,  7     - port: 80
  8     -     targetPort: 80
      8 +     targetPort: 81
  9,  9     selector:
 10, 10       simple-app: ""
`, printedBlock(t, simpleService(t)))
}

// The second sample: a status added at the end moves the empty line that
// follows.
func TestAddedStatusLines(t *testing.T) {
	got := printedBlock(t, plan.ObjectReport{
		APIVersion: "apps/v1", Kind: "Deployment", Namespace: "default", Name: "simple-app", Op: plan.OpUpdate,
		Before: body(t, "spec: {a: 1, name: simple-app}"),
		After:  body(t, "spec: {a: 1, name: simple-app}\nstatus: {key: value}"),
	})
	require.Equal(t, "@@ update deployment/simple-app (apps/v1) namespace: default @@\n"+
		"  ...\n"+
		"  1,  1     a: 1\n"+
		"  2,  2     name: simple-app\n"+
		"      3 + status:\n"+
		"      4 +   key: value\n"+
		"  3,  5   \n", got)
}

func TestLineNumbersBeyondThreeDigitsPushTheColumn(t *testing.T) {
	p := newPrinter(Options{LineNumbers: true})
	require.Equal(t, "1234     - ", p.gutter(row{kind: rowRemoved, left: 1234}))
	require.Equal(t, "    1234 + ", p.gutter(row{kind: rowAdded, right: 1234}))
	require.Equal(t, "1234,1235   ", p.gutter(row{kind: rowCommon, left: 1234, right: 1235}))
	require.Equal(t, "121,121   ", p.gutter(row{kind: rowCommon, left: 121, right: 121}))
}

func TestCreateAndDeleteShowEveryLine(t *testing.T) {
	require.Equal(t, `@@ create configmap/simple-app (v1) namespace: default @@
      0 + apiVersion: v1
      1 + data:
      2 +   a: "1"
      3 + kind: ConfigMap
      4 + metadata:
      5 +   name: simple-app
      6 +   namespace: default
`, printedBlock(t, createdConfigMap(t)))
	require.Equal(t, `@@ delete clusterrole/old (rbac.authorization.k8s.io/v1) cluster @@
  0     - apiVersion: rbac.authorization.k8s.io/v1
  1     - kind: ClusterRole
  2     - metadata:
  3     -   name: old
  4     - rules: []
`, printedBlock(t, deletedRole(t)))
}

func TestNotesOfABlock(t *testing.T) {
	got := printedBlock(t, plan.ObjectReport{
		APIVersion: "v1", Kind: "X", Name: "x", Op: plan.OpUpdate,
		Before: body(t, "a: 1"), After: body(t, "a: 2"),
		Notes: []string{"first\nsecond line", "other"}, Unverified: "webhook w has no dry-run",
	})
	require.Equal(t, "@@ update x/x (v1) cluster @@\n  0     - a: 1\n      0 + a: 2\n  1,  1   \n"+
		"  # first\n    second line\n  # other\n  # not verified by the server: webhook w has no dry-run\n", got)
}

// An adoption may come with changes; without one its reason is told in words.
func TestAdoption(t *testing.T) {
	o := plan.ObjectReport{
		APIVersion: "v1", Kind: "X", Name: "x", Op: plan.OpAdopt, Before: body(t, "a: 1"), After: body(t, "a: 1"),
	}
	require.Equal(t, "@@ adopt x/x (v1) cluster @@\n  # ownership moves to us; no value changes\n", printedBlock(t, o))
	o.After = body(t, "a: 2")
	require.Equal(t, "@@ adopt x/x (v1) cluster @@\n  0     - a: 1\n      0 + a: 2\n  1,  1   \n", printedBlock(t, o))
}

func TestBodiesThatCannotBeEncodedAreAnError(t *testing.T) {
	o := testOptions(nil)
	err := Changes(&plan.Report{Objects: []plan.ObjectReport{{
		APIVersion: "v1", Kind: "X", Name: "x", Op: plan.OpUpdate,
		Before: map[string]any{"a": func() {}}, After: map[string]any{"a": int64(1)},
	}}}, o)
	require.ErrorContains(t, err, "print x/x (v1) cluster: encode JSON")
}
