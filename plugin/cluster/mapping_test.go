package cluster

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
)

func groupKind(group, kind string) schema.GroupKind {
	return schema.GroupKind{Group: group, Kind: kind}
}

func TestMapping(t *testing.T) {
	bothFormats(t, func(t *testing.T, s *groupServer) {
		s.serve(coreGroup, appsGroup, demoGroup)
		c := connectTo(t, s)

		m := mustMap(t, c, "apps", "Deployment", "v1")
		assert.Equal(t, schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, m.GVR)
		assert.Equal(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, m.GVK)
		assert.True(t, m.Namespaced)
		assert.True(t, m.HasStatus())
		assert.Equal(t, sets.New("status", "scale"), m.Subresources)
		assert.True(t, m.Can("list"))
		assert.False(t, m.Can("patch"))

		m = mustMap(t, c, "", "Namespace", "v1")
		assert.Equal(t, "namespaces", m.GVR.Resource)
		assert.False(t, m.Namespaced)
		assert.False(t, m.HasStatus())

		assert.Equal(t, "v2", mustMap(t, c, "demo.example", "Widget", "").GVK.Version, "the favourite version")
		assert.Equal(t, "v1", mustMap(t, c, "demo.example", "Old", "").GVK.Version, "the one that has the kind")
		assert.Equal(t, "v1", mustMap(t, c, "demo.example", "Widget", "v1").GVK.Version)
	})
}

func TestMappingMisses(t *testing.T) {
	tests := []struct {
		name    string
		gk      schema.GroupKind
		version string
		served  []string
	}{
		{"no such group", groupKind("nope.example", "Thing"), "v1", nil},
		{"no such group, any version", groupKind("nope.example", "Thing"), "", nil},
		{"no such kind", groupKind("apps", "Thing"), "v1", nil},
		{"no such kind, any version", groupKind("demo.example", "Thing"), "", nil},
		{"removed version", groupKind("apps", "Deployment"), "v1beta1", []string{"v1"}},
		{"several left", groupKind("demo.example", "Widget"), "v1alpha1", []string{"v2", "v1"}},
		{"kind is in the other version", groupKind("demo.example", "Old"), "v2", []string{"v1"}},
		{"a core kind that is none", groupKind("", "Thing"), "v1", nil},
	}
	bothFormats(t, func(t *testing.T, s *groupServer) {
		s.serve(coreGroup, appsGroup, demoGroup)
		c := connectTo(t, s)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, err := c.Mapping(t.Context(), tt.gk, tt.version)
				var miss *ErrNoKind
				require.ErrorAs(t, err, &miss)
				assert.Equal(t, ErrNoKind{GroupKind: tt.gk, Version: tt.version, Served: tt.served}, *miss)
			})
		}
	})
}

// Whatever is asked, discovery is downloaded once, and once more for all misses.
func TestDiscoveryIsDownloadedOnce(t *testing.T) {
	s := &groupServer{groups: []servedGroup{coreGroup, appsGroup, demoGroup}}
	c := connectTo(t, s)
	for range 3 {
		mustMap(t, c, "apps", "Deployment", "v1")
		mustMap(t, c, "demo.example", "Widget", "")
	}
	assert.Equal(t, 2, s.take(), "/api and /apis")
	for _, kind := range []string{"A", "B", "C"} {
		_, err := c.Mapping(t.Context(), groupKind("nope.example", kind), "v1")
		require.Error(t, err)
	}
	assert.Equal(t, 2, s.take(), "one refresh for three misses")
	mustMap(t, c, "apps", "Deployment", "v1")
	assert.Zero(t, s.take())
}

func TestDiscoveryCacheOnDisk(t *testing.T) {
	s := &groupServer{groups: []servedGroup{coreGroup, appsGroup}}
	cache := filepath.Join(t.TempDir(), "kube-cache")
	first := connectTo(t, s)
	address := first.base.String()
	share := func(o *Options) { flagsOf(o).CacheDir = &cache }

	mustMap(t, connectAt(t, address, share), "apps", "Deployment", "v1")
	s.take()
	mustMap(t, connectAt(t, address, share), "apps", "Deployment", "v1")
	assert.Zero(t, s.take(), "the next run reads kubectl's cache")

	s.serve(coreGroup, appsGroup, demoGroup)
	mustMap(t, connectAt(t, address, share), "demo.example", "Widget", "v2")
	assert.Equal(t, 2, s.take(), "what is not in the cache refreshes it")

	_, err := connectAt(t, address, share).Mapping(t.Context(), groupKind("apps", "Deployment"), "v1beta1")
	require.Error(t, err)
	assert.Equal(t, 2, s.take(), "and so does a version that is not")
}

