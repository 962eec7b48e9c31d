package packages

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// playedServer serves Secrets and versions of packages, and answers each list or get of
// them with a code.
func playedServer(t *testing.T, secrets, versions int) *cluster.Client {
	t.Helper()
	status := func(code int) string {
		reason := map[int]string{http.StatusForbidden: "Forbidden", http.StatusBadRequest: "BadRequest", http.StatusNotFound: "NotFound"}[code]
		return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"details":{"name":"x","kind":"applicationpackageversions","group":"deckhouse.io"},"code":%d}`, reason, code)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		code, body := http.StatusOK, ""
		switch r.URL.Path {
		case "/api":
			body = `{"kind":"APIVersions","versions":["v1"]}`
		case "/apis":
			body = `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"deckhouse.io","versions":[{"groupVersion":"deckhouse.io/v1alpha1","version":"v1alpha1"}]}]}`
		case "/api/v1":
			body = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"v1","resources":[{"name":"secrets","kind":"Secret","namespaced":true,"verbs":["list"]}]}`
		case "/apis/deckhouse.io/v1alpha1":
			body = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"deckhouse.io/v1alpha1","resources":[{"name":"applicationpackageversions","kind":"ApplicationPackageVersion","verbs":["get"]}]}`
		case "/api/v1/namespaces/demo/secrets":
			code, body = secrets, `{"kind":"SecretList","apiVersion":"v1","items":[]}`
		default:
			code = versions
		}
		if code != http.StatusOK {
			body = status(code)
		}
		w.WriteHeader(code)
		_, err := w.Write([]byte(body))
		assert.NoError(t, err)
	}))
	t.Cleanup(server.Close)
	empty, cache := filepath.Join(t.TempDir(), "kubeconfig"), t.TempDir()
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	flags := cluster.Flags()
	flags.KubeConfig, flags.APIServer, flags.CacheDir = &empty, &server.URL, &cache
	c, err := cluster.Connect(cluster.Options{Getter: flags, UserAgent: "test", FieldManager: "tazuna", CacheDir: cache})
	require.NoError(t, err)
	return c
}

// What a user may not read can't be masked, and is told; with any other error nothing may
// be shown, so the two must not be taken for each other, also where both come together.
func TestWhatHasToBeMaskedIsKnownOrNothingIsShown(t *testing.T) {
	const ok, forbidden, broken, absent = http.StatusOK, http.StatusForbidden, http.StatusBadRequest, http.StatusNotFound
	app := &api.Application{}
	app.Namespace, app.Name = "demo", "shop"
	for name, tt := range map[string]struct {
		secrets, versions int
		wantErr, shown    bool
	}{
		"all is known":                      {ok, absent, false, true},
		"Secrets may not be read":           {forbidden, absent, true, true},
		"nothing may be read":               {forbidden, forbidden, true, true},
		"Secrets can't be read":             {broken, absent, true, false},
		"schemas can't be read":             {ok, broken, true, false},
		"forbidden, and schemas can't be":   {forbidden, broken, true, false},
		"Secrets can't be, schemas may not": {broken, forbidden, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&applications{client: playedServer(t, tt.secrets, tt.versions)}).secrets(t.Context(), app)
			assert.Equal(t, tt.wantErr, err != nil, "%v", err)
			assert.Equal(t, tt.shown, err == nil || apierrors.IsForbidden(err), "%v", err)
		})
	}
}
