package apply

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Writer is what a run asks of a cluster; *cluster.Client has it. Errors of the
// API server must be recognisable with apimachinery's api/errors. When the
// context of a write ends, a request on its way gets a moment for its answer;
// without one the error is a *cluster.ErrOutcomeUnknown.
type Writer interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	InvalidateDiscovery()
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
	Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error)
	Apply(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error)
	Patch(ctx context.Context, m cluster.Mapping, namespace, name string, kind types.PatchType, data []byte,
		o cluster.WriteOptions) (*unstructured.Unstructured, error)
	// Create and Update serve kinds that take no patch.
	Create(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Update(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	// Remove deletes; gone: the object is known to be no longer there.
	Remove(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) (gone bool, err error)
}

// Session is one run's write side of one manifest's record; *state.Session has it.
type Session interface {
	// Alive returns an error when the lock may have been lost: no write may start.
	Alive() error
	// WriteAhead records that these keys are about to be written.
	WriteAhead(ctx context.Context, wanted []state.Key) error
	// Applied and Removed note an outcome in memory. They are safe for concurrent use.
	Applied(e state.Entry)
	Removed(k state.Key)
	// Save writes the record; final marks a complete run of the manifest.
	Save(ctx context.Context, final bool, m state.Metadata) error
}

// LogReader reads the last lines of a container, those of its previous run if
// that is the one that failed. Run calls it only to explain a failure.
type LogReader func(ctx context.Context, namespace, pod, container string, previous bool, lines int64) ([]string, error)
