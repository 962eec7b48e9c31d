package state

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Holders tells of every object that any record of the cluster lists which
// manifests these records are of, in order. An entry whose value can't be read
// counts as well. It costs one LIST.
func (s *Store) Holders(ctx context.Context) (map[object.Ref][]string, error) {
	list, err := s.Client.List(ctx, configMaps(), cluster.ListOptions{Namespace: Namespace})
	if err != nil {
		return nil, fmt.Errorf("looking into all records: %w", err)
	}
	out := map[object.Ref][]string{}
	for _, u := range list {
		base, index, ok := splitShardName(u.GetName())
		manifest, isRecord := strings.CutPrefix(base, statePrefix)
		if !ok || !isRecord {
			continue
		}
		if full := u.GetAnnotations()[AnnotationManifest]; full != "" {
			manifest = full
		}
		for dataKey, value := range readShard(index, u).data {
			if dataKey == metadataKey {
				continue
			}
			k, _, _ := parseEntry(manifest, dataKey, value) // the key may be good where the value isn't
			if ref := k.Ref(); ref.Kind != "" && !slices.Contains(out[ref], manifest) {
				out[ref] = append(out[ref], manifest)
			}
		}
	}
	for _, manifests := range out {
		slices.Sort(manifests)
	}
	return out, nil
}
