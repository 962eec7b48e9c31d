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
	found, err := s.Projects(ctx)
	return slices.Sorted(maps.Keys(found)), err
}

// Projects returns the names of all manifests that have a record in the cluster, with
// the project that each is of; empty for none.
func (s *Store) Projects(ctx context.Context) (map[string]string, error) {
	list, err := s.Client.List(ctx, configMaps(), cluster.ListOptions{Namespace: Namespace, MetadataOnly: true})
	if err != nil {
		return nil, fmt.Errorf("looking for records: %w", err)
	}
	found := map[string]string{}
	for _, u := range list {
		base, shard, ok := splitShardName(u.GetName())
		manifest, isRecord := strings.CutPrefix(base, statePrefix)
		if !ok || !isRecord {
			continue
		}
		if full := u.GetAnnotations()[AnnotationManifest]; full != "" {
			manifest = full
		}
		// A ConfigMap of somebody else's under our prefix is no record of ours.
		if ValidateManifest(manifest) != nil {
			continue
		}
		if _, known := found[manifest]; shard == 0 || !known {
			found[manifest] = u.GetLabels()[ProjectLabel]
		}
	}
	return found, nil
}
