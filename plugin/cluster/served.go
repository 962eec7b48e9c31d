package cluster

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Served lists what the cluster serves, sorted: group versions as "apps/v1" and
// kinds as "apps/v1/Deployment". Groups that can't be read are named in missing.
// It costs the discovery of all versions, which is on disk mostly.
func (c *Client) Served(ctx context.Context) (served, missing []string, err error) {
	c.catalogue.mu.Lock()
	defer c.catalogue.mu.Unlock()
	if _, err := c.group(ctx, ""); err != nil { // reads all groups
		return nil, nil, err
	}
	for _, g := range c.catalogue.groups {
		if len(g.Versions) == 0 {
			missing = append(missing, g.Name)
		}
		for _, v := range g.Versions {
			gv := schema.GroupVersion{Group: g.Name, Version: v.Version}
			list, err := c.resources(ctx, gv)
			if err != nil && ctx.Err() != nil {
				return nil, nil, err
			}
			if err != nil {
				missing = append(missing, gv.String())
				continue
			}
			served = append(served, gv.String())
			for _, r := range list.APIResources {
				if !strings.Contains(r.Name, "/") {
					served = append(served, gv.String()+"/"+r.Kind)
				}
			}
		}
	}
	slices.Sort(served)
	slices.Sort(missing)
	return slices.Compact(served), missing, nil
}
