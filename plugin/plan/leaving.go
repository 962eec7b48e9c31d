package plan

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// leaving says why an object that is being deleted is not as wanted, whatever its
// fields are: it will be gone, and a write wouldn't keep it.
func leaving(live *unstructured.Unstructured) string {
	held := ""
	f := live.GetFinalizers()
	if live.GetKind() == "Namespace" { // which has some of its own kind
		own, _, _ := unstructured.NestedStringSlice(live.Object, "spec", "finalizers")
		f = append(f, own...)
	}
	if len(f) > 0 {
		held = " (held by finalizers " + strings.Join(f, ", ") + ")"
	}
	return "it is being deleted" + held + ": apply again when it is gone"
}
