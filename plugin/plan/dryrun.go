package plan

import (
	"context"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// dryRun asks the server what a forced apply would make of the object.
//
// What goes once the fields of adopted managers are ours, the server can't know
// before they are. It is asked again then, about the object without it: it may
// put a default in its place, or not do without.
func (p Planner) dryRun(ctx context.Context, o *Object, e evidence) (map[string]any, error) {
	body := withPreconditions(o.Send, string(o.UID), o.ResourceVersion)
	if o.Mapping.OnlyPut() {
		return p.rehearsePut(ctx, o, body, e)
	}
	answer, err := p.Cluster.Apply(ctx, o.Mapping, body, cluster.ApplyOptions{
		Force: true, DryRun: true, Manager: p.Policy.FieldManager, Validation: "Strict",
	})
	if err != nil {
		return nil, err
	}
	result, dropped := afterAdoption(withoutMarks(comparable(answer.Object), e.marks), e)
	if !dropped {
		return result, nil
	}
	data, err := object.EncodeJSON(withPreconditions(mergePatch(e.live, result), string(o.UID), o.ResourceVersion))
	if err != nil {
		return nil, err
	}
	answer, err = p.Cluster.Patch(ctx, o.Mapping, o.Ref.Namespace, o.Ref.Name, types.MergePatchType, data,
		cluster.WriteOptions{DryRun: true, Manager: p.Policy.FieldManager})
	if err != nil {
		return nil, err
	}
	return withoutMarks(comparable(answer.Object), e.marks), nil
}
