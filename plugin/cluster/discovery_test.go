package cluster

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// groupServer plays the discovery of an API server.
type groupServer struct {
	legacy bool // only the unaggregated format, as before 1.26

	mu       sync.Mutex
	groups   []servedGroup
	requests []string
	fail     http.HandlerFunc // answers everything, when set
}

type servedGroup struct {
	name     string
	versions []servedVersion // the favourite first
}

type servedVersion struct {
	name   string
	broken bool
	// kinds map "Kind" or "Kind/subresource" to namespaced.
	kinds map[string]bool
}

var (
	coreGroup = servedGroup{"", []servedVersion{{name: "v1", kinds: map[string]bool{"ConfigMap": true, "Namespace": false}}}}
	appsGroup = servedGroup{"apps", []servedVersion{{name: "v1", kinds: map[string]bool{"Deployment": true, "Deployment/status": true, "Deployment/scale": true}}}}
	demoGroup = servedGroup{"demo.example", []servedVersion{
		{name: "v2", kinds: map[string]bool{"Widget": true}},
		{name: "v1", kinds: map[string]bool{"Widget": true, "Old": false}},
	}}
)

func (s *groupServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.URL.Path)
	if s.fail != nil {
		s.fail(w, r)
		return
	}
	path := strings.Trim(r.URL.Path, "/")
	switch {
	case !s.legacy && (path == "api" || path == "apis"):
		s.aggregated(w, path)
	case path == "api":
		answerJSON(w, 200, metav1.APIVersions{Versions: []string{"v1"}})
	case path == "apis":
		s.groupList(w)
	default:
		s.resourceList(w, r, path)
	}
}

func (s *groupServer) aggregated(w http.ResponseWriter, path string) {
	list := apidiscovery.APIGroupDiscoveryList{}
	list.Kind, list.APIVersion = "APIGroupDiscoveryList", "apidiscovery.k8s.io/v2"
	for _, g := range s.groups {
		if (g.name == "") != (path == "api") {
			continue
		}
		group := apidiscovery.APIGroupDiscovery{}
		group.Name = g.name
		for _, v := range g.versions {
			version := apidiscovery.APIVersionDiscovery{Version: v.name, Freshness: apidiscovery.DiscoveryFreshnessCurrent}
			if v.broken {
				version.Freshness = apidiscovery.DiscoveryFreshnessStale
			} else {
				version.Resources = aggregatedResources(g.name, v)
			}
			group.Versions = append(group.Versions, version)
		}
		list.Items = append(list.Items, group)
	}
	w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	data := mustJSON(list)
	_, _ = w.Write(data)
}

func aggregatedResources(group string, v servedVersion) []apidiscovery.APIResourceDiscovery {
	var out []apidiscovery.APIResourceDiscovery
	for kind, namespaced := range v.kinds {
		if strings.Contains(kind, "/") {
			continue
		}
		scope := apidiscovery.ScopeCluster
		if namespaced {
			scope = apidiscovery.ScopeNamespace
		}
		gvk := &metav1.GroupVersionKind{Group: group, Version: v.name, Kind: kind}
		resource := apidiscovery.APIResourceDiscovery{Resource: plural(kind), ResponseKind: gvk, Scope: scope, Verbs: []string{"get", "list"}}
		for sub := range v.kinds {
			if name, ok := strings.CutPrefix(sub, kind+"/"); ok {
				resource.Subresources = append(resource.Subresources, apidiscovery.APISubresourceDiscovery{Subresource: name, ResponseKind: gvk, Verbs: []string{"get"}})
			}
		}
		out = append(out, resource)
	}
	return out
}

func (s *groupServer) groupList(w http.ResponseWriter) {
	list := metav1.APIGroupList{}
	for _, g := range s.groups {
		if g.name == "" {
			continue
		}
		group := metav1.APIGroup{Name: g.name}
		for _, v := range g.versions {
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: g.name + "/" + v.name, Version: v.name})
		}
		group.PreferredVersion = group.Versions[0]
		list.Groups = append(list.Groups, group)
	}
	answerJSON(w, 200, list)
}

func (s *groupServer) resourceList(w http.ResponseWriter, r *http.Request, path string) {
	for _, g := range s.groups {
		for _, v := range g.versions {
			if path != "apis/"+g.name+"/"+v.name && path != "api/"+v.name {
				continue
			}
			if v.broken {
				http.Error(w, "service unavailable", http.StatusServiceUnavailable)
				return
			}
			list := metav1.APIResourceList{GroupVersion: strings.TrimPrefix(g.name+"/"+v.name, "/")}
			for kind, namespaced := range v.kinds {
				name, sub, isSub := strings.Cut(kind, "/")
				resource := metav1.APIResource{Name: plural(name), Kind: name, Namespaced: namespaced, Verbs: []string{"get", "list"}}
				if isSub {
					resource.Name += "/" + sub
				}
				list.APIResources = append(list.APIResources, resource)
			}
			answerJSON(w, 200, list)
			return
		}
	}
	http.NotFound(w, r)
}

func plural(kind string) string { return strings.ToLower(kind) + "s" }

// take gives the number of requests since the last call.
func (s *groupServer) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = nil
	return n
}

func (s *groupServer) serve(groups ...servedGroup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = groups
}

// bothFormats runs a test against both discovery formats.
func bothFormats(t *testing.T, test func(t *testing.T, s *groupServer)) {
	t.Helper()
	for name, legacy := range map[string]bool{"aggregated": false, "legacy": true} {
		t.Run(name, func(t *testing.T) { test(t, &groupServer{legacy: legacy}) })
	}
}

func mustMap(t *testing.T, c *Client, group, kind, version string) Mapping {
	t.Helper()
	m, err := c.Mapping(t.Context(), groupKind(group, kind), version)
	require.NoError(t, err)
	return m
}
