package plan

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// noteLosses says of every definition that is to be deleted how many objects go
// with it. It asks only then.
func (p Planner) noteLosses(ctx context.Context, list []*Object) {
	for _, o := range list {
		if o.Op == OpDelete && o.Ref.GroupKind() == crdKind {
			o.Notes = append(o.Notes, p.lossOf(ctx, o))
		}
	}
}

func (p Planner) lossOf(ctx context.Context, o *Object) string {
	group, _, _ := unstructured.NestedString(o.Live, "spec", "group")
	kind, _, _ := unstructured.NestedString(o.Live, "spec", "names", "kind")
	m, err := p.Cluster.Mapping(ctx, schema.GroupKind{Group: group, Kind: kind}, "")
	if err != nil {
		return fmt.Sprintf("every %s goes with it; how many there are can't be told: %v", kind, err)
	}
	objects, err := p.Cluster.List(ctx, m, cluster.ListOptions{MetadataOnly: true})
	switch {
	case err != nil:
		return fmt.Sprintf("every %s goes with it; how many there are can't be told: %v", kind, err)
	case len(objects) == 1:
		return "1 object of its kind goes with it"
	default:
		return fmt.Sprintf("%d objects of its kind go with it", len(objects))
	}
}
