package printers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

const (
	hashA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hashB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

var (
	nginx     = StateResource{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "default", Name: "nginx"}
	config    = StateResource{Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "my-cm"}
	admin     = StateResource{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "cert-manager:leaderelection-and-more"}
	generated = StateResource{Version: "v1", Kind: "Secret", Namespace: "default", Name: "generated"}
)

func TestStateResourceIsTheStateKeyWithoutManifest(t *testing.T) {
	require.Equal(t, "apps/v1/Deployment/default/nginx", nginx.String())
	require.Equal(t, "/v1/ConfigMap/default/my-cm", config.String(), "the core group is an empty segment")
	require.Equal(t, "rbac.authorization.k8s.io/v1/ClusterRole/cert-manager:leaderelection-and-more", admin.String())
}

func sampleStateList() *StateList {
	return NewStateList([]StateManifest{
		{
			Manifest: "web", LastSyncedAt: "2026-03-01T10:00:00Z", GitCommitHash: "0123abc",
			Entries: []StateEntry{
				{StateResource: nginx, ContentHash: hashA},
				{StateResource: config},
				{StateResource: admin, ContentHash: hashB},
				{RawKey: "not__a__key"},
			},
			Notes: []string{"no access to Secrets: fields were taken from managedFields"},
		},
		{Manifest: "empty"},
		{Manifest: "old", Orphan: true, Entries: []StateEntry{{StateResource: config, ContentHash: hashA}}},
	})
}

func TestStateListGolden(t *testing.T) {
	goldenPlainAndColored(t, "state-list", sampleStateList().Print)
	golden(t, "state-list-json", []byte(structured(t, "json", sampleStateList())))
	require.Equal(t, "configmap/my-cm\ndeployment.apps/nginx\n"+
		"clusterrole.rbac.authorization.k8s.io/cert-manager:leaderelection-and-more\nconfigmap/my-cm\n",
		structured(t, "name", sampleStateList()))
}

// A name that is longer than the column moves the whole column.
func TestHashesStandBelowEachOther(t *testing.T) {
	for _, print := range []func(Options) error{sampleStateList().Print, sampleStateDiff().Print} {
		var out bytes.Buffer
		require.NoError(t, print(Options{Out: &out}))
		block, _, _ := strings.Cut(out.String(), "\n\n")
		at := -1
		for line := range strings.SplitSeq(block, "\n") {
			for _, hash := range []string{"HASH", hashA, hashB} {
				i := strings.Index(line, " "+hash)
				if i < 0 {
					continue
				}
				if at < 0 {
					at = i
				}
				if !strings.Contains(line, "was: ") {
					require.Equal(t, at, i, line)
				}
				break
			}
		}
		require.Positive(t, at)
	}
}

func TestResultsDoNotReorderTheirInput(t *testing.T) {
	manifests := []StateManifest{{Entries: []StateEntry{{StateResource: nginx}, {StateResource: config}}}}
	require.Equal(t, config, NewStateList(manifests).Manifests[0].Entries[0].StateResource)
	require.Equal(t, nginx, manifests[0].Entries[0].StateResource)
}

func sampleStateDiff() *StateDiff {
	return NewStateDiff([]StateDiffManifest{
		{Manifest: "web", Changes: []StateChange{
			{nginx, "added", hashA, ""},
			{config, "modified", hashB, hashA},
			{admin, "removed", "", hashA},
			{generated, "always-sync", hashB, hashB},
		}},
		{Manifest: "same"},
		{Manifest: "unreadable", Notes: []string{"the hash key can't be read"}, Changes: []StateChange{{generated, "unknown", hashA, hashB}}},
	})
}

func TestStateDiffGolden(t *testing.T) {
	goldenPlainAndColored(t, "state-diff", sampleStateDiff().Print)
	golden(t, "state-diff-json", []byte(structured(t, "json", sampleStateDiff())))
	require.Equal(t, "deployment.apps/nginx", strings.SplitN(structured(t, "name", sampleStateDiff()), "\n", 2)[0])
}

func sampleStateDrift() *StateDrift {
	return NewStateDrift([]StateDriftManifest{{Manifest: "web", Objects: []StateDrifted{
		{
			StateResource: nginx, Status: "live-drifted", LiveHash: hashB, StoredHash: hashA,
			Differences: []plan.Difference{
				{
					Path: ".spec.replicas", Verdict: plan.VerdictDrift, Authors: []plan.Author{author("kubectl-edit")},
					HasLive: true, Live: int64(5), HasDesired: true, Desired: int64(2),
				},
				{Path: ".spec.paused", Verdict: plan.VerdictRemove, HasLive: true, Live: true},
			},
		},
		{StateResource: config, Status: "live-missing", StoredHash: hashA},
		{StateResource: admin, Status: DriftAnnounced, Reason: "a run was to make it"},
		{StateResource: generated, Status: DriftUnknown, Reason: "an apply of it was begun"},
	}}, {Manifest: "same"}})
}

func TestStateDriftGolden(t *testing.T) {
	goldenPlainAndColored(t, "state-drift", sampleStateDrift().Print)
	golden(t, "state-drift-json", []byte(structured(t, "json", sampleStateDrift())))
	require.Equal(t, "deployment.apps/nginx\nconfigmap/my-cm\n", structured(t, "name", sampleStateDrift()))
}

func TestStateOfNothing(t *testing.T) {
	tests := map[string]struct {
		result interface{ Print(Options) error }
		want   string
	}{
		"no manifests":      {NewStateList(nil), ""},
		"no state":          {NewStateList([]StateManifest{{Manifest: "a"}}), "Manifest: a\n  No state found\n\n"},
		"no changes":        {NewStateDiff(nil), "No changes detected.\n"},
		"no changes of any": {NewStateDiff([]StateDiffManifest{{Manifest: "a"}}), "No changes detected.\n"},
		"no drift":          {NewStateDrift([]StateDriftManifest{{Manifest: "a"}}), "No drift detected.\n"},
		"not compared":      {NewStateDrift([]StateDriftManifest{{Manifest: "a"}, {Manifest: "b", Failed: true}}), ""},
		"no drift, with a note": {
			NewStateDrift([]StateDriftManifest{{Manifest: "a", Notes: []string{"one\ntwo"}}}),
			"Manifest: a\n  note: one\n    two\n\nNo drift detected.\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.NoError(t, test.result.Print(testOptions(&out)))
			require.Equal(t, test.want, out.String())
		})
	}
	require.Contains(t, structured(t, "json", NewStateDiff(nil)), `"manifests": []`)
	require.Contains(t, structured(t, "json", NewStateList([]StateManifest{{Manifest: "a"}})), `"entries": []`)
}
