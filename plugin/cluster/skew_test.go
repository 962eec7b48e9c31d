package cluster

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSkew(t *testing.T) {
	for _, c := range []struct{ client, server, want string }{
		{"v1.37.2", "v1.37.2", ""},
		{"v1.37.2", "v1.36.0", ""},
		{"v1.37.2", "v1.38.0-alpha.1", ""},
		{"v1.37.2", "v1.36.5-gke.1234000", ""},
		{"v1.37.2", "v1.36.5+k3s1", ""},
		{"v1.37.2", "v1.35.9", "the server is Kubernetes 1.35, this program is made for 1.37"},
		{"v1.37.2", "v1.39.0", "the server is Kubernetes 1.39, this program is made for 1.37"},
		{"v1.37.2", "v2.37.0", "the server is Kubernetes 2.37, this program is made for 1.37"},
	} {
		got, err := Skew(c.client, c.server)
		require.NoError(t, err, c.server)
		if c.want == "" {
			assert.Empty(t, got, c.server)
		} else {
			assert.Contains(t, got, c.want, c.server)
		}
	}
}

func TestSkewOfNoVersions(t *testing.T) {
	_, err := Skew("v1.37.2", "latest")
	require.EqualError(t, err, `the server's version: wanted one like v1.37.2, found "latest"`)
	_, err = Skew("", "v1.37.2")
	require.EqualError(t, err, `the client's version: wanted one like v1.37.2, found ""`)
}

func TestReleaseOfLibrary(t *testing.T) {
	assert.Equal(t, "v1.37.2", ReleaseOfLibrary("v0.37.2"))
	assert.Equal(t, "v1.38.0-rc.0", ReleaseOfLibrary("v0.38.0-rc.0"))
	assert.Equal(t, "(devel)", ReleaseOfLibrary("(devel)"))
	assert.Empty(t, ReleaseOfLibrary(""))
}
