package cluster

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A clock that is behind the server's doesn't hide what the server serves by now.
func TestDiscoveryWithAClockThatIsBehind(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"behind": time.Hour, "right": 0, "ahead": -time.Hour} {
		t.Run(name, func(t *testing.T) {
			groups := &groupServer{groups: []servedGroup{coreGroup, appsGroup}}
			var version, unchanged atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				tag := strconv.Quote(strconv.Itoa(int(version.Load())))
				w.Header().Set("Date", time.Now().Add(ahead).UTC().Format(http.TimeFormat))
				w.Header().Set("Cache-Control", "public")
				w.Header().Set("ETag", tag)
				if r.Header.Get("If-None-Match") == tag {
					unchanged.Add(1)
					w.WriteHeader(http.StatusNotModified)
					return
				}
				groups.ServeHTTP(w, r)
			}))
			t.Cleanup(server.Close)
			cache := filepath.Join(t.TempDir(), "kube-cache")
			share := func(o *Options) { flagsOf(o).CacheDir = &cache }
			mustMap(t, connectAt(t, server.URL, share), "apps", "Deployment", "v1")
			_, err := connectAt(t, server.URL, share).Mapping(t.Context(), groupKind("demo.example", "Widget"), "v2")
			require.Error(t, err)
			assert.NotZero(t, unchanged.Load(), "what didn't change is not sent again")

			groups.serve(coreGroup, appsGroup, demoGroup)
			version.Add(1)
			mustMap(t, connectAt(t, server.URL, share), "demo.example", "Widget", "v2")
		})
	}
}
