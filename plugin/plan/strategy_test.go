package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// planOne plans one ConfigMap named a with an annotation against a live one, or
// against none.
func planOne(t *testing.T, annotation string, exists bool) (*Plan, *busyCluster) {
	t.Helper()
	reader := &busyCluster{gone: !exists}
	reader.live = &unstructured.Unstructured{Object: parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, uid: u, resourceVersion: '7'}\ndata: {k: old}")}
	if !exists {
		reader.live.SetName("other")
	}
	desired := object.Object{Body: parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, annotations: {"+annotation+"}}\ndata: {k: new}")}
	got, err := Planner{Cluster: reader}.Plan(t.Context(), []Input{{Manifest: "m", Objects: []object.Object{desired}}})
	require.NoError(t, err)
	require.Len(t, got.Objects, 1)
	return got, reader
}

func TestPlanFollowsStrategies(t *testing.T) {
	tests := map[string]struct {
		annotation string
		exists     bool
		op         Op
		words      string
		asked      int // requests but reads
	}{
		"no annotation":              {"", true, OpUpdate, "", 1},
		"somebody else's":            {"kapp.k14s.io/exists: ''", true, OpNone, "", 0},
		"somebody else's, not there": {"kapp.k14s.io/exists: ''", false, OpExists, "", 0},
		"left alone":                 {"kapp.k14s.io/noop: ''", true, OpNone, "", 0},
		"left alone, not there":      {"kapp.k14s.io/noop: ''", false, OpNone, "", 0},
		"never updated":              {"kapp.k14s.io/update-strategy: skip", true, OpSkip, "skip", 1},
		"never updated, but made":    {"kapp.k14s.io/update-strategy: skip", false, OpCreate, "", 0},
		"always replaced":            {"kapp.k14s.io/update-strategy: always-replace", true, OpReplace, "always replace", 2},
		"replaced if refused":        {"kapp.k14s.io/update-strategy: fallback-on-replace", true, OpUpdate, "fallback on replace", 1},
		"updated if it is there":     {"kapp.k14s.io/create-strategy: fallback-on-update", false, OpCreate, "fallback on update", 0},
		"or nothing":                 {"kapp.k14s.io/create-strategy: fallback-on-update-or-noop", false, OpCreate, "fallback on update or noop", 0},
		"a word nobody knows":        {"kapp.k14s.io/update-strategy: never", true, OpError, "", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, reader := planOne(t, tt.annotation, tt.exists)
			report := got.Report(object.DefaultMasker())
			assert.Equal(t, tt.op, got.Objects[0].Op)
			assert.Equal(t, tt.words, report.Objects[0].OpStrategy)
			assert.Equal(t, tt.asked, reader.attempts)
			assert.Equal(t, tt.op != OpNone, report.Differs())
		})
	}
}

// An object that is left alone is in no record, and asks for no repair of one.
func TestLeftAloneIsNotRecorded(t *testing.T) {
	got, _ := planOne(t, "kapp.k14s.io/exists: ''", true)
	assert.True(t, got.Empty())
	assert.Empty(t, got.Manifests[0].Repair)
}
