package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// The labels that kapp puts on what it deploys.
const (
	kappApp         = "kapp.k14s.io/app"
	kappAssociation = "kapp.k14s.io/association"
)

// withInjected returns what is wanted together with the labels that kapp has put
// into selectors, Pod templates and claim templates of the live object and that
// the files don't name. Without them a selector, which can't change, would have
// to, and every Pod would be replaced. Elsewhere, as in the object's own labels,
// nobody depends on them.
func withInjected(s *cluster.Schema, desired, live map[string]any) map[string]any {
	for _, place := range injectedPlaces(object.RefOf(live).GroupKind()) {
		for _, label := range []string{kappApp, kappAssociation} {
			path := append(slices.Clone(place), config.PathPart{Key: label})
			for _, p := range concrete(path, s, live) {
				// A selector that the files don't have is not made up of a label.
				selector := place[len(place)-1].Key != "labels"
				if !lookup(desired, p).ok && reaches(desired, p) && (!selector || lookup(desired, p[:len(p)-1]).ok) {
					desired = with(desired, p, lookup(live, p).v)
				}
			}
		}
	}
	return desired
}

// injectedPlaces are the maps in which kapp's labels decide something.
func injectedPlaces(gk schema.GroupKind) []config.RulePath {
	const all = "*"
	at := func(keys ...string) config.RulePath {
		path := make(config.RulePath, len(keys))
		for i, key := range keys {
			path[i] = config.PathPart{Key: key}
			if key == all {
				path[i] = config.PathPart{All: true}
			}
		}
		return path
	}
	selector, template := at("spec", "selector", "matchLabels"), at("spec", "template", "metadata", "labels")
	switch gk {
	case schema.GroupKind{Kind: "Service"}:
		return []config.RulePath{at("spec", "selector")}
	case schema.GroupKind{Group: groupApps, Kind: "StatefulSet"}:
		return []config.RulePath{selector, template, at("spec", "volumeClaimTemplates", all, "metadata", "labels")}
	case schema.GroupKind{Group: groupApps, Kind: "Deployment"},
		schema.GroupKind{Group: groupApps, Kind: "ReplicaSet"},
		schema.GroupKind{Group: groupApps, Kind: "DaemonSet"}:
		return []config.RulePath{selector, template}
	case schema.GroupKind{Group: "batch", Kind: "Job"}:
		return []config.RulePath{template}
	case schema.GroupKind{Group: "batch", Kind: "CronJob"}:
		return []config.RulePath{at("spec", "jobTemplate", "spec", "template", "metadata", "labels")}
	case schema.GroupKind{Group: "policy", Kind: "PodDisruptionBudget"}:
		return []config.RulePath{selector}
	default:
		return nil
	}
}
