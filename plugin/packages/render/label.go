package render

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// The labels of every object of an application.
const (
	HeritageLabel    = api.LabelHeritage
	HeritageValue    = api.HeritageDeckhouse
	PackageLabel     = api.LabelPackage
	InstanceLabel    = api.LabelInstance
	HealthLabel      = api.LabelHealth
	MaintenanceLabel = api.LabelMaintenance
)

// Labels returns the labels of the objects of an instance. A value that can't be a
// label, such as that of a long namespace, is an error that names it.
func Labels(packageName string, i Instance, maintenance bool) (map[string]string, error) {
	labels := map[string]string{
		HeritageLabel: HeritageValue,
		PackageLabel:  packageName,
		InstanceLabel: i.Name,
		HealthLabel:   i.String(),
	}
	if maintenance {
		labels[MaintenanceLabel] = ""
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if reasons := validation.IsValidLabelValue(labels[key]); len(reasons) > 0 {
			return nil, fmt.Errorf("label %s: %q: %s", key, labels[key], strings.Join(reasons, "; "))
		}
	}
	return labels, nil
}

// label puts labels on an object, over its own.
func label(o object.Object, labels map[string]string) error {
	metadata, isMap := o.Body["metadata"].(map[string]any)
	if !isMap {
		return fmt.Errorf("%s: %s has no metadata", o.Origin, o.Ref())
	}
	own, isMap := metadata["labels"].(map[string]any)
	if metadata["labels"] != nil && !isMap {
		return fmt.Errorf("%s: %s: metadata.labels: wanted a mapping", o.Origin, o.Ref())
	}
	if own == nil {
		own = map[string]any{}
		metadata["labels"] = own
	}
	for key, value := range labels {
		own[key] = value
	}
	return nil
}
