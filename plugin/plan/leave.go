package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// leave hands paths over to the cluster: where our entry of managedFields owns
// one, the live value is sent, since leaving it out would reset it to its
// default; else it is left out. Either way it is no difference (docs/concepts.md).
func leave(body, live map[string]any, own ownership, paths []fieldpath.Path) map[string]any {
	ours := own.owned()
	for _, p := range paths {
		l := lookup(live, p)
		switch {
		case !l.ok:
		case has(ours, p):
			body = with(body, p, l.v)
		default:
			body = without(body, p)
		}
	}
	return body
}

// with returns a copy of a body that has the value at a path. A path through a
// list element that isn't there changes nothing; maps are made.
func with(body map[string]any, p fieldpath.Path, v any) map[string]any {
	out, _ := setAt(body, p, v).(map[string]any)
	return out
}

func setAt(at any, p fieldpath.Path, v any) any {
	if len(p) == 0 {
		return v
	}
	switch t := at.(type) {
	case []any:
		return setElement(t, p, v)
	case map[string]any:
		return setField(t, p, v)
	case nil:
		return setField(map[string]any{}, p, v)
	default:
		return at
	}
}

func setField(m map[string]any, p fieldpath.Path, v any) any {
	if p[0].FieldName == nil {
		return m
	}
	out := copyMap(m)
	out[*p[0].FieldName] = setAt(m[*p[0].FieldName], p[1:], v)
	return out
}

func setElement(list []any, p fieldpath.Path, v any) any {
	out := append([]any{}, list...)
	if i := indexOf(list, p[0]); i >= 0 {
		out[i] = setAt(list[i], p[1:], v)
	}
	return out
}

// scaled lists the objects that an autoscaler of the input sizes.
func scaled(inputs []Input) map[object.Ref]bool {
	out := map[object.Ref]bool{}
	for _, in := range inputs {
		for _, o := range in.Objects {
			if o.Ref().GroupKind() != hpaKind {
				continue
			}
			target, _, _ := unstructured.NestedStringMap(o.Body, "spec", "scaleTargetRef")
			gv, err := schema.ParseGroupVersion(target["apiVersion"])
			if err == nil {
				out[object.Ref{Group: gv.Group, Kind: target["kind"], Namespace: o.Namespace(), Name: target["name"]}] = true
			}
		}
	}
	return out
}

// autoscaled reports whether spec.replicas is an autoscaler's: one of the input
// names the object, or the last one to set it was the controller that runs
// HorizontalPodAutoscalers, through the scale subresource.
func autoscaled(own ownership, named bool) bool {
	if named {
		return true
	}
	for _, e := range own.entries {
		if e.author.Subresource == "scale" && e.author.Manager == "kube-controller-manager" && has(e.fields, replicasPath()) {
			return true
		}
	}
	return false
}

func replicasPath() fieldpath.Path { return fieldpath.MakePathOrDie("spec", "replicas") }

// leftToCluster lists the paths of an object that the cluster decides.
func (p Planner) leftToCluster(w *wanted, ready prepared, own ownership, byRules []fieldpath.Path) []fieldpath.Path {
	out := byRules
	if lookup(ready.desired, replicasPath()).ok && autoscaled(own, w.scaled) {
		out = append(out, replicasPath())
		w.out.Notes = append(w.out.Notes, "spec.replicas is left to the autoscaler")
	} else if w.out.Strategy.ReplicasOnCreation != nil {
		out = append(out, replicasPath())
	}
	status := fieldpath.MakePathOrDie("status")
	if !w.out.Mapping.HasStatus() && ready.desired["status"] == nil && has(own.owned(), status) {
		out = append(out, status) // leaving it out would erase what controllers wrote
	}
	return out
}
