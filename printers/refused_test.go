package printers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// printedBlock gives the block of one object.
func printedBlock(t *testing.T, o plan.ObjectReport) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Changes(&plan.Report{Objects: []plan.ObjectReport{o}}, testOptions(&out)))
	return out.String()
}

func conflict(path string, live, desired any, authors ...plan.Author) plan.Difference {
	return plan.Difference{
		Path: path, Verdict: plan.VerdictConflict, Authors: authors,
		Live: live, HasLive: live != nil, Desired: desired, HasDesired: desired != nil,
	}
}

func TestRefusedNamesFieldManagerAndBothValues(t *testing.T) {
	got := printedBlock(t, plan.ObjectReport{
		APIVersion: "v1", Kind: "Service", Namespace: "a", Name: "b", Op: plan.OpRefuse,
		Before: map[string]any{"a": int64(1)}, After: map[string]any{"a": int64(2)},
		Differences: []plan.Difference{
			conflict(".spec.type", "NodePort", "ClusterIP", plan.Author{Manager: "operator", Operation: "Apply"}),
			conflict(`.spec.ports[port=80,protocol="TCP"]`, map[string]any{"port": int64(80)}, nil,
				plan.Author{Manager: "x", Operation: "Update"}, plan.Author{Manager: "y z"}),
			conflict(".spec.externalName", nil, strings.Repeat("long", 100)),
		},
	})
	require.Equal(t, `@@ refuse service/b (v1) namespace: a @@
  .spec.type: "operator" (Apply) has "NodePort", the files have "ClusterIP"
  .spec.ports[port=80,protocol="TCP"]: "x" (Update), "y z" has {"port":80}, the files have nothing
  .spec.externalName: another manager has nothing, the files have "`+strings.Repeat("long", 24)+`lon… (402 characters)
  # ways out: put the live value into the files; or take the fields with --force-conflicts;
  # or remove the fields from the files and leave them to their manager
`, got, "no red and green lines: nothing of the object is written")
}

// An object may be refused without a contested field, such as one that two
// manifests claim: then only the reason is told.
func TestRefusedForAnotherReason(t *testing.T) {
	require.Equal(t, "@@ refuse configmap/a (v1) cluster @@\n  manifest other wants it with another content\n",
		printedBlock(t, plan.ObjectReport{
			APIVersion: "v1", Kind: "ConfigMap", Name: "a", Op: plan.OpRefuse,
			Reason: "manifest other wants it with another content",
		}))
}

func TestRefusedCountsWhatElseIsNotWritten(t *testing.T) {
	other := plan.Difference{Path: ".a", Verdict: plan.VerdictChange}
	got := printedBlock(t, plan.ObjectReport{
		Op: plan.OpRefuse, Differences: []plan.Difference{conflict(".b", int64(1), int64(2)), other, other},
	})
	require.Contains(t, got, "  # not applied either: 2 other differences of this object\n")
}

func TestBlockedTellsTheWayOutOfEachKind(t *testing.T) {
	block := func(kind string) string {
		return printedBlock(t, plan.ObjectReport{
			APIVersion: "v1", Kind: kind, Name: "x", Op: plan.OpBlocked, Reason: "field is immutable",
			Differences: []plan.Difference{{
				Path: ".spec.a", Verdict: plan.VerdictImmutable, HasLive: true, Live: int64(1), HasDesired: true, Desired: int64(2),
			}},
		})
	}
	for _, kind := range []string{"Job", "Service", "Pod", "RoleBinding"} {
		require.Contains(t, block(kind), "--recreate", kind)
	}
	for _, kind := range []string{
		"PersistentVolumeClaim", "PersistentVolume", "StatefulSet", "Namespace", "CustomResourceDefinition",
	} {
		require.NotContains(t, block(kind), "--recreate", "%s: deleting it loses data or takes others along", kind)
		require.Contains(t, block(kind), `tazuna.pepabo.com/recreate: "true"`, kind)
	}
	require.Contains(t, block("Job"), "  .spec.a: immutable: live 1, the files have 2\n")
	require.Contains(t, block("Job"), "  field is immutable\n")
}

func TestBlockedWithoutAnImmutableField(t *testing.T) {
	require.Equal(t, "@@ blocked job/x (batch/v1) cluster @@\n  why\n", printedBlock(t, plan.ObjectReport{
		APIVersion: "batch/v1", Kind: "Job", Name: "x", Op: plan.OpBlocked, Reason: "why",
	}))
}

func TestErrorBlock(t *testing.T) {
	require.Equal(t, "@@ error job/x (batch/v1) cluster @@\n  one\n    two\n", printedBlock(t, plan.ObjectReport{
		APIVersion: "batch/v1", Kind: "Job", Name: "x", Op: plan.OpError, Reason: "one\ntwo\n",
	}))
}

func TestIgnoredOnlyWhenAskedFor(t *testing.T) {
	o := plan.ObjectReport{APIVersion: "v1", Kind: "Service", Name: "x", Hidden: []plan.Difference{
		{Path: ".spec.a", HasLive: true, Live: true, HasDesired: true, Desired: "no"},
	}}
	require.Empty(t, printedBlock(t, o))
	var out bytes.Buffer
	options := testOptions(&out)
	options.ShowIgnored = true
	require.NoError(t, Changes(&plan.Report{Objects: []plan.ObjectReport{o}}, options))
	require.Equal(t, "@@ ignored service/x (v1) cluster @@\n  .spec.a: the server keeps true, the files have \"no\"\n", out.String())
}
