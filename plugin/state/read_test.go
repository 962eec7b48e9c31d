package state

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// configMapBody is a ConfigMap of our namespace.
func configMapBody(name string, annotations map[string]any, data map[string]any) map[string]any {
	meta := map[string]any{"name": name, "namespace": Namespace}
	if annotations != nil {
		meta["annotations"] = annotations
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data}
}

// bodiesBody is a bodies Secret with a text.
func bodiesBody(t *testing.T, manifest, plain string) map[string]any {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write([]byte(plain))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": bodiesType,
		"metadata": map[string]any{
			"name": BodiesName(manifest), "namespace": Namespace, "annotations": map[string]any{AnnotationManifest: manifest},
		},
		"data": map[string]any{bodiesDataKey: base64.StdEncoding.EncodeToString(packed.Bytes())},
	}
}

func entryValue(hash string) string { return `{"contentHash":"` + hash + `"}` }

func TestReadGolden(t *testing.T) {
	t.Parallel()
	for file, manifest := range map[string]string{
		"original-old-encoding": "ingress",
		"original-new-encoding": "cert-manager",
		"damaged":               "m",
		"written":               "shop",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			f := newFakeCluster(t).withNamespace()
			for _, o := range loadObjects(t, file+".yaml") {
				f.put(o.Body)
			}
			if bodies, err := os.ReadFile(filepath.Join("testdata", file+"-bodies.json")); err == nil {
				f.put(bodiesBody(t, manifest, string(bodies)))
			}
			rec, err := (&Store{Client: f}).Read(t.Context(), manifest)
			require.NoError(t, err)
			golden(t, file+".golden", describe(rec))
			assert.Empty(t, writes(f.requests()))
		})
	}
}

func TestReadAbsent(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t)
	rec, err := (&Store{Client: f}).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.False(t, rec.Exists)
	assert.Empty(t, rec.Entries)
	assert.Empty(t, rec.Notes)
	assert.Empty(t, rec.Revision())
	assert.Equal(t, ApplySetID("tazuna-state-m", "tazuna"), rec.ApplySetID())
	assert.Equal(t, []string{"get ConfigMap tazuna-state-m"}, f.requests(), "one request, no bodies without a record")
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t)
	f.before = func(_, kind, name string) error {
		return apierrors.NewForbidden(resource(configMaps()), name, errors.New("no"))
	}
	_, err := (&Store{Client: f}).Read(t.Context(), "m")
	require.ErrorContains(t, err, `reading the record of manifest "m"`)
	assert.True(t, apierrors.IsForbidden(err))
	_, err = (&Store{Client: f}).Read(t.Context(), "M")
	require.ErrorContains(t, err, `manifest name "M"`)
}

func TestReadShards(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", map[string]any{AnnotationShards: "3"}, map[string]any{"m____v1__Namespace__b": entryValue(hashA)}))
	f.put(configMapBody("tazuna-state-m.1", nil, map[string]any{"m____v1__Namespace__a": entryValue(hashB)}))
	f.put(configMapBody("tazuna-state-m.2", nil, map[string]any{"m____v1__Namespace__c": entryValue(hashC)}))
	s := &Store{Client: f}
	rec, err := s.Read(t.Context(), "m")
	require.NoError(t, err)
	var names []string
	for _, e := range rec.Entries {
		names = append(names, e.Key.Name)
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)
	before := rec.Revision()

	f.put(configMapBody("tazuna-state-m.2", nil, map[string]any{}))
	rec, err = s.Read(t.Context(), "m")
	require.NoError(t, err)
	assert.NotEqual(t, before, rec.Revision(), "a write to any part is a new revision")

	f.remove("ConfigMap", "tazuna-state-m.1")
	rec, err = s.Read(t.Context(), "m")
	require.NoError(t, err)
	require.Len(t, rec.Damaged, 1)
	assert.Contains(t, rec.Damaged[0].String(), "tazuna-state-m.1: this part of the record is gone")
	assert.Len(t, rec.Entries, 1)
}

func TestReadBadShardCount(t *testing.T) {
	t.Parallel()
	for _, count := range []string{"0", "-1", "x", "", "1001", "99999999999999999999"} {
		f := newFakeCluster(t).withNamespace()
		f.put(configMapBody("tazuna-state-m", map[string]any{AnnotationShards: count}, nil))
		_, err := (&Store{Client: f}).Read(t.Context(), "m")
		require.ErrorContains(t, err, fmt.Sprintf("wanted a number from 1 to 1000, found %q", count))
	}
}

