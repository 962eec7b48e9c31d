package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// A body for an update is the live object with what we want in it: what others put
// there stays, wherever server-side apply would leave it.
func TestPutOver(t *testing.T) {
	tests := map[string]struct{ live, send, applied, want string }{
		"values are replaced and added": {
			live: `{a: 1, theirs: 2}`, send: `{a: 3, b: 4}`, want: `{a: 3, b: 4, theirs: 2}`,
		},
		"a map grows": {
			live: `{m: {theirs: x}}`, send: `{m: {ours: y}}`, want: `{m: {ours: y, theirs: x}}`,
		},
		"what left the files goes, what was never ours stays": {
			live: `{a: 1, gone: 2, theirs: 3}`, send: `{a: 1}`, applied: `{a: 1, gone: 2}`, want: `{a: 1, theirs: 3}`,
		},
		"elements are found by their key and keep their place": {
			live: `{keyed: [{name: theirs, v: 1}, {name: a, v: 2, w: 3}]}`, send: `{keyed: [{name: b, v: 5}, {name: a, v: 4}]}`,
			want: `{keyed: [{name: theirs, v: 1}, {name: a, v: 4, w: 3}, {name: b, v: 5}]}`,
		},
		"an element that left goes": {
			live: `{keyed: [{name: theirs, v: 1}, {name: a, v: 2}]}`, send: `{keyed: []}`, applied: `{keyed: [{name: a, v: 2}]}`,
			want: `{keyed: [{name: theirs, v: 1}]}`,
		},
		"a set is joined": {
			live: `{set: [x, y]}`, send: `{set: [z, y]}`, want: `{set: [x, y, z]}`,
		},
		"elements without a key are taken by position": {
			live: `{plain: [{a: 1, theirs: 2}, {a: 3}]}`, send: `{plain: [{a: 5}]}`, want: `{plain: [{a: 5, theirs: 2}]}`,
		},
		"keys that are none": {
			live: `{keyed: [{name: a, v: 1}, {name: a, v: 2}]}`, send: `{keyed: [{name: a, v: 3}]}`, want: `{keyed: [{name: a, v: 3}]}`,
		},
		"another type": {
			live: `{a: {b: 1}, plain: text}`, send: `{a: 2, plain: [1]}`, want: `{a: 2, plain: [1]}`,
		},
	}
	s := putSchema(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			live, send := putBody(t, tt.live), putBody(t, tt.send)
			var applied map[string]any
			if tt.applied != "" {
				applied = putBody(t, tt.applied)
			}
			before := (&unstructured.Unstructured{Object: live}).DeepCopy().Object
			e := evidence{schema: s, cmp: compare(send, applied, live, s, true, nil), ownership: ownership{manager: "tazuna", adopted: adoptedByDefault, puts: true}}
			require.Equal(t, putBody(t, tt.want), putOver(live, send, e))
			require.Equal(t, before, live, "the live object stays as it was read")
		})
	}
}

func putBody(t *testing.T, spec string) map[string]any {
	t.Helper()
	return parsed(t, "apiVersion: example.com/v1\nkind: Parcel\nmetadata: {name: a}\nspec: "+spec)
}

func putSchema(t *testing.T) *cluster.Schema {
	t.Helper()
	s, err := cluster.ParseSchema([]byte(`{"components": {"schemas": {"Parcel": {"type": "object",
		"x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Parcel"}],
		"properties": {"spec": {"type": "object", "properties": {
			"keyed": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object", "properties": {"name": {"type": "string"}, "v": {"type": "integer"}}}},
			"set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}}}}}}}}`),
		schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Parcel"})
	require.NoError(t, err)
	require.NotNil(t, s)
	return s
}

// putCluster has one Parcel, which takes no patch.
type putCluster struct {
	busyCluster
	rehearses bool
	updates   []cluster.WriteOptions
}

func (c *putCluster) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	return cluster.Mapping{
		GVK: gk.WithVersion(version), GVR: schema.GroupVersionResource{Group: gk.Group, Version: version, Resource: "parcels"},
		Verbs: sets.New("get", "list", "create", "update"),
	}, nil
}

func (c *putCluster) Rehearses(context.Context, schema.GroupVersionKind) (bool, error) {
	return c.rehearses, nil
}

func (c *putCluster) Update(_ context.Context, _ cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error) {
	c.updates = append(c.updates, o)
	return &unstructured.Unstructured{Object: body}, nil
}

// No update is ever sent to a server that doesn't say that it takes a dry-run.
func TestPlanNeverWritesForADiff(t *testing.T) {
	for _, rehearses := range []bool{false, true} {
		c := &putCluster{rehearses: rehearses}
		c.live = &unstructured.Unstructured{Object: parsed(t, "apiVersion: example.com/v1\nkind: Parcel\nmetadata: {name: a, uid: u, resourceVersion: '7'}\nspec: {a: 1, theirs: 2}")}
		desired := object.Object{Body: putBody(t, `{a: 3}`)}
		got, err := Planner{Cluster: c, Policy: ManifestPolicy()}.Plan(t.Context(), []Input{{Manifest: "m", Objects: []object.Object{desired}}})
		require.NoError(t, err)
		o := got.Objects[0]
		require.Equal(t, OpUpdate, o.Op)
		require.Equal(t, parsed(t, "apiVersion: example.com/v1\nkind: Parcel\nmetadata: {name: a, uid: u, resourceVersion: '7'}\nspec: {a: 3, theirs: 2}"), o.Send)
		require.Zero(t, c.attempts, "no server-side apply")
		if !rehearses {
			require.Empty(t, c.updates)
			require.Contains(t, o.Unverified, "dry-run")
			continue
		}
		require.Equal(t, []cluster.WriteOptions{{DryRun: true, Manager: "tazuna"}}, c.updates)
		require.Empty(t, o.Unverified)
	}
}
