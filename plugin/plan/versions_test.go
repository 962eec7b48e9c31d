package plan

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// versionCluster lists some objects and gives each by its name.
type versionCluster struct {
	busyCluster
	objects []*unstructured.Unstructured
	lists   int
}

func (c *versionCluster) List(context.Context, cluster.Mapping, cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	c.lists++
	return c.objects, nil
}

func (c *versionCluster) Get(_ context.Context, _ cluster.Mapping, _, name string) (*unstructured.Unstructured, error) {
	for _, u := range c.objects {
		if u.GetName() == name {
			return u, nil
		}
	}
	return (&busyCluster{gone: true}).Get(context.Background(), cluster.Mapping{}, "", "")
}

func TestWithVersionsGoesOnWithWhatThereIs(t *testing.T) {
	const annotated = "annotations: {kapp.k14s.io/versioned: ''}"
	configMap := func(name, value string) map[string]any {
		return parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: shop, "+annotated+"}, data: {a: '"+value+"'}}")
	}
	begun := func(name string) []state.Entry {
		return []state.Entry{{Key: state.KeyOf("m", object.Object{Body: configMap(name, "")})}}
	}
	tests := map[string]struct {
		record []state.Entry
		live   []map[string]any
		want   string
		kept   []string
		lists  int
	}{
		"nothing is there":               {want: "q-ver-1", lists: 1},
		"begun, and never made":          {record: begun("q-ver-4"), want: "q-ver-4"},
		"begun, made with another one":   {record: begun("q-ver-4"), live: []map[string]any{configMap("q-ver-4", "0")}, want: "q-ver-5", kept: []string{"q-ver-4"}},
		"somebody's, the same content":   {live: []map[string]any{configMap("q-ver-7", "1")}, want: "q-ver-7", lists: 1},
		"somebody's, another one":        {live: []map[string]any{configMap("q-ver-7", "0")}, want: "q-ver-8", kept: []string{"q-ver-7"}, lists: 1},
		"a name that only looks like it": {live: []map[string]any{configMap("q-ver-x", "1")}, want: "q-ver-1", lists: 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			reader := &versionCluster{}
			for _, body := range tt.live {
				reader.objects = append(reader.objects, &unstructured.Unstructured{Object: body})
			}
			p := Planner{Cluster: reader, Policy: Policy{Rules: defaultRules(t)}}
			in := Input{Manifest: "m", Objects: []object.Object{{Body: configMap("q", "1")}}}
			if tt.record != nil {
				in.Record = &state.Record{Manifest: "m", Exists: true, Entries: tt.record}
			}
			got, err := p.WithVersions(t.Context(), in)
			require.NoError(t, err)
			assert.Equal(t, []string{tt.want}, objectNames(got.Objects))
			assert.Equal(t, tt.kept, refNames(got.Versions.Kept))
			assert.Equal(t, tt.lists, reader.lists, "the cluster is only asked for what no record has")
		})
	}
}

func TestWithVersionsRefusesANameThatIsTaken(t *testing.T) {
	objects := loaded(t, versionedMap("q", "1", "")+"---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: q-ver-1, namespace: ns}}\n")
	p := Planner{Cluster: &versionCluster{}, Policy: Policy{Rules: defaultRules(t)}}
	_, err := p.WithVersions(t.Context(), Input{Manifest: "m", Objects: objects})
	require.ErrorContains(t, err, "is also the name of a version of the object in")
}
