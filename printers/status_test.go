package printers

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

func sampleStatus() *Status {
	return NewStatus([]StatusManifest{
		{Manifest: "web", Objects: []ObjectStatus{
			{StateResource: config, Status: "Ready"},
			{StateResource: nginx, Status: "NotReady", Reason: "Available: 0/1\nforged line"},
			{StateResource: admin, Status: "Missing"},
			{StateResource: generated, Status: "Error", Reason: "forbidden"},
		}},
		{Manifest: "empty"},
	})
}

func TestStatusGolden(t *testing.T) {
	goldenPlainAndColored(t, "status", sampleStatus().Print)
	golden(t, "status-json", []byte(structured(t, "json", sampleStatus())))
	require.Equal(t, "deployment.apps/nginx\nclusterrole.rbac.authorization.k8s.io/cert-manager:leaderelection-and-more\nsecret/generated\n",
		structured(t, "name", sampleStatus()), "what is not ready")
	require.Equal(t, 1, sampleStatus().Ready)
	require.Equal(t, 4, sampleStatus().Total)
}

func TestStatusPrintsWhatChanged(t *testing.T) {
	next := sampleStatus()
	next.Manifests[0].Objects[1] = ObjectStatus{StateResource: nginx, Status: "Ready"}
	var out bytes.Buffer
	require.NoError(t, next.PrintChanged(Options{Out: &out}, sampleStatus()))
	require.Equal(t, "web: Ready     Deployment           default/nginx\n", out.String())
	out.Reset()
	require.NoError(t, next.PrintChanged(Options{Out: &out}, next))
	require.Empty(t, out.String())
}

func TestStateShowGolden(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	show := NewStateShow([]ShownEntry{
		{
			Manifest: "web", StateEntry: StateEntry{StateResource: config, ContentHash: hashA}, UID: "u-1", ResourceVersion: "7", Order: 2,
			Live:        "present, resource version 8",
			Authors:     []plan.Author{{Manager: "tazuna", Operation: "Apply", Time: &at}, {Manager: "some\none", Operation: "Update", Subresource: "status"}},
			LastApplied: map[string]any{"kind": "ConfigMap", "data": map[string]any{"a": "x\ny", "b": "\x1b[31m"}},
		},
		{Manifest: "web", StateEntry: StateEntry{StateResource: admin}, Live: "missing"},
	})
	goldenPlainAndColored(t, "state-show", show.Print)
	golden(t, "state-show-json", []byte(structured(t, "json", show)))
}
