package object

import (
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// expand adds the object that value is, or the objects of the list it is. n is
// the node of value, for positions.
func (r *reading) expand(value any, n *yaml.Node) {
	body, ok := value.(map[string]any)
	if !ok {
		r.fault(n, "", "the document is %s; wanted a mapping with apiVersion, kind and metadata", typeName(value))
		return
	}
	if isList(body) {
		r.expandList(body, n)
		return
	}
	r.add(body, n)
}

// isList tells lists of objects from objects. A typed list (RoleList) has items
// on the top level and no name; a custom resource of kind AllowList has one.
func isList(body map[string]any) bool {
	kind, _ := body["kind"].(string)
	if kind == "List" {
		return true
	}
	_, hasItems := body["items"]
	return hasItems && strings.HasSuffix(kind, "List") && metadataText(body, "name") == ""
}

func (r *reading) expandList(list map[string]any, n *yaml.Node) {
	kind, _ := list["kind"].(string)
	value, given := list["items"]
	if !given {
		r.fault(n, "items", "%s: items is missing", kind)
		return
	}
	if value == nil {
		return // a template's loop over nothing
	}
	items, ok := value.([]any)
	if !ok {
		r.fault(nodeAt(n, "items"), "items", "%s: items must be a list, found %s", kind, typeName(value))
		return
	}
	node := resolveAlias(nodeAt(n, "items"))
	for i, item := range items {
		place := n
		if node != nil && node.Kind == yaml.SequenceNode && i < len(node.Content) {
			place = resolveAlias(node.Content[i])
		}
		r.expandItem(list, item, place, i)
	}
}

func (r *reading) expandItem(list map[string]any, item any, n *yaml.Node, i int) {
	body, ok := item.(map[string]any)
	if !ok {
		r.fault(n, fmt.Sprintf("items[%d]", i), "an item of a list must be a mapping, found %s", typeName(item))
		return
	}
	r.expand(typed(body, list), n)
}

// typed gives an item of a typed list (RoleList) the kind that the list implies.
func typed(item, list map[string]any) map[string]any {
	kind, _ := list["kind"].(string)
	if kind == "List" || item["kind"] != nil || item["apiVersion"] != nil {
		return item
	}
	item["kind"] = strings.TrimSuffix(kind, "List")
	item["apiVersion"] = list["apiVersion"]
	return item
}
