package cluster

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var deploymentKind = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}

// schemaServer publishes the Deployment's document under a hash.
type schemaServer struct {
	t         *testing.T
	hash      atomic.Value
	lists     atomic.Int32
	documents atomic.Int32
}

func newSchemaServer(t *testing.T) *schemaServer {
	s := &schemaServer{t: t}
	s.hash.Store("AAAA")
	return s
}

func (s *schemaServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/openapi/v3":
		s.lists.Add(1)
		answer(200, fmt.Sprintf(`{"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=%s"},"apis/empty.example/v1":{"serverRelativeURL":"/openapi/v3/apis/empty.example/v1"}}}`, s.hash.Load()))(w, r)
	case "/openapi/v3/apis/apps/v1":
		s.documents.Add(1)
		assert.Equal(s.t, s.hash.Load(), r.URL.Query().Get("hash"))
		data, err := os.ReadFile("testdata/openapi-apps-v1.json")
		assert.NoError(s.t, err)
		answer(200, string(data))(w, r)
	case "/openapi/v3/apis/empty.example/v1":
		answer(200, `{"openapi":"3.0.0","paths":{}}`)(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *schemaServer) take() (lists, documents int32) {
	return s.lists.Swap(0), s.documents.Swap(0)
}

func wantSchema(t *testing.T, c *Client) {
	t.Helper()
	s, err := c.Schema(t.Context(), deploymentKind)
	require.NoError(t, err)
	assert.Equal(t, ListMap, at(s, "spec", "template", "spec", "containers").ListType())
}

func TestSchemaRequests(t *testing.T) {
	s := newSchemaServer(t)
	c := connectTo(t, s)
	dir := filepath.Join(t.TempDir(), "schemas")
	address := c.base.String()
	share := func(o *Options) { o.CacheDir = dir }
	expect := func(wantLists, wantDocuments int32, why string) {
		t.Helper()
		lists, documents := s.take()
		assert.Equal(t, [2]int32{wantLists, wantDocuments}, [2]int32{lists, documents}, why)
	}

	c = connectAt(t, address, share)
	wantSchema(t, c)
	wantSchema(t, c)
	expect(1, 1, "first run")

	wantSchema(t, connectAt(t, address, share))
	expect(1, 0, "the next run only asks for the hashes")

	c.InvalidateDiscovery()
	wantSchema(t, c)
	expect(1, 0, "a new CRD, but not in this group")

	s.hash.Store("BBBB")
	c.InvalidateDiscovery()
	wantSchema(t, c)
	expect(1, 1, "the schema changed")

	files, err := filepath.Glob(filepath.Join(dir, "openapi", "*", "apis_apps_v1", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1, "only the newest is kept")
	assert.Equal(t, "BBBB.json", filepath.Base(files[0]))

	require.NoError(t, os.WriteFile(files[0], []byte(`{"components":`), 0o600))
	wantSchema(t, connectAt(t, address, share))
	expect(1, 1, "a damaged file is fetched again")

	wantSchema(t, connectAt(t, address, func(o *Options) { o.CacheDir = "" }))
	expect(1, 1, "without a cache directory")
	blocked := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	wantSchema(t, connectAt(t, address, func(o *Options) { o.CacheDir = blocked }))
	expect(1, 1, "a cache directory that can't be written")
}

func TestSchemaThatIsNotThere(t *testing.T) {
	c := connectTo(t, newSchemaServer(t))
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "nope.example", Version: "v1", Kind: "Thing"},
		{Group: "apps", Version: "v1", Kind: "Thing"},
		{Group: "empty.example", Version: "v1", Kind: "Thing"},
		{Version: "v1", Kind: "ConfigMap"},
	} {
		s, err := c.Schema(t.Context(), gvk)
		require.NoError(t, err)
		assert.Nil(t, s, gvk.String())
	}
	for name, step := range map[string]http.HandlerFunc{
		"old server": http.NotFound,
		"forbidden":  refuse(403, metav1.StatusReasonForbidden, "no"),
	} {
		s, err := connectTo(t, step).Schema(t.Context(), deploymentKind)
		require.NoError(t, err, name)
		assert.Nil(t, s, name)
	}
}

func TestSchemaThatFails(t *testing.T) {
	_, err := connectTo(t, play(refuse(500, metav1.StatusReasonInternalError, "boom"))).Schema(t.Context(), deploymentKind)
	require.ErrorContains(t, err, "get the list of OpenAPI schemas: boom")
	_, err = connectTo(t, play(answer(200, "<html>"))).Schema(t.Context(), deploymentKind)
	require.ErrorContains(t, err, "decode the list of OpenAPI schemas")
	paths := answer(200, `{"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1"}}}`)
	_, err = connectTo(t, play(paths, refuse(500, metav1.StatusReasonInternalError, "boom"))).Schema(t.Context(), deploymentKind)
	require.ErrorContains(t, err, "get the OpenAPI schema of apps/v1: boom")
	_, err = connectTo(t, play(paths, answer(200, "<html>"))).Schema(t.Context(), deploymentKind)
	require.ErrorContains(t, err, "apps/v1: parse OpenAPI v3 document")
}

// A hash becomes a file name: one that could lead elsewhere is not used.
func TestSchemaFileNames(t *testing.T) {
	s := newSchemaStore(t.TempDir(), "https://x")
	assert.NotEmpty(t, s.file("apis/apps/v1", "/openapi/v3/apis/apps/v1?hash=AB12"))
	for _, address := range []string{
		"/openapi/v3/apis/apps/v1", "/openapi/v3/apis/apps/v1?hash=", "/x?hash=../../etc/passwd", "/x?hash=..%2Fa", `/x?hash=a\b`, "/x?hash=a.b", "://",
	} {
		assert.Empty(t, s.file("apis/apps/v1", address), address)
	}
	assert.Empty(t, s.file("../../x", "/x?hash=AB12"))
	other := newSchemaStore(s.dir, "https://y")
	assert.NotEqual(t, filepath.Base(s.dir), filepath.Base(other.dir), "another server has its own files")
}
