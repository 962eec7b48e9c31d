package state

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// Manifests returns the names of all manifests that have a record in the cluster,
// in order. The full name is taken from the annotation where there is one.
func (s *Store) Manifests(ctx context.Context) ([]string, error) {
	list, err := s.Client.List(ctx, configMaps(), cluster.ListOptions{Namespace: Namespace, MetadataOnly: true})
	if err != nil {
		return nil, fmt.Errorf("looking for records: %w", err)
	}
	found := map[string]bool{}
	for _, u := range list {
		base, _, ok := splitShardName(u.GetName())
		manifest, isRecord := strings.CutPrefix(base, statePrefix)
		if !ok || !isRecord {
			continue
		}
		if full := u.GetAnnotations()[AnnotationManifest]; full != "" {
			manifest = full
		}
		// A ConfigMap of somebody else's under our prefix is no record of ours.
		if ValidateManifest(manifest) == nil {
			found[manifest] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}
