package snapshot

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Selects tells whether a binding means an object, by its name, namespace, labels
// and fields. The kind is the caller's matter, and so are namespaces that are
// chosen by their labels: of those it takes any object.
func Selects(k *binding.Kubernetes, body map[string]any) bool {
	name, namespace := fieldText(body, "metadata.name"), fieldText(body, "metadata.namespace")
	if len(k.Names) > 0 && !slices.Contains(k.Names, name) {
		return false
	}
	if len(k.Namespaces) > 0 && k.NamespaceLabels == nil && !slices.Contains(k.Namespaces, namespace) {
		return false
	}
	if k.Labels != nil && !k.Labels.Matches(labelsOf(body)) {
		return false
	}
	return !slices.ContainsFunc(k.Fields, func(f binding.FieldRequirement) bool {
		return (fieldText(body, f.Field) == f.Value) != f.Equal
	})
}

// fieldText gives the text of a scalar at a dotted path; "" if there is none, as
// API servers take it.
func fieldText(body map[string]any, path string) string {
	var value any = body
	for key := range strings.SplitSeq(path, ".") {
		mapping, _ := value.(map[string]any)
		value = mapping[key]
	}
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case json.Number:
		return v.String()
	}
	return ""
}

func labelsOf(body map[string]any) labels.Set {
	metadata, _ := body["metadata"].(map[string]any)
	all, _ := metadata["labels"].(map[string]any)
	set := labels.Set{}
	for key, value := range all {
		if text, ok := value.(string); ok {
			set[key] = text
		}
	}
	return set
}
