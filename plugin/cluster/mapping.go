package cluster

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/klog/v2"
)

// Mapping is how the cluster serves a kind.
type Mapping struct {
	GVR        schema.GroupVersionResource
	GVK        schema.GroupVersionKind
	Namespaced bool
	// Verbs, Subresources and Names are shared by all who ask: read only.
	//
	// Verbs are what the server allows on the resource: get, list, watch, create,
	// update, patch, delete, deletecollection.
	Verbs sets.Set[string]
	// Subresources are the names behind the slash: status, scale.
	Subresources sets.Set[string]
	// Names are the words by which users call the resource, as kubectl takes them:
	// its plural, its singular and its short names.
	Names []string
}

// Can tells whether the resource has a verb.
func (m Mapping) Can(verb string) bool { return m.Verbs.Has(verb) }

// OnlyPut tells whether the resource takes whole objects and no patches, as some
// extension servers do: server-side apply is a patch.
func (m Mapping) OnlyPut() bool { return m.Can("update") && !m.Can("patch") }

// HasStatus tells whether status is written through a subresource of its own.
func (m Mapping) HasStatus() bool { return m.Subresources.Has("status") }

// namespaceMapping needs no discovery: every cluster serves it.
var namespaceMapping = Mapping{
	GVR: schema.GroupVersionResource{Version: "v1", Resource: "namespaces"},
	GVK: schema.GroupVersionKind{Version: "v1", Kind: "Namespace"},
}

// catalogue is what the cluster serves, as far as this run has asked. Its truth
// is kubectl's discovery cache on disk.
type catalogue struct {
	client discovery.CachedDiscoveryInterfaceWithContext

	mu        sync.Mutex
	groups    map[string]metav1.APIGroup
	resources map[schema.GroupVersion]*metav1.APIResourceList
	// found are the answers given, by kind and the version asked for, maybe none.
	found map[schema.GroupVersionKind]Mapping
	// refreshes is how many more misses may download discovery again.
	refreshes int
}

func newCatalogue(client discovery.CachedDiscoveryInterfaceWithContext) *catalogue {
	return &catalogue{
		client:    client,
		refreshes: 1,
		resources: map[schema.GroupVersion]*metav1.APIResourceList{},
		found:     map[schema.GroupVersionKind]Mapping{},
	}
}

// Mapping finds how a kind is served. An empty version takes the server's
// favourite one that has the kind. Errors: *ErrNoKind, *ErrUnavailable, or what
// kept discovery from being read.
func (c *Client) Mapping(ctx context.Context, gk schema.GroupKind, version string) (Mapping, error) {
	c.catalogue.mu.Lock()
	defer c.catalogue.mu.Unlock()
	if m, ok := c.catalogue.found[gk.WithVersion(version)]; ok {
		return m, nil
	}
	for {
		m, err := c.lookUp(ctx, gk, version)
		if err == nil {
			c.catalogue.found[gk.WithVersion(version)] = m
			return m, nil
		}
		var miss *ErrNoKind
		var broken *ErrUnavailable
		if !errors.As(err, &miss) && !errors.As(err, &broken) {
			return Mapping{}, err
		}
		// The cache may be hours old: the kind may have come since.
		if !c.catalogue.refresh(ctx) {
			return Mapping{}, err
		}
	}
}

// InvalidateDiscovery says that new kinds may have come (CRDs were applied).
// Kinds already known stay known; the next miss downloads discovery again, and
// schemas are looked up anew.
func (c *Client) InvalidateDiscovery() {
	c.catalogue.mu.Lock()
	c.catalogue.refreshes = 1
	c.catalogue.mu.Unlock()
	c.schemas.invalidate()
}

// ForgetKinds drops all that is known of what the cluster serves, for a program that
// runs for long: kinds come and go. Who asks next finds out anew.
func (c *Client) ForgetKinds(ctx context.Context) {
	c.InvalidateDiscovery()
	c.catalogue.forget(ctx)
	c.InvalidateDiscovery() // misses may look again
}

