package registry

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFromEnvironment(t *testing.T) {
	for name, tt := range map[string]struct {
		env   map[string]string
		cache string
		want  Options
		err   string
	}{
		"nothing": {
			want: Options{CredentialFiles: []string{"/home/me/.docker/config.json", "/home/me/.config/helm/registry/config.json"}},
		},
		"everything": {
			env: map[string]string{
				HostVariable: "ghcr.io", UsernameVariable: "me", PasswordVariable: "secret", TokenVariable: "token", CAFileVariable: "/ca.pem",
				"REGISTRY_AUTH_FILE": "/auth.json", "DOCKER_CONFIG": "/docker", "XDG_RUNTIME_DIR": "/run/me", "HELM_REGISTRY_CONFIG": "/helm.json",
				"XDG_CONFIG_HOME": "/config",
			},
			cache: "/cache",
			want: Options{
				Credentials:     Credentials{Host: "ghcr.io", Username: "me", Password: "secret", Token: "token"},
				CAFile:          "/ca.pem",
				CredentialFiles: []string{"/auth.json", "/docker/config.json", "/run/me/containers/auth.json", "/helm.json"},
				CacheDir:        "/cache/kubectl-tazuna/registry",
			},
		},
		"another place for configurations": {
			env:  map[string]string{"XDG_CONFIG_HOME": "/config"},
			want: Options{CredentialFiles: []string{"/home/me/.docker/config.json", "/config/helm/registry/config.json"}},
		},
		"credentials for whom": {
			env: map[string]string{PasswordVariable: "secret"},
			err: "credentials for a registry are in the environment, but not for which: set TAZUNA_REGISTRY_HOST",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FromEnvironment(func(key string) string { return tt.env[key] }, "/home/me", tt.cache)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}
