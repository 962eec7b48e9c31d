package chart

import (
	"cmp"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/release/v1/util"
)

// Result is what a chart renders to.
type Result struct {
	CRDs     []object.Object // crds/ of the chart and its enabled sub-charts; no templates
	Objects  []object.Object // everything that is neither CRD file nor hook
	Hooks    []Hook
	Warnings []object.Warning
	Lookups  []Lookup // what templates asked the cluster, in order, each once
	// Values are the values of the chart and its sub-charts that templates saw.
	Values map[string]any
}

// Event is a moment in the life of a release at which hooks run.
type Event string

// The events of Helm. Templates may spell TestEvent "test-success".
const (
	PreInstall   Event = "pre-install"
	PostInstall  Event = "post-install"
	PreUpgrade   Event = "pre-upgrade"
	PostUpgrade  Event = "post-upgrade"
	PreDelete    Event = "pre-delete"
	PostDelete   Event = "post-delete"
	PreRollback  Event = "pre-rollback"
	PostRollback Event = "post-rollback"
	TestEvent    Event = "test"
)

// DeletePolicy says when a hook's object is deleted again.
type DeletePolicy string

// The policies of Helm.
const (
	BeforeCreation DeletePolicy = "before-hook-creation"
	OnSuccess      DeletePolicy = "hook-succeeded"
	OnFailure      DeletePolicy = "hook-failed"
)

// Hook is an object that exists for an event only and is no part of what is kept
// in the cluster.
type Hook struct {
	Object object.Object
	Events []Event // at least one, as written
	Weight int     // lower ones run first
	// DeletePolicies are as written; without any it is BeforeCreation.
	DeletePolicies []DeletePolicy
}

// On reports whether the hook runs at an event.
func (h Hook) On(e Event) bool { return slices.Contains(h.Events, e) }

// Deletes reports whether the hook's object is deleted at that moment.
func (h Hook) Deletes(p DeletePolicy) bool { return slices.Contains(h.DeletePolicies, p) }

// HooksAt returns the hooks of an event in the order in which Helm runs them: by
// weight, then by the order in which kinds are installed, then by name.
func (r *Result) HooksAt(e Event) []Hook {
	var hooks []Hook
	for _, h := range r.Hooks {
		if h.On(e) {
			hooks = append(hooks, h)
		}
	}
	slices.SortStableFunc(hooks, func(a, b Hook) int {
		return cmp.Or(
			cmp.Compare(a.Weight, b.Weight),
			compareKinds(a.Object, b.Object),
			cmp.Compare(a.Object.Name(), b.Object.Name()),
		)
	})
	return hooks
}

// compareKinds is Helm's order of installation; unknown kinds come last, by name.
func compareKinds(a, b object.Object) int {
	kindA, kindB := a.GVK().Kind, b.GVK().Kind
	placeA, placeB := installPlace(kindA), installPlace(kindB)
	if placeA != placeB {
		return cmp.Compare(placeA, placeB)
	}
	return cmp.Compare(kindA, kindB)
}

func installPlace(kind string) int {
	if i := slices.Index(util.InstallOrder, kind); i >= 0 {
		return i
	}
	return len(util.InstallOrder)
}

// eventOf reads one word of the hook annotation.
func eventOf(word string) (Event, bool) {
	switch e := Event(word); e {
	case PreInstall, PostInstall, PreUpgrade, PostUpgrade, PreDelete, PostDelete,
		PreRollback, PostRollback, TestEvent:
		return e, true
	case "test-success": // Helm 2
		return TestEvent, true
	default:
		return "", false
	}
}

// Annotations that make an object a hook.
const (
	HookAnnotation         = release.HookAnnotation
	HookWeightAnnotation   = release.HookWeightAnnotation
	DeletePolicyAnnotation = release.HookDeleteAnnotation
)