// forget drops what the server has just denied, if a refresh is still granted.
func (k *catalogue) forget(ctx context.Context) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refresh(ctx)
}

// refresh forgets what was read, at most as often as granted.
func (k *catalogue) refresh(ctx context.Context) bool {
	if k.refreshes == 0 {
		return false
	}
	k.refreshes--
	k.client.InvalidateWithContext(ctx)
	k.groups = nil
	clear(k.resources)
	clear(k.found)
	return true
}

// lookUp answers from the catalogue as it is.
func (c *Client) lookUp(ctx context.Context, gk schema.GroupKind, version string) (Mapping, error) {
	group, err := c.group(ctx, gk.Group)
	if err != nil {
		return Mapping{}, err
	}
	if version != "" {
		m, err := c.lookUpVersion(ctx, gk.WithVersion(version), group)
		if err == nil || !isMiss(err) {
			return m, err
		}
		served, _, _ := c.firstServed(ctx, gk, group)
		return Mapping{}, &ErrNoKind{GroupKind: gk, Version: version, Served: served}
	}
	_, m, err := c.firstServed(ctx, gk, group)
	return m, err
}

// firstServed finds all versions that have the kind and the first one's mapping.
// A version that can't be read only matters when no other has the kind.
func (c *Client) firstServed(ctx context.Context, gk schema.GroupKind, group metav1.APIGroup) ([]string, Mapping, error) {
	var served []string
	var first Mapping
	var failed error
	for _, v := range group.Versions {
		m, err := c.lookUpVersion(ctx, gk.WithVersion(v.Version), group)
		if err != nil {
			if failed == nil && !isMiss(err) {
				failed = err
			}
			continue
		}
		if len(served) == 0 {
			first = m
		}
		served = append(served, v.Version)
	}
	switch {
	case len(served) > 0:
		return served, first, nil
	case failed != nil:
		return nil, Mapping{}, failed
	case group.Name == gk.Group && group.Name != "" && len(group.Versions) == 0:
		// Aggregated discovery lists the group of a broken APIService without
		// versions.
		return nil, Mapping{}, &ErrUnavailable{GroupVersion: schema.GroupVersion{Group: gk.Group}}
	}
	return nil, Mapping{}, &ErrNoKind{GroupKind: gk}
}

func isMiss(err error) bool {
	var miss *ErrNoKind
	return errors.As(err, &miss)
}

// lookUpVersion finds a kind in one group version.
func (c *Client) lookUpVersion(ctx context.Context, gvk schema.GroupVersionKind, group metav1.APIGroup) (Mapping, error) {
	if !c.catalogue.worthAsking(gvk.GroupVersion(), group) {
		return Mapping{}, &ErrNoKind{GroupKind: gvk.GroupKind(), Version: gvk.Version}
	}
	list, err := c.resources(ctx, gvk.GroupVersion())
	if err != nil {
		return Mapping{}, err
	}
	if m, ok := findKind(list, gvk); ok {
		return m, nil
	}
	return Mapping{}, &ErrNoKind{GroupKind: gvk.GroupKind(), Version: gvk.Version}
}

// worthAsking tells whether the resources of a group version may be there. A
// version that its group does not list may be a broken one: aggregated discovery
// leaves those out, but their resources answer with the reason. That is asked
// only of a list that was just downloaded.
func (k *catalogue) worthAsking(gv schema.GroupVersion, group metav1.APIGroup) bool {
	listed := slices.ContainsFunc(group.Versions, func(v metav1.GroupVersionForDiscovery) bool {
		return v.Version == gv.Version
	})
	return listed || group.Name == gv.Group && k.refreshes == 0
}

