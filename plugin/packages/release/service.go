package release

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Cluster is what releases ask of a cluster; *cluster.Client has it.
type Cluster interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	Kinds(ctx context.Context) (kinds []cluster.Mapping, complete bool, err error)
	InvalidateDiscovery()
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	List(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) ([]*unstructured.Unstructured, error)
	Collect(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error)
	Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error)
	Apply(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error)
	Patch(ctx context.Context, m cluster.Mapping, namespace, name string, kind types.PatchType, data []byte, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Create(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Update(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.WriteOptions) (*unstructured.Unstructured, error)
	Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error
	Remove(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) (gone bool, err error)
	Schema(ctx context.Context, gvk schema.GroupVersionKind) (*cluster.Schema, error)
	SchemaVersion(ctx context.Context, gv schema.GroupVersion) (string, error)
	Rehearses(ctx context.Context, gvk schema.GroupVersionKind) (bool, error)
	Context() cluster.ContextInfo
}

// Service works on the releases of all applications. It may be used by several
// goroutines, as long as each release has one at a time. Its fields are not changed
// once it is used.
type Service struct {
	Cluster Cluster
	// Clock is the real one if nil.
	Clock clock.Clock
	// Limit bounds one apply or one uninstallation; 0 means DefaultLimit.
	Limit time.Duration
	// History is how many revisions are kept, whatever became of them; 0 means
	// DefaultHistory.
	History int
	// Concurrency bounds the requests of one apply in flight; 0 means 16.
	Concurrency int
	// ProgressEvery is the least time between two reports to Request.Progress; 0 means
	// DefaultProgressEvery.
	ProgressEvery time.Duration
	// Namespaces are those in which releases are looked for, one by one: for more there
	// may be no right. None is the whole cluster.
	Namespaces []string
}

// Defaults of Service.
const (
	DefaultLimit         = 30 * time.Minute
	DefaultHistory       = 10
	DefaultProgressEvery = 5 * time.Second
)

// fieldManager is the one of our applies.
const fieldManager = "tazuna-packages"

// ParseLimit reads Service.Limit as people set it. What is no time, or none that is
// longer than nothing, gives DefaultLimit: an apply without a limit, or with none at
// all, would help nobody.
func ParseLimit(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return DefaultLimit
	}
	return d
}

func (s *Service) clock() clock.Clock {
	if s.Clock != nil {
		return s.Clock
	}
	return clock.RealClock{}
}

func (s *Service) limit() time.Duration {
	if s.Limit > 0 {
		return s.Limit
	}
	return DefaultLimit
}

func (s *Service) store() store { return store{cluster: s.Cluster, clock: s.clock()} }

// Installed lists the releases in the cluster that carry our mark, by name. It reads
// metadata only.
func (s *Service) Installed(ctx context.Context) ([]Found, error) {
	return s.store().installed(ctx, s.Namespaces)
}

// Latest returns the newest revision of an application's release; nil if it has none.
func (s *Service) Latest(ctx context.Context, namespace, instance string) (*Revision, error) {
	history, err := s.store().history(ctx, namespace, api.InstanceName(namespace, instance))
	if err != nil {
		return nil, err
	}
	return latest(history), nil
}
