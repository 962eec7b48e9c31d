package registry

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry/archive"
)

func TestPullHoldsTheLimits(t *testing.T) {
	s := plainServer(t)
	ref := reference(t, s.host+"/app:v1")
	image := sample(t)
	image.Layers = append(image.Layers, Blob{MediaType: "application/octet-stream", Data: make([]byte, 5000)})
	_, err := newClient(t, Options{PlainHTTP: true}).Push(t.Context(), ref, image, PushOptions{})
	require.NoError(t, err)
	for name, limits := range map[string]Limits{
		"manifest": {Manifest: 100},
		"config":   {Config: 10},
		"layer":    {Layer: 4999},
		"total":    {Total: 5001},
		"layers":   {Layers: 2},
	} {
		t.Run(name, func(t *testing.T) {
			cache := filepath.Join(t.TempDir(), "cache")
			_, err := newClient(t, Options{PlainHTTP: true, Limits: limits, CacheDir: cache}).Pull(t.Context(), ref)
			require.ErrorIs(t, err, ErrTooLarge)
			blobs, err := filepath.Glob(filepath.Join(cache, "blobs", "sha256", "*"))
			require.NoError(t, err)
			assert.LessOrEqual(t, len(blobs), 1, "nothing but the manifest is stored")
		})
	}
	c := newClient(t, Options{PlainHTTP: true, Limits: Limits{Tags: 1}})
	_, err = c.Push(t.Context(), ref.WithTag("v2"), image, PushOptions{})
	require.NoError(t, err)
	_, err = c.Tags(t.Context(), ref)
	assert.ErrorIs(t, err, ErrTooLarge)
}

// TestManifestsOfStrangers puts documents where manifests should be.
func TestManifestsOfStrangers(t *testing.T) {
	layer := func(size int64) map[string]any {
		return map[string]any{"mediaType": "application/x", "digest": someDigest, "size": size}
	}
	config := map[string]any{"mediaType": "application/x", "digest": someDigest, "size": 1}
	for name, tt := range map[string]struct {
		mediaType string
		document  any
		want      string
	}{
		"no manifest":      {"application/json", map[string]any{}, `wanted a manifest or an index, found "application/json"`},
		"no JSON":          {ocispec.MediaTypeImageManifest, "text", "manifest sha256:"},
		"negative size":    {ocispec.MediaTypeImageManifest, map[string]any{"config": config, "layers": []any{layer(-1)}}, "too large: layer 1 has -1 bytes"},
		"huge sizes":       {ocispec.MediaTypeImageManifest, map[string]any{"config": config, "layers": []any{layer(1 << 62), layer(1 << 62)}}, "too large"},
		"a digest as path": {ocispec.MediaTypeImageManifest, map[string]any{"config": map[string]any{"digest": "sha256:../../evil", "size": 1}}, "corrupt: digest"},
		"no digest":        {ocispec.MediaTypeImageManifest, map[string]any{}, "corrupt: digest"},
		"missing blobs":    {ocispec.MediaTypeImageManifest, map[string]any{"config": config}, "not found"},
		"empty index":      {ocispec.MediaTypeImageIndex, map[string]any{}, "the index has nothing for linux/"},
		"index of indexes": {ocispec.MediaTypeImageIndex, map[string]any{"manifests": []any{config}}, "not found"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := json.Marshal(tt.document)
			require.NoError(t, err)
			dir := t.TempDir()
			blob := describe(Blob{MediaType: tt.mediaType, Data: data})
			writeLayout(t, dir, map[string][]byte{blob.Digest.Encoded(): data}, blob)
			_, err = newClient(t, Options{}).Pull(t.Context(), Reference{Layout: dir})
			var ours *Error
			require.ErrorAs(t, err, &ours)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func writeLayout(t *testing.T, dir string, blobs map[string][]byte, manifests ...ocispec.Descriptor) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o755))
	for name, data := range blobs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "blobs", "sha256", name), data, 0o600))
	}
	index, err := json.Marshal(ocispec.Index{Manifests: manifests})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.json"), index, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "oci-layout"), []byte(`{"imageLayoutVersion":"1.0.0"}`), 0o600))
}

