package plan

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// closed answers reads of one kind with an error.
type closed struct {
	busyCluster
	kind        string
	err         error
	invalidated int
}

func (c *closed) Mapping(_ context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error) {
	return cluster.Mapping{GVK: gk.WithVersion(version), GVR: gk.WithVersion(version).GroupVersion().WithResource(gk.Kind), Namespaced: true}, nil
}

func (c *closed) List(_ context.Context, m cluster.Mapping, _ cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	if m.GVK.Kind == c.kind {
		return nil, c.err
	}
	return nil, nil
}

func (c *closed) Get(context.Context, cluster.Mapping, string, string) (*unstructured.Unstructured, error) {
	return nil, c.err
}

func (c *closed) InvalidateDiscovery() { c.invalidated++ }

const widgetDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.demo.example}
spec: {group: demo.example, names: {kind: Widget}}`

func planClosed(t *testing.T, c *closed, record *state.Record, texts ...string) (*Plan, error) {
	t.Helper()
	in := Input{Manifest: "m", Record: record}
	for _, text := range texts {
		in.Objects = append(in.Objects, object.Object{Body: parsed(t, text)})
	}
	policy := ManifestPolicy()
	policy.Prune = true
	return Planner{Cluster: c, Policy: policy}.Plan(t.Context(), []Input{in})
}

func recordOf(refs ...object.Ref) *state.Record {
	rec := &state.Record{Manifest: "m"}
	for _, r := range refs {
		rec.Entries = append(rec.Entries, state.Entry{
			Key:         state.Key{Manifest: "m", Group: r.Group, Version: "v1", Kind: r.Kind, Namespace: r.Namespace, Name: r.Name},
			ContentHash: "hash",
		})
	}
	return rec
}

const (
	shopSecret = "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}"
	shopConfig = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}"
	shopWidget = "apiVersion: demo.example/v1\nkind: Widget\nmetadata: {name: a, namespace: shop}"
)

func TestPlanWithoutTheRightToReadOneKind(t *testing.T) {
	c := &closed{kind: "Secret", err: apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", errors.New("no"))}
	got, err := planClosed(t, c, recordOf(object.Ref{Kind: "Secret", Namespace: "shop", Name: "old"}), shopSecret, shopConfig)
	require.NoError(t, err)
	require.Len(t, got.Objects, 2)
	secret, config := got.Objects[0], got.Objects[1]
	require.Equal(t, OpError, secret.Op)
	require.ErrorContains(t, secret.Err, "can't be compared: ")
	require.ErrorContains(t, secret.Err, "forbidden")
	require.Equal(t, secret.Err.Error(), secret.Unverified)
	require.Equal(t, OpCreate, config.Op)
	require.Len(t, got.Leftover, 1, "what can't be seen is never deleted")
	require.Contains(t, got.Leftover[0].Reason, "forbidden")
	require.Empty(t, got.Manifests[0].Gone, "it may well be there")

	report := got.Report(object.DefaultMasker())
	rest, unread := report.Compared()
	require.Equal(t, 1, unread)
	require.Zero(t, rest.Summary.Failed)
	require.Equal(t, 1, rest.Summary.Create)
	require.Len(t, report.Objects, 2, "the report itself stays whole")
	all, unread := rest.Compared()
	require.Zero(t, unread)
	require.Same(t, rest, all)
}

func TestPlanFailsWhereReadingFails(t *testing.T) {
	_, err := planClosed(t, &closed{kind: "Secret", err: errors.New("boom")}, nil, shopSecret)
	require.ErrorContains(t, err, "boom")
}

// Discovery may be remembered from before a CustomResourceDefinition was deleted.
func TestPlanOfAKindThatIsNoLongerServed(t *testing.T) {
	gone := func() *closed {
		return &closed{kind: "Widget", err: &cluster.ErrNoKind{GroupKind: schema.GroupKind{Group: "demo.example", Kind: "Widget"}, Version: "v1"}}
	}
	c := gone()
	got, err := planClosed(t, c, recordOf(object.Ref{Group: "demo.example", Kind: "Widget", Namespace: "shop", Name: "old"}), widgetDefinition, shopWidget)
	require.NoError(t, err)
	require.Len(t, got.Objects, 2)
	require.Equal(t, OpCreate, got.Objects[1].Op, "%v", got.Objects[1].Err)
	require.False(t, got.Objects[1].MappingKnown)
	require.Equal(t, 1, c.invalidated)
	require.Len(t, got.Leftover, 1)

	got, err = planClosed(t, gone(), nil, shopWidget, shopConfig)
	require.NoError(t, err)
	require.Equal(t, OpError, got.Objects[0].Op)
	require.True(t, Unserved(got.Objects[0].Err))
	require.Equal(t, OpCreate, got.Objects[1].Op)
}
