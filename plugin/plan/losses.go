package plan

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// noteLosses says of every definition and namespace that is to be deleted, or
// would be if the user allowed it, how many objects go with it. It asks only then.
func (p Planner) noteLosses(ctx context.Context, out *Plan) {
	for _, o := range out.Objects {
		switch {
		case !o.Leaves() || o.Live == nil:
		case o.Ref.GroupKind() == crdKind:
			o.Notes = append(o.Notes, p.lossOfKind(ctx, o))
		case o.Ref.GroupKind() == schema.GroupKind{Kind: "Namespace"}:
			o.Notes = append(o.Notes, p.lossOfNamespace(ctx, o, recorded(out)))
		}
	}
}

func (p Planner) lossOfKind(ctx context.Context, o *Object) string {
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

// recorded are the objects that the records of the run list.
func recorded(out *Plan) map[object.Ref]bool {
	refs := map[object.Ref]bool{}
	for _, m := range out.Manifests {
		if m.Record == nil {
			continue
		}
		for _, e := range m.Record.Entries {
			refs[e.Key.Ref()] = true
		}
	}
	return refs
}

// kindLister names the kinds of a cluster; cluster.Client does.
type kindLister interface {
	NamespacedKinds(ctx context.Context) (kinds []cluster.Mapping, complete bool, err error)
}

// lossOfNamespace counts what is in a namespace and in no record of the run. What
// every namespace has, or a controller made for something else, is not counted.
func (p Planner) lossOfNamespace(ctx context.Context, o *Object, ours map[object.Ref]bool) string {
	lister, ok := p.Cluster.(kindLister)
	if !ok {
		return "everything in it goes with it"
	}
	kinds, complete, err := lister.NamespacedKinds(ctx)
	if err != nil {
		return "everything in it goes with it; what there is can't be told: " + err.Error()
	}
	counts := make([]int, len(kinds))
	unread := make([]bool, len(kinds))
	err = p.each(ctx, len(kinds), func(i int) error {
		objects, err := p.Cluster.List(ctx, kinds[i], cluster.ListOptions{Namespace: o.Ref.Name, MetadataOnly: true})
		unread[i] = err != nil // one kind that can't be listed leaves the others
		counts[i] = foreign(objects, kinds[i], ours)
		return ctx.Err()
	})
	if err != nil {
		return "everything in it goes with it; what there is can't be told: " + err.Error()
	}
	return lossText(counts, unread, complete)
}

func lossText(counts []int, unread []bool, complete bool) string {
	total := 0
	for i, n := range counts {
		total += n
		complete = complete && !unread[i]
	}
	bound := ""
	if !complete {
		bound = "at least "
	}
	switch {
	case total == 0 && complete:
		return "it holds nothing that is not ours"
	case total == 0:
		return "what it holds goes with it; nothing is known that is not ours, and not all kinds could be read"
	case total == 1:
		return "it holds " + bound + "1 object that is not ours and goes with it"
	}
	return fmt.Sprintf("it holds %s%d objects that are not ours and go with it", bound, total)
}

// foreign counts objects of one kind that no record of the run lists.
func foreign(objects []*unstructured.Unstructured, m cluster.Mapping, ours map[object.Ref]bool) int {
	n := 0
	for _, o := range objects {
		ref := object.Ref{Group: m.GVK.Group, Kind: m.GVK.Kind, Namespace: o.GetNamespace(), Name: o.GetName()}
		if !ours[ref] && !madeForIt(ref) && !controlled(o) {
			n++
		}
	}
	return n
}

// madeForIt knows what the cluster itself puts into every namespace.
func madeForIt(ref object.Ref) bool {
	switch (object.Ref{Group: ref.Group, Kind: ref.Kind}) {
	case object.Ref{Kind: "ServiceAccount"}:
		return ref.Name == "default"
	case object.Ref{Kind: "ConfigMap"}:
		return ref.Name == "kube-root-ca.crt"
	default:
		return false
	}
}

// controlled tells that the object belongs to another one, which is counted.
func controlled(o *unstructured.Unstructured) bool {
	for _, owner := range o.GetOwnerReferences() {
		if owner.Controller != nil && *owner.Controller {
			return true
		}
	}
	return false
}