func TestLayoutFaults(t *testing.T) {
	c := newClient(t, Options{})
	dir := t.TempDir()
	_, err := c.Pull(t.Context(), Reference{Layout: filepath.Join(dir, "not-there")})
	require.ErrorIs(t, err, ErrNotFound)
	_, err = c.Tags(t.Context(), Reference{Layout: dir})
	assert.ErrorContains(t, err, "is no OCI layout")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "oci-layout"), []byte(`{"imageLayoutVersion":"2"}`), 0o600))
	_, err = c.Tags(t.Context(), Reference{Layout: dir})
	assert.ErrorContains(t, err, `wanted version 1.0.0, found "2"`)

	for content, want := range map[string]string{"no JSON": "invalid character", strings.Repeat(" ", maxIndex+1): "too large"} {
		broken := t.TempDir()
		writeLayout(t, broken, nil)
		require.NoError(t, os.WriteFile(filepath.Join(broken, "index.json"), []byte(content), 0o600))
		_, err = c.Tags(t.Context(), Reference{Layout: broken})
		assert.ErrorContains(t, err, "index.json: ")
		assert.ErrorContains(t, err, want)
	}

	layout := filepath.Join(dir, "layout")
	for _, tag := range []string{"v1", "v2"} {
		_, err := c.Push(t.Context(), Reference{Layout: layout, Tag: tag}, Image{Annotations: map[string]string{"tag": tag}}, PushOptions{})
		require.NoError(t, err)
	}
	_, err = c.Pull(t.Context(), Reference{Layout: layout})
	assert.ErrorContains(t, err, "the layout holds 2 artifacts that fit; name a tag: v1, v2")
	_, err = c.Pull(t.Context(), Reference{Layout: layout, Tag: "v3"})
	require.ErrorIs(t, err, ErrNotFound)
	assert.ErrorContains(t, err, "the layout has the tags v1, v2")

	// A blob that is a link out of the layout is not followed.
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("{}"), 0o600))
	blob := describe(Blob{MediaType: ocispec.MediaTypeImageManifest, Data: []byte("{}")})
	odd := filepath.Join(dir, "odd")
	writeLayout(t, odd, nil, blob)
	require.NoError(t, os.Symlink(secret, filepath.Join(odd, "blobs", "sha256", blob.Digest.Encoded())))
	_, err = c.Pull(t.Context(), Reference{Layout: odd})
	assert.ErrorContains(t, err, "escapes")
}

