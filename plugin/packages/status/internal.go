package status

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Internal is all that the runtime has reported of one instance.
type Internal struct {
	// Version is that of the package that is loaded or being loaded.
	Version string
	// Conditions are in the order of the pipeline; one that was never reported is
	// missing.
	Conditions []Condition
	// Tracking is the report of the current apply or the last one; nil: there was
	// none.
	Tracking *api.Tracking
	// Applied is what was last committed; nil: nothing was yet, by this process.
	Applied *Applied
}

// Applied is what an apply that went well has put into the cluster.
type Applied struct {
	// Version is that of the package.
	Version string
	// Settings are the effective ones.
	Settings map[string]any
	URLs     []api.URL
}

// Get returns a condition; one that wasn't reported is Unknown.
func (i Internal) Get(t Type) Condition {
	for _, c := range i.Conditions {
		if c.Type == t {
			return c
		}
	}
	return Condition{Type: t, Status: metav1.ConditionUnknown}
}

// Is tells whether a condition is True.
func (i Internal) Is(t Type) bool { return i.Get(t).Status == metav1.ConditionTrue }

// Failed tells whether a condition is False and not merely in progress.
func (i Internal) Failed(t Type) bool {
	c := i.Get(t)
	return c.Status == metav1.ConditionFalse && !c.InProgress()
}

// clone is a copy that shares nothing that can change.
func (i Internal) clone() Internal {
	i.Conditions = slices.Clone(i.Conditions)
	if i.Tracking != nil {
		i.Tracking = i.Tracking.DeepCopy()
	}
	if i.Applied != nil {
		i.Applied = i.Applied.clone()
	}
	return i
}

func (a Applied) clone() *Applied {
	a.Settings = runtime.DeepCopyJSON(a.Settings)
	a.URLs = slices.Clone(a.URLs)
	return &a
}

// set puts a condition in its place, and tells whether anything changed.
func (i *Internal) set(c Condition) bool {
	at := slices.IndexFunc(i.Conditions, func(other Condition) bool { return other.Type == c.Type })
	if at < 0 {
		i.Conditions = append(i.Conditions, c)
		order := Types()
		slices.SortStableFunc(i.Conditions, func(a, b Condition) int {
			return slices.Index(order, a.Type) - slices.Index(order, b.Type)
		})
		return true
	}
	old := i.Conditions[at]
	if old.Status == c.Status {
		c.LastTransitionTime = old.LastTransitionTime
	}
	i.Conditions[at] = c
	return c != old
}
