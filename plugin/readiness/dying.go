package readiness

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Dying says that an object that is wanted is being deleted, what holds it, and what
// can be done; empty for one that lives.
func Dying(body map[string]any) string {
	if leaving := Leaving(body); leaving != "" {
		return leaving + ": apply again when it is gone"
	}
	return ""
}

// Leaving says that an object is being deleted, and what holds it; empty for one that
// lives.
func Leaving(body map[string]any) string {
	u := unstructured.Unstructured{Object: body}
	if body == nil || u.GetDeletionTimestamp() == nil {
		return ""
	}
	return "it is being deleted (" + Held(body) + ")"
}

// Held names what holds a deletion.
func Held(body map[string]any) string {
	u := unstructured.Unstructured{Object: body}
	holders := u.GetFinalizers()
	if u.GetKind() == "Namespace" {
		inner, _, _ := unstructured.NestedStringSlice(body, "spec", "finalizers")
		holders = append(append(holders, inner...), namespaceContents(body)...)
	}
	if len(holders) == 0 {
		return "being deleted"
	}
	return "held by " + strings.Join(holders, ", ")
}

// namespaceContents are the server's sentences about what is left in a
// namespace.
func namespaceContents(body map[string]any) []string {
	var out []string
	for _, c := range Conditions(body) {
		if c.Status == "True" && (c.Type == "NamespaceContentRemaining" || c.Type == "NamespaceFinalizersRemaining") {
			out = append(out, c.Message)
		}
	}
	return out
}
