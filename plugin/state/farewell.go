package state

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ReleaseHooks names the hooks that a chart has around the deletion of its release.
// The hooks themselves are not recorded: they are run as they were rendered, secret
// values and all, and those have no place here.
type ReleaseHooks struct {
	Release   string `json:"release"`
	Namespace string `json:"namespace,omitempty"`
	// Hooks are words for people: the event and the object.
	Hooks []string `json:"hooks"`
}

// sameRelease tells whether two are about one release.
func sameRelease(a, b ReleaseHooks) bool {
	return a.Release == b.Release && a.Namespace == b.Namespace
}

// Missing are those of the list that known has not.
func Missing(list, known []ReleaseHooks) []ReleaseHooks {
	var out []ReleaseHooks
	for _, r := range list {
		if !slices.ContainsFunc(known, func(k ReleaseHooks) bool { return sameRelease(r, k) }) {
			out = append(out, r)
		}
	}
	return out
}

// deleteHooks reads the annotation; what can't be read counts as none.
func deleteHooks(u *unstructured.Unstructured) []ReleaseHooks {
	var out []ReleaseHooks
	if err := json.Unmarshal([]byte(u.GetAnnotations()[AnnotationDeleteHooks]), &out); err != nil {
		return nil
	}
	return out
}

// withDeleteHooks sets the annotation, or takes it off for none; nil leaves it.
func withDeleteHooks(annotations map[string]string, hooks []ReleaseHooks) {
	switch {
	case hooks == nil:
	case len(hooks) == 0:
		maps.DeleteFunc(annotations, func(name, _ string) bool { return name == AnnotationDeleteHooks })
	default:
		text, _ := json.Marshal(hooks) // texts always encode
		annotations[AnnotationDeleteHooks] = string(text)
	}
}

// EqualHooks compares two lists; none and nil are the same.
func EqualHooks(a, b []ReleaseHooks) bool {
	return slices.EqualFunc(a, b, func(x, y ReleaseHooks) bool { return sameRelease(x, y) && slices.Equal(x.Hooks, y.Hooks) })
}
