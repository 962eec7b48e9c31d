package plan

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// leaving says why an object that is being deleted is not as wanted, whatever its
// fields are: it will be gone, and a write wouldn't keep it.
func leaving(live *unstructured.Unstructured) string {
	held := ""
	if f := live.GetFinalizers(); len(f) > 0 {
		held = " (held by finalizers " + strings.Join(f, ", ") + ")"
	}
	return "it is being deleted" + held + ": apply again when it is gone"
}
