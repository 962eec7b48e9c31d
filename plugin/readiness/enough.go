package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// IsDeployment tells the one kind of which a part may be enough.
func IsDeployment(u *unstructured.Unstructured) bool {
	return u.GroupVersionKind().GroupKind() == schema.GroupKind{Group: "apps", Kind: "Deployment"}
}

// Enough calls a Deployment ready that has so many Pods of the new version available
// as enough gives for the number it wants. Which of the available ones are new the
// status doesn't tell: of those that there are, all old ones count as available, so
// that no old Pod is taken for a new one. verdict is what is said otherwise.
func Enough(u *unstructured.Unstructured, enough func(total int) int, verdict Verdict) Verdict {
	if unobserved(u) != "" {
		return verdict
	}
	total, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	if !found {
		total = 1
	}
	count := countsOf(u)
	old := max(0, count("replicas")-count("updatedReplicas"))
	fresh, wanted := max(0, count("availableReplicas")-old), int64(enough(int(total)))
	if fresh >= wanted {
		return Verdict{State: Ready, Note: fmt.Sprintf("%d of %d new Pods are available, which is enough for it; its rollout goes on", fresh, total)}
	}
	verdict.Reason += fmt.Sprintf("; %d of %d new Pods that are enough", fresh, wanted)
	return verdict
}
