package plan

import (
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// withAdditionalLabels returns the body with the labels that the configuration
// puts on every object. They go into the object's own metadata and nowhere else:
// kapp also writes them into Pod templates, which restarts Pods.
func withAdditionalLabels(c *config.KappConfig, body map[string]any) map[string]any {
	if c == nil {
		return body
	}
	for _, key := range slices.Sorted(maps.Keys(c.AdditionalLabels)) {
		body = withLabel(body, key, c.AdditionalLabels[key])
	}
	return body
}
