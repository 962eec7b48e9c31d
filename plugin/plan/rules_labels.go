package plan

import (
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// WithAdditionalLabels returns the objects with the labels that the configuration
// puts on every one. They are part of what is wanted like those in the files: they
// are compared, recorded, and go when the configuration no longer has them. They go
// into an object's own metadata and nowhere else: kapp also writes them into Pod
// templates, which restarts Pods.
func WithAdditionalLabels(c *config.KappConfig, objects []object.Object) []object.Object {
	if c == nil || len(c.AdditionalLabels) == 0 {
		return objects
	}
	out := make([]object.Object, len(objects))
	for i, o := range objects {
		out[i] = object.Object{Body: withAdditionalLabels(c, o.Body), Origin: o.Origin}
	}
	return out
}

func withAdditionalLabels(c *config.KappConfig, body map[string]any) map[string]any {
	for _, key := range slices.Sorted(maps.Keys(c.AdditionalLabels)) {
		body = withLabel(body, key, c.AdditionalLabels[key])
	}
	return body
}
