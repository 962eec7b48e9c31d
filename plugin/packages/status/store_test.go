package status

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

func TestStoreTellsChangesOnce(t *testing.T) {
	clock := clocktesting.NewFakeClock(before)
	var told []string
	s := NewStore(clock, func(name string) { told = append(told, name) })
	s.Set("demo.shop", True(Loaded), Applying())
	assert.Len(t, told, 1, "one report is one change")
	clock.Step(time.Minute)
	s.Set("demo.shop", True(Loaded), Applying())
	assert.Len(t, told, 1, "nothing is new")
	s.Set("demo.shop", False(ManifestsApplied, ReasonApplyManifestsFailed, "denied"))
	require.Len(t, told, 2)
	known, ok := s.Get("demo.shop")
	require.True(t, ok)
	assert.Equal(t, before, known.Get(ManifestsApplied).LastTransitionTime, "it was False before")
	assert.Equal(t, []Type{Loaded, ManifestsApplied}, []Type{known.Conditions[0].Type, known.Conditions[1].Type})
	s.Track("demo.shop", api.Tracking{Completed: 1})
	s.Track("demo.shop", api.Tracking{Completed: 1})
	s.SetVersion("demo.shop", "v1.0.0")
	s.SetVersion("demo.shop", "v1.0.0")
	assert.Len(t, told, 4)
	s.Forget("demo.shop", Loaded)
	s.Forget("demo.shop", Loaded)
	assert.Len(t, told, 5)
	s.Delete("demo.shop")
	_, ok = s.Get("demo.shop")
	assert.False(t, ok)
	assert.Empty(t, s.Names())
}

// currentVersion, urls and lastAppliedConfiguration are never ahead of the objects.
func TestCommitRule(t *testing.T) {
	s := NewStore(clocktesting.NewFakeClock(before), nil)
	settings := map[string]any{"replicas": int64(2), "nested": map[string]any{"a": "b"}}
	s.SetVersion("demo.shop", "v2.0.0")
	s.Set("demo.shop", True(Configured), Applying())
	s.SetURLs("demo.shop", []api.URL{{URL: "https://shop"}})
	known, _ := s.Get("demo.shop")
	assert.Nil(t, known.Applied, "nothing is told before it is applied")
	s.Commit("demo.shop", Applied{Version: "v2.0.0", Settings: settings, URLs: []api.URL{{URL: "https://shop"}}})
	known, _ = s.Get("demo.shop")
	assert.True(t, known.Is(ManifestsApplied))
	assert.Equal(t, "v2.0.0", known.Applied.Version)
	settings["replicas"] = int64(3)
	known.Applied.Settings["nested"] = nil
	known, _ = s.Get("demo.shop")
	assert.Equal(t, map[string]any{"replicas": int64(2), "nested": map[string]any{"a": "b"}}, known.Applied.Settings, "copies, on both sides")
	s.Set("demo.shop", Applying())
	s.SetVersion("demo.shop", "v3.0.0")
	s.Set("demo.shop", False(ManifestsApplied, ReasonApplyManifestsFailed, "denied"))
	known, _ = s.Get("demo.shop")
	assert.Equal(t, "v2.0.0", known.Applied.Version, "the old version is what is there")
	s.SetURLs("demo.shop", []api.URL{{URL: "https://other"}})
	known, _ = s.Get("demo.shop")
	assert.Equal(t, "https://other", known.Applied.URLs[0].URL, "endpoints are refreshed without an apply")
}

func TestStoreFromManySides(t *testing.T) {
	var mu sync.Mutex
	count := 0
	s := NewStore(clocktesting.NewFakeClock(before), func(string) { mu.Lock(); count++; mu.Unlock() })
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				s.Set("a.b", True(Loaded))
				s.Set("a.b", False(Loaded, ReasonLoadFailed, "x"))
				s.Get("a.b")
			}
		})
	}
	group.Wait()
	mu.Lock()
	defer mu.Unlock()
	assert.NotZero(t, count)
}

func TestAbnormal(t *testing.T) {
	assert.False(t, True(Loaded).Abnormal())
	assert.True(t, Unknown(Loaded, "", "").Abnormal())
	assert.True(t, False(Loaded, ReasonLoadFailed, "").Abnormal())
	assert.True(t, TrueBecause(MaintenanceMode, "NoResourceReconciliation", "").Abnormal())
	assert.False(t, False(MaintenanceMode, "", "").Abnormal())
	assert.False(t, False(Pending, "", "").Abnormal())
}
