package apply

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// resolve finds out how a kind is served that the plan did not know. A
// definition of the same plan says it all, long before discovery lists the kind.
func (a attempt) resolve(rep *report) error {
	o := rep.planned
	if o.MappingKnown {
		return nil
	}
	mapping, err := a.mapping(o)
	if err != nil {
		return err
	}
	known := *o
	known.Mapping, known.MappingKnown = mapping, true
	if status, ok := o.Send["status"].(map[string]any); ok && mapping.HasStatus() {
		// The plan could not know that status has a door of its own.
		known.Send = maps.Clone(o.Send)
		delete(known.Send, "status")
		known.Status = status
	}
	rep.planned = &known
	return nil
}

func (a attempt) mapping(o *plan.Object) (cluster.Mapping, error) {
	gvk := o.Desired.GVK()
	if crd, ok := a.definitions[gvk.GroupKind()]; ok {
		if m, ok := definedMapping(crd.Desired.Body, gvk); ok {
			return m, nil
		}
		return cluster.Mapping{}, fmt.Errorf("its CustomResourceDefinition does not serve version %s", gvk.Version)
	}
	return a.exec.Client.Mapping(a.requests, gvk.GroupKind(), gvk.Version)
}

func isDefinition(ref object.Ref) bool {
	return ref.GroupKind() == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// definedKind is the kind that a CustomResourceDefinition brings.
func definedKind(crd map[string]any) schema.GroupKind {
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	group, _ := spec["group"].(string)
	kind, _ := names["kind"].(string)
	return schema.GroupKind{Group: group, Kind: kind}
}

// definedMapping reads from a CustomResourceDefinition how it serves a version.
func definedMapping(crd map[string]any, gvk schema.GroupVersionKind) (cluster.Mapping, bool) {
	spec, _ := crd["spec"].(map[string]any)
	names, _ := spec["names"].(map[string]any)
	plural, _ := names["plural"].(string)
	versions, _ := spec["versions"].([]any)
	for _, item := range versions {
		version, _ := item.(map[string]any)
		served, _ := version["served"].(bool)
		if version["name"] != gvk.Version || !served || plural == "" {
			continue
		}
		subresources, _ := version["subresources"].(map[string]any)
		return cluster.Mapping{
			GVK: gvk, GVR: gvk.GroupVersion().WithResource(plural), Namespaced: spec["scope"] == "Namespaced",
			Verbs:        sets.New("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"),
			Subresources: sets.KeySet(subresources),
		}, true
	}
	return cluster.Mapping{}, false
}
