package cluster

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// pathItem is the part of an OpenAPI v3 path that says whether an update can be
// rehearsed. Subresources have paths of their own with other kinds or the same one.
type pathItem struct {
	Put *struct {
		Kind       groupVersionKind `json:"x-kubernetes-group-version-kind"`
		Parameters []parameter      `json:"parameters"`
	} `json:"put"`
	Parameters []parameter `json:"parameters"`
}

type parameter struct {
	Name string `json:"name"`
}

// rehearsable lists the kinds whose update takes the parameter dryRun. A kind of which
// one path doesn't is none of them.
func rehearsable(paths map[string]pathItem) []groupVersionKind {
	takes := map[groupVersionKind]bool{}
	for _, item := range paths {
		if item.Put == nil || item.Put.Kind.Kind == "" {
			continue
		}
		named := slices.ContainsFunc(append(item.Parameters, item.Put.Parameters...), func(p parameter) bool { return p.Name == "dryRun" })
		before, seen := takes[item.Put.Kind]
		takes[item.Put.Kind] = named && (before || !seen)
	}
	var out []groupVersionKind
	for kind, all := range takes {
		if all {
			out = append(out, kind)
		}
	}
	slices.SortFunc(out, func(a, b groupVersionKind) int {
		return slices.Compare([]string{a.Group, a.Version, a.Kind}, []string{b.Group, b.Version, b.Kind})
	})
	return out
}

// Rehearses tells whether the server says of a kind that its update takes a dry-run.
// One that ignores the parameter would write, so without its word there must be no
// such request. It costs what [Client.Schema] costs.
func (c *Client) Rehearses(ctx context.Context, gvk schema.GroupVersionKind) (bool, error) {
	c.schemas.mu.Lock()
	defer c.schemas.mu.Unlock()
	doc, err := c.document(ctx, gvk.GroupVersion())
	if err != nil || doc == nil {
		return false, err
	}
	return slices.Contains(doc.rehearsed, groupVersionKind(gvk)), nil
}
