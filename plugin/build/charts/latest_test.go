package charts

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

func TestLatest(t *testing.T) {
	r := newRepository(t)
	r.add(t, "web", "1.2.0", "1.10.0", "2.0.0-rc.1", "no-version")
	cached := Fetcher{Registry: registry.Options{CacheDir: t.TempDir()}}
	offline := cached
	offline.Registry.Offline = true

	_, err := offline.Latest(t.Context(), r.source(""))
	require.ErrorContains(t, err, "offline, and not seen before")
	latest, err := cached.Latest(t.Context(), r.source("1.2.0"))
	require.NoError(t, err)
	assert.Equal(t, "1.10.0", latest, "whatever is asked for")
	assert.Equal(t, []string{"/dir/index.yaml false"}, r.asked, "no archive is fetched")
	latest, err = offline.Latest(t.Context(), r.source(""))
	require.NoError(t, err)
	assert.Equal(t, "1.10.0", latest)

	latest, err = cached.Latest(t.Context(), Source{Path: "somewhere"})
	require.NoError(t, err)
	assert.Empty(t, latest)

	r.password = "hunter22"
	s := r.source("")
	s.Username, s.Password = "me", "wrong-password"
	_, err = Fetcher{}.Latest(t.Context(), s)
	require.ErrorContains(t, err, "401")
	assert.NotContains(t, err.Error(), "wrong-password")

	r.password = ""
	r.add(t, "web", "2.0.0-rc.1")
	_, err = Fetcher{}.Latest(t.Context(), r.source(""))
	require.ErrorContains(t, err, "no version is a release")
}

func TestOutdated(t *testing.T) {
	for _, c := range []struct {
		wanted, latest string
		want           bool
	}{
		{"1.2.0", "1.10.0", true},
		{"1.10.0", "1.10.0", false},
		{"v1.10.0", "1.10.0", false},
		{"2.0.0-rc.1", "1.10.0", false},
		{"^1.2", "1.10.0", false},
		{"^1.2", "2.0.0", true},
		{"<1.10", "1.10.0", true},
		{"", "2.0.0", false},
		{"1.0.0", "", false},
		{"newest", "1.0.0", false},
		{"1.0.0", "odd", false},
	} {
		assert.Equal(t, c.want, Outdated(c.wanted, c.latest), "%s against %s", c.wanted, c.latest)
	}
}
