package plan

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// webhooks is a cluster with one object of every kind that may mutate.
type webhooks struct {
	busyCluster
	version, revision string
	err               error
	unserved          bool
}

func (w *webhooks) ServerVersion(context.Context) (*version.Info, error) {
	return &version.Info{GitVersion: w.version}, nil
}

func (w *webhooks) Mapping(ctx context.Context, gk schema.GroupKind, v string) (cluster.Mapping, error) {
	if w.unserved && gk.Kind != "MutatingWebhookConfiguration" {
		return cluster.Mapping{}, &cluster.ErrNoKind{GroupKind: gk}
	}
	return w.busyCluster.Mapping(ctx, gk, v)
}

func (w *webhooks) List(context.Context, cluster.Mapping, cluster.ListOptions) ([]*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetUID("u")
	u.SetResourceVersion(w.revision)
	return []*unstructured.Unstructured{u}, w.err
}

func TestCircumstancesChangeWithWhatMutates(t *testing.T) {
	of := func(w webhooks) string {
		got, err := Circumstances(t.Context(), &w)
		require.NoError(t, err)
		require.NotEmpty(t, got)
		return got
	}
	same := of(webhooks{version: "v1.34.0", revision: "1"})
	assert.Equal(t, same, of(webhooks{version: "v1.34.0", revision: "1"}))
	assert.NotEqual(t, same, of(webhooks{version: "v1.35.0", revision: "1"}), "another server")
	assert.NotEqual(t, same, of(webhooks{version: "v1.34.0", revision: "2"}), "a webhook was changed")
	assert.NotEqual(t, same, of(webhooks{version: "v1.34.0", revision: "1", unserved: true}), "no policies")
	_, err := Circumstances(t.Context(), &webhooks{err: errors.New("forbidden")})
	assert.Error(t, err, "what can't be seen may have changed")
}

func TestMemoScopeTellsRunsApart(t *testing.T) {
	same := MemoScope([]string{"r"}, "me", "here")
	assert.Equal(t, same, MemoScope([]string{"r"}, "me", "here"))
	assert.NotEqual(t, same, MemoScope([]string{"s"}, "me", "here"))
	assert.NotEqual(t, same, MemoScope([]string{"r"}, "you", "here"))
	assert.NotEqual(t, same, MemoScope([]string{"r"}, "me", "there"))
}
