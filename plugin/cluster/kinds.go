package cluster

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NamespacedKinds returns every kind of objects with a namespace that can be
// listed and deleted, each in the server's favourite version. Events and Endpoints
// are left out: they tell of objects. complete is false where a group can't be read. It costs
// the discovery of all groups, which is on disk mostly.
func (c *Client) NamespacedKinds(ctx context.Context) (kinds []Mapping, complete bool, err error) {
	all, complete, err := c.Kinds(ctx)
	return slices.DeleteFunc(all, func(m Mapping) bool { return !m.Namespaced }), complete, err
}

// Kinds is NamespacedKinds with those that have no namespace.
func (c *Client) Kinds(ctx context.Context) (kinds []Mapping, complete bool, err error) {
	c.catalogue.mu.Lock()
	defer c.catalogue.mu.Unlock()
	if _, err := c.group(ctx, ""); err != nil { // reads all groups
		return nil, false, err
	}
	complete = true
	for _, g := range c.catalogue.groups {
		if len(g.Versions) == 0 {
			complete = false
			continue
		}
		gv := schema.GroupVersion{Group: g.Name, Version: g.Versions[0].Version}
		list, err := c.resources(ctx, gv)
		if err != nil {
			complete = false
			continue
		}
		for _, r := range list.APIResources {
			if m, ok := findKind(list, gv.WithKind(r.Kind)); ok && countable(r) {
				kinds = append(kinds, m)
			}
		}
	}
	slices.SortFunc(kinds, func(a, b Mapping) int { return strings.Compare(a.GVR.String(), b.GVR.String()) })
	return kinds, complete, nil
}

func countable(r metav1.APIResource) bool {
	return !strings.Contains(r.Name, "/") && r.Kind != "Event" && r.Kind != "Endpoints" &&
		slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete")
}