func TestChoose(t *testing.T) {
	of := func(content, os, arch, variant string) ocispec.Descriptor {
		return ocispec.Descriptor{
			Digest: describe(Blob{Data: []byte(content)}).Digest, Platform: &ocispec.Platform{OS: os, Architecture: arch, Variant: variant},
		}
	}
	amd, arm, proof := of("amd", "linux", "amd64", ""), of("arm", "linux", "arm64", "v8"), of("proof", "unknown", "unknown", "")
	for name, tt := range map[string]struct {
		platform  string
		manifests []ocispec.Descriptor
		want      ocispec.Descriptor
		err       string
	}{
		"the one":              {"linux/amd64", []ocispec.Descriptor{arm, amd, proof}, amd, ""},
		"with variant":         {"linux/arm64/v8", []ocispec.Descriptor{amd, arm}, arm, ""},
		"the only one":         {"linux/riscv64", []ocispec.Descriptor{proof, amd}, amd, ""},
		"without platform":     {"linux/amd64", []ocispec.Descriptor{{MediaType: "x"}}, ocispec.Descriptor{MediaType: "x"}, ""},
		"none of several":      {"linux/riscv64", []ocispec.Descriptor{amd, arm}, ocispec.Descriptor{}, "nothing for linux/riscv64, but linux/amd64, linux/arm64/v8"},
		"nothing but a proof":  {"linux/amd64", []ocispec.Descriptor{proof}, ocispec.Descriptor{}, "but nothing"},
		"a proof is asked for": {"unknown/unknown", []ocispec.Descriptor{amd, proof}, proof, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := choose(ocispec.Index{Manifests: tt.manifests}, tt.platform)
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestPullOfAnIndex(t *testing.T) {
	c := newClient(t, Options{Platform: "linux/arm64"})
	dir := t.TempDir()
	layout := Reference{Layout: filepath.Join(dir, "layout")}
	var manifests []ocispec.Descriptor
	for _, arch := range []string{"amd64", "arm64"} {
		pushed, err := c.Push(t.Context(), layout.WithTag(arch), Image{Annotations: map[string]string{"arch": arch}}, PushOptions{})
		require.NoError(t, err)
		manifests = append(manifests, ocispec.Descriptor{
			MediaType: pushed.MediaType, Digest: digest.Digest(pushed.Digest), Size: pushed.Size,
			Platform: &ocispec.Platform{OS: "linux", Architecture: arch},
		})
	}
	data, err := json.Marshal(ocispec.Index{MediaType: ocispec.MediaTypeImageIndex, Manifests: manifests})
	require.NoError(t, err)
	index := describe(Blob{MediaType: ocispec.MediaTypeImageIndex, Data: data})
	writeLayout(t, layout.Layout, map[string][]byte{index.Digest.Encoded(): data}, index)
	a, err := c.Pull(t.Context(), layout)
	require.NoError(t, err)
	defer func() { assert.NoError(t, a.Close()) }()
	assert.Equal(t, "arm64", a.Annotations["arch"])
}

func TestLayers(t *testing.T) {
	s := plainServer(t)
	c := newClient(t, Options{PlainHTTP: true})
	titled := func(name, mediaType string, data []byte) Blob {
		return Blob{MediaType: mediaType, Data: data, Annotations: map[string]string{ocispec.AnnotationTitle: name}}
	}
	packed := layerOf(t, map[string]string{"in/a.txt": "1"})
	folder := titled("folder", "application/x", packed.Data)
	folder.Annotations[unpackAnnotation] = "true"
	push := func(tag string, layers ...Blob) *Artifact {
		ref := reference(t, s.host+"/app:"+tag)
		_, err := c.Push(t.Context(), ref, Image{Type: "application/vnd.test", Layers: layers}, PushOptions{})
		require.NoError(t, err)
		a, err := c.Pull(t.Context(), ref)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, a.Close()) })
		return a
	}

	a := push("good", titled("a.yaml", "text/yaml", []byte("a: 1")), titled("x.tgz", ocispec.MediaTypeImageLayerGzip, packed.Data), folder)
	assert.Equal(t, "application/vnd.test", a.Type)
	found, err := a.FindLayer("text/yaml", "text/other")
	require.NoError(t, err)
	data, err := found.ReadAll(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a: 1", string(data))
	_, err = a.FindLayer("text/plain")
	assert.ErrorContains(t, err, "wanted one layer of type text/plain, found 0; the layers are of \"text/yaml\", \""+ocispec.MediaTypeImageLayerGzip)
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, a.Extract(t.Context(), dir, archive.DefaultLimits()))
	assert.FileExists(t, filepath.Join(dir, "a.yaml"))
	assert.FileExists(t, filepath.Join(dir, "in", "a.txt"))
	assert.ErrorContains(t, a.Extract(t.Context(), dir, archive.DefaultLimits()), "is there already")

	for name, layer := range map[string]Blob{
		"no title":  {MediaType: "application/x", Data: []byte("1")},
		"a way out": titled("../evil", "application/x", []byte("1")),
		"a link":    linkLayer(t, "../evil"),
		"no tar":    {MediaType: ocispec.MediaTypeImageLayer, Data: []byte(strings.Repeat("1", 1000))},
	} {
		parent := t.TempDir()
		bad := push(strings.ReplaceAll(name, " ", ""), layer)
		err := bad.Extract(t.Context(), filepath.Join(parent, "out"), archive.DefaultLimits())
		assert.ErrorContains(t, err, "unpack "+bad.Reference.String()+": ", name)
		left, err := os.ReadDir(parent)
		require.NoError(t, err)
		assert.Empty(t, left, "after an error there is nothing")
	}
}

// linkLayer is a layer with a link.
func linkLayer(t *testing.T, target string) Blob {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "link", Linkname: target, Typeflag: tar.TypeSymlink}))
	require.NoError(t, w.Close())
	return Blob{MediaType: ocispec.MediaTypeImageLayer, Data: out.Bytes()}
}

// TestBearerTokens has a registry that sends to another address for a token, as
// most in the world do.
func TestBearerTokens(t *testing.T) {
	inner := newRegistry()
	var host string
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/token":
			if name, secret, ok := r.BasicAuth(); !ok || name != user || secret != password {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_, _ = w.Write([]byte(`{"token":"t0ken-for-` + strings.ReplaceAll(r.URL.Query().Get("scope"), ":", "-") + `"}`))
		case strings.HasPrefix(r.Header.Get("Authorization"), "Bearer t0ken-for-repository-app-"):
			inner.ServeHTTP(w, r)
		default:
			w.Header().Set("WWW-Authenticate", `Bearer realm="http://`+host+`/token",service="test",scope="repository:app:pull,push"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer front.Close()
	host = strings.TrimPrefix(front.URL, "http://")
	ref := reference(t, host+"/app:v1")
	c := newClient(t, Options{PlainHTTP: true, CredentialFiles: []string{credentialsFile(t, host, user, password)}})
	_, err := c.Push(t.Context(), ref, sample(t), PushOptions{})
	require.NoError(t, err)
	checkSample(t, c, ref, mustDigest(t, sample(t)))
	wrong := newClient(t, Options{PlainHTTP: true, Credentials: Credentials{Username: user, Password: "wrong-password"}})
	_, err = wrong.Pull(t.Context(), ref)
	require.ErrorIs(t, err, ErrDenied)
	assert.NotContains(t, err.Error(), "wrong-password")
}