func TestKindThatComesWithTheRun(t *testing.T) {
	bothFormats(t, func(t *testing.T, s *groupServer) {
		s.serve(coreGroup, appsGroup)
		c := connectTo(t, s)
		mustMap(t, c, "apps", "Deployment", "v1")
		_, err := c.Mapping(t.Context(), groupKind("demo.example", "Widget"), "v2")
		require.Error(t, err)

		s.serve(coreGroup, appsGroup, demoGroup)
		_, err = c.Mapping(t.Context(), groupKind("demo.example", "Widget"), "v2")
		require.Error(t, err, "nobody said that something changed")
		s.take()
		c.InvalidateDiscovery()
		mustMap(t, c, "apps", "Deployment", "v1")
		assert.Zero(t, s.take(), "known kinds stay known")
		mustMap(t, c, "demo.example", "Widget", "v2")
		assert.NotZero(t, s.take())
		c.InvalidateDiscovery()
		mustMap(t, c, "demo.example", "Widget", "v1")
		assert.Zero(t, s.take())
	})
}

// One broken group is a matter of its own objects only (case K01).
func TestBrokenGroup(t *testing.T) {
	whole := servedGroup{"broken.demo.example", []servedVersion{{name: "v1", broken: true}}}
	half := servedGroup{"half.example", []servedVersion{
		{name: "v1", kinds: map[string]bool{"Widget": true}},
		{name: "v2", broken: true},
	}}
	bothFormats(t, func(t *testing.T, s *groupServer) {
		s.serve(coreGroup, whole, appsGroup, half)
		c := connectTo(t, s)
		mustMap(t, c, "apps", "Deployment", "v1")
		mustMap(t, c, "half.example", "Widget", "v1")
		mustMap(t, c, "half.example", "Widget", "")

		var broken *ErrUnavailable
		_, err := c.Mapping(t.Context(), groupKind("broken.demo.example", "Thing"), "v1")
		require.ErrorAs(t, err, &broken)
		assert.Equal(t, schema.GroupVersion{Group: "broken.demo.example", Version: "v1"}, broken.GroupVersion)
		_, err = c.Mapping(t.Context(), groupKind("broken.demo.example", "Thing"), "")
		require.ErrorAs(t, err, &broken)
		_, err = c.Mapping(t.Context(), groupKind("half.example", "Widget"), "v2")
		require.ErrorAs(t, err, &broken)
		assert.Equal(t, "v2", broken.GroupVersion.Version)

		var miss *ErrNoKind
		_, err = c.Mapping(t.Context(), groupKind("apps", "Thing"), "v1")
		require.ErrorAs(t, err, &miss)

		// The service comes back.
		s.serve(coreGroup, servedGroup{"broken.demo.example", []servedVersion{{name: "v1", kinds: map[string]bool{"Thing": true}}}}, appsGroup, half)
		c.InvalidateDiscovery()
		mustMap(t, c, "broken.demo.example", "Thing", "v1")
	})
}

func TestDiscoveryThatFails(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		s := &groupServer{fail: refuse(403, metav1.StatusReasonForbidden, "no discovery for you")}
		_, err := connectTo(t, s).Mapping(t.Context(), groupKind("apps", "Deployment"), "v1")
		assert.True(t, apierrors.IsForbidden(err))
		require.ErrorContains(t, err, "discover the API groups: ")
		var miss *ErrNoKind
		assert.NotErrorAs(t, err, &miss, "what could not be read is not absent")
	})
	t.Run("passing", func(t *testing.T) {
		s := &groupServer{groups: []servedGroup{coreGroup, appsGroup}}
		first := true
		s.fail = refuse(500, metav1.StatusReasonInternalError, "etcdserver: leader changed")
		clk := newHurry()
		c := connectTo(t, s, withClock(clk))
		c.jitter = func() float64 {
			if first {
				s.mu.Lock()
				s.fail = nil
				s.mu.Unlock()
			}
			first = false
			return 0
		}
		mustMap(t, c, "apps", "Deployment", "v1")
		assert.NotEmpty(t, clk.pauses)
	})
	t.Run("nobody there, but a cache", func(t *testing.T) {
		s := &groupServer{groups: []servedGroup{coreGroup, appsGroup}}
		cache := filepath.Join(t.TempDir(), "kube-cache")
		share := func(o *Options) { flagsOf(o).CacheDir = &cache }
		server := httptest.NewServer(s)
		mustMap(t, connectAt(t, server.URL, share), "apps", "Deployment", "v1")
		server.Close()

		clk := newHurry()
		c := connectAt(t, server.URL, share, withClock(clk))
		m := mustMap(t, c, "apps", "Deployment", "v1")
		_, err := c.List(t.Context(), m, ListOptions{})
		require.ErrorContains(t, err, "connection refused")
		assert.Zero(t, clk.waited(), "the cache is no sign of life")
	})
	t.Run("nobody there", func(t *testing.T) {
		_, err := connectAt(t, "http://127.0.0.1:1", withClock(newHurry())).Mapping(t.Context(), groupKind("apps", "Deployment"), "v1")
		require.ErrorContains(t, err, "connection refused")
		var miss *ErrNoKind
		assert.NotErrorAs(t, err, &miss)
	})
}