// group reads one entry of the list of groups; a zero group is not served.
func (c *Client) group(ctx context.Context, name string) (metav1.APIGroup, error) {
	k := c.catalogue
	if k.groups == nil {
		list, err := c.fetchGroups(ctx)
		if err != nil {
			return metav1.APIGroup{}, err
		}
		k.groups = make(map[string]metav1.APIGroup, len(list.Groups))
		for _, g := range list.Groups {
			sortPreferred(&g)
			k.groups[g.Name] = g
		}
	}
	return k.groups[name], nil
}

// sortPreferred puts the server's favourite version first.
func sortPreferred(g *metav1.APIGroup) {
	slices.SortStableFunc(g.Versions, func(a, b metav1.GroupVersionForDiscovery) int {
		switch g.PreferredVersion.Version {
		case a.Version:
			return -1
		case b.Version:
			return 1
		}
		return 0
	})
}

func (c *Client) fetchGroups(ctx context.Context) (list *metav1.APIGroupList, err error) {
	err = c.retry(ctx, verbDiscover, func(ctx context.Context) error {
		list, err = c.catalogue.client.ServerGroupsWithContext(silent(ctx))
		return err
	})
	if err != nil {
		return nil, &Error{Verb: "discover", GroupKind: schema.GroupKind{Kind: "the API groups"}, Err: err}
	}
	return list, nil
}

// resources reads one group version; one that is not there has none. Failures of
// the group itself become *ErrUnavailable.
func (c *Client) resources(ctx context.Context, gv schema.GroupVersion) (*metav1.APIResourceList, error) {
	k := c.catalogue
	if list, ok := k.resources[gv]; ok {
		return list, nil
	}
	var list *metav1.APIResourceList
	err := c.retry(ctx, verbDiscover, func(ctx context.Context) error {
		var err error
		list, err = k.client.ServerResourcesForGroupVersionWithContext(silent(ctx), gv.String())
		return err
	})
	switch {
	case err == nil && list != nil:
		k.resources[gv] = list
		return list, nil
	case err == nil, errors.Is(err, memory.ErrCacheNotFound), isNotServed(err):
		k.resources[gv] = &metav1.APIResourceList{}
		return k.resources[gv], nil
	case isConnection(err), ctx.Err() != nil:
		return nil, &Error{Verb: "discover", GroupKind: schema.GroupKind{Kind: gv.String()}, Err: err}
	default:
		return nil, &ErrUnavailable{GroupVersion: gv, Reason: reasonOf(err)}
	}
}

// silent keeps discovery's client from logging what it returns as an error
// anyway.
func silent(ctx context.Context) context.Context {
	return klog.NewContext(ctx, klog.Logger{})
}

// reasonOf words why a group version could not be read.
func reasonOf(err error) string {
	var stale discovery.StaleGroupVersionError
	if errors.As(err, &stale) {
		return "the service behind its APIService does not answer"
	}
	return err.Error()
}

// findKind looks for a kind among the resources of a group version. Subresources
// may have a kind of their own (Scale), so only plain names count.
func findKind(list *metav1.APIResourceList, gvk schema.GroupVersionKind) (Mapping, bool) {
	for _, r := range list.APIResources {
		if r.Kind != gvk.Kind || strings.Contains(r.Name, "/") {
			continue
		}
		return Mapping{
			GVR:          gvk.GroupVersion().WithResource(r.Name),
			GVK:          gvk,
			Namespaced:   r.Namespaced,
			Verbs:        sets.New(r.Verbs...),
			Subresources: subresources(list, r.Name),
			Names:        slices.Concat([]string{r.Name, r.SingularName}, r.ShortNames),
		}, true
	}
	return Mapping{}, false
}

func subresources(list *metav1.APIResourceList, resource string) sets.Set[string] {
	found := sets.New[string]()
	for _, r := range list.APIResources {
		if sub, ok := strings.CutPrefix(r.Name, resource+"/"); ok {
			found.Insert(sub)
		}
	}
	return found
}