func TestReadBadDefaultNamespace(t *testing.T) {
	t.Parallel()
	for namespace, ok := range map[string]bool{"shop": true, "": true, "../kube-system": false, "..": false, "Shop": false, "a b": false} {
		f := newFakeCluster(t).withNamespace()
		f.put(configMapBody("tazuna-state-m", map[string]any{AnnotationDefaultNamespace: namespace}, nil))
		rec, err := (&Store{Client: f}).Read(t.Context(), "m")
		if ok {
			require.NoError(t, err)
			assert.Equal(t, namespace, rec.DefaultNamespace)
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("wanted the name of a namespace, found %q", namespace))
	}
}

func TestReadRefusesAnothersRecord(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", map[string]any{AnnotationManifest: "other"}, nil))
	_, err := (&Store{Client: f}).Read(t.Context(), "m")
	require.ErrorContains(t, err, `belongs to manifest "other"`)
}

// The original tool does not cut names. Its record of a long name is found, and
// goes on under that name.
func TestReadOriginalLongName(t *testing.T) {
	t.Parallel()
	manifest := strings.Repeat("m", 240)
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody(statePrefix+manifest, nil, map[string]any{manifest[:1]: "junk"}))
	rec, err := (&Store{Client: f}).Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.True(t, rec.Exists)
	assert.Equal(t, ApplySetID(statePrefix+manifest, Namespace), rec.ApplySetID())

	s := begin(t, newStore(f), manifest)
	s.Applied(Entry{Key: Key{Manifest: manifest, Version: "v1", Kind: "Namespace", Name: "a"}, ContentHash: hashA})
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))
	assert.Equal(t, []string{statePrefix + manifest}, f.names("ConfigMap"))
}

func TestFind(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	for _, o := range loadObjects(t, "original-old-encoding.yaml") {
		f.put(o.Body)
	}
	rec, err := (&Store{Client: f}).Read(t.Context(), "ingress")
	require.NoError(t, err)

	e, ok := rec.Find(object.Ref{Group: "apps", Kind: "Deployment", Namespace: "ingress-nginx", Name: "controller"})
	require.True(t, ok)
	assert.Equal(t, strings.Repeat("3", 64), e.ContentHash)

	e, ok = rec.Find(object.Ref{Group: "networking.k8s.io", Kind: "IngressClass", Name: "nginx"})
	require.True(t, ok, "a cluster-scoped object is found under the namespace it was given")
	assert.Equal(t, strings.Repeat("4", 64), e.ContentHash)

	_, ok = rec.Find(object.Ref{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "controller"})
	assert.False(t, ok)
	_, ok = rec.Find(object.Ref{Group: "apps", Kind: "Deployment", Namespace: "*", Name: "controller"})
	assert.False(t, ok)
}

func TestWithout(t *testing.T) {
	rec := RecordOf("m", []Entry{
		{Key: Key{Version: "v1", Kind: "ConfigMap", Namespace: "n", Name: "a"}},
		{Key: Key{Version: "v2", Kind: "ConfigMap", Namespace: "n", Name: "a"}},
		{Key: Key{Version: "v1", Kind: "ConfigMap", Namespace: "n", Name: "b"}, ContentHash: "b"},
	})
	a, b := rec.Entries[0].Key.Ref(), rec.Entries[2].Key.Ref()
	rest := rec.Without(map[object.Ref]bool{a: true})
	require.Len(t, rest.Entries, 1)
	_, found := rest.Find(a)
	assert.False(t, found)
	entry, found := rest.Find(b)
	assert.True(t, found)
	assert.Equal(t, "b", entry.ContentHash)
	assert.Len(t, rec.Entries, 3, "the record itself stays as it is")
}

func TestManifests(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 60)
	f := newFakeCluster(t).withNamespace()
	for _, name := range []string{
		"tazuna-state-b", "tazuna-state-a", "tazuna-state-a.1", "tazuna-state-orphan.2",
		"tazuna-state-", "tazuna-state-x.y", "kube-root-ca.crt", "tazuna-record-a",
	} {
		f.put(configMapBody(name, nil, nil))
	}
	f.put(configMapBody(StateName(long), map[string]any{AnnotationManifest: long}, nil))
	got, err := (&Store{Client: f}).Manifests(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", long, "orphan"}, got)
	assert.Equal(t, []string{"list ConfigMap"}, f.requests())

	got, err = (&Store{Client: newFakeCluster(t)}).Manifests(t.Context())
	require.NoError(t, err)
	assert.Empty(t, got)
}
