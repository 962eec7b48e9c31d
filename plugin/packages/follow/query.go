package follow

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Client is the part of cluster.Client that is needed.
type Client interface {
	Collect(ctx context.Context, m cluster.Mapping, o cluster.ListOptions) (cluster.Collection, error)
	Watch(ctx context.Context, m cluster.Mapping, namespace string, o cluster.ListOptions) (watch.Interface, error)
}

// Query says which objects are meant.
type Query struct {
	Mapping cluster.Mapping
	// Namespace empty means all namespaces.
	Namespace string
	// Labels is a label selector, Name the name of one object; empty means any.
	Labels, Name string
	// MetadataOnly leaves out everything but metadata.
	MetadataOnly bool
	// Without are fields that are not kept, with dots between their names. Bodies are held
	// as long as they are followed: of many large ones that is memory.
	Without []string
}

// key is what makes two queries the same one.
type key struct {
	group, version, resource string
	namespace, labels, name  string
	metadataOnly             bool
	without                  string
}

func (q Query) key() key {
	return key{
		group: q.Mapping.GVR.Group, version: q.Mapping.GVR.Version, resource: q.Mapping.GVR.Resource,
		namespace: q.Namespace, labels: q.Labels, name: q.Name, metadataOnly: q.MetadataOnly, without: strings.Join(q.Without, " "),
	}
}

// trim takes out of a body, which is nobody else's yet, what is not kept.
func (q Query) trim(body map[string]any) map[string]any {
	for _, path := range q.Without {
		unstructured.RemoveNestedField(body, strings.Split(path, ".")...)
	}
	return body
}

func (q Query) options(resourceVersion string) cluster.ListOptions {
	o := cluster.ListOptions{
		Namespace: q.Namespace, LabelSelector: q.Labels, MetadataOnly: q.MetadataOnly, ResourceVersion: resourceVersion,
	}
	if q.Name != "" {
		o.FieldSelector = "metadata.name=" + q.Name
	}
	return o
}

// Listener hears of objects. Bodies are shared: they must not be changed.
type Listener interface {
	// Reset takes all objects there are, by namespace and name.
	Reset(bodies []map[string]any)
	// Set takes the present state of one object.
	Set(body map[string]any)
	// Remove takes note that an object is gone.
	Remove(ref object.Ref)
}
