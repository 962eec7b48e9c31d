package state

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// unpackAll reads what encodeBodies made.
func unpackAll(t *testing.T, packed [][]byte) []bodyEntry {
	t.Helper()
	var all []bodyEntry
	for _, p := range packed {
		found, err := decodeBodies(p)
		require.NoError(t, err)
		all = append(all, found...)
	}
	return all
}

// recordOf has these entries in its ConfigMap and nothing else.
func recordOf(entries ...Entry) *Record {
	rec := &Record{Manifest: "m", Exists: true}
	for _, e := range entries {
		rec.Entries = append(rec.Entries, Entry{Key: e.Key, ContentHash: e.ContentHash})
	}
	rec.indexEntries()
	return rec
}

func TestBodiesRoundTrip(t *testing.T) {
	t.Parallel()
	e := entry(t, "m/g/v1/K/ns/a", hashA)
	e.Body["exact"] = json.Number("123456789012345678901234567890.10")
	e.Body["text"] = "<>&\u2028"
	bare := entry(t, "m/g/v1/K/ns/b", hashB)
	bare.Body = nil
	packed, notes, err := encodeBodies([]Entry{e, bare}, bodiesLimit)
	require.NoError(t, err)
	assert.Empty(t, notes)
	require.Len(t, packed, 1)
	rec := recordOf(e, bare)
	rec.fill(unpackAll(t, packed), false)
	assert.Equal(t, []Entry{e, bare}, rec.Entries)

	again, _, err := encodeBodies([]Entry{e, bare}, bodiesLimit)
	require.NoError(t, err)
	assert.Equal(t, packed, again, "the same entries, the same bytes: no write for nothing")
	none, _, err := encodeBodies(nil, bodiesLimit)
	require.NoError(t, err)
	assert.Empty(t, none)
}

// Left packed, a body is decoded when asked for, and stored again as it was.
func TestLazyBodies(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	lazy := newStore(f)
	lazy.LazyBodies = true
	s := begin(t, lazy, "m")
	for _, name := range []string{"a", "b"} {
		s.Applied(entry(t, "m//v1/Namespace/"+name, hashA))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))

	s = begin(t, lazy, "m")
	e, ok := s.Record().Find(object.Ref{Kind: "Namespace", Name: "a"})
	require.True(t, ok)
	assert.Nil(t, e.Body)
	assert.Equal(t, entry(t, "m//v1/Namespace/a", hashA).Body, e.LastApplied())
	s.Applied(entry(t, "m//v1/Namespace/b", hashB))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))

	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Equal(t, []Entry{entry(t, "m//v1/Namespace/a", hashA), entry(t, "m//v1/Namespace/b", hashB)}, rec.Entries)
	assert.Equal(t, rec.Entries[0].Body, rec.Entries[0].LastApplied())
	assert.Nil(t, Entry{}.LastApplied())
	assert.Nil(t, Entry{packed: []byte("[]")}.LastApplied())
}

func TestBodiesCountOnlyWithTheSameHash(t *testing.T) {
	t.Parallel()
	e := entry(t, "m/g/v1/K/ns/a", hashA)
	packed, _, err := encodeBodies([]Entry{e}, bodiesLimit)
	require.NoError(t, err)
	for _, hash := range []string{hashB, ""} {
		rec := recordOf(Entry{Key: e.Key, ContentHash: hash})
		rec.fill(unpackAll(t, packed), false)
		assert.Equal(t, Entry{Key: e.Key, ContentHash: hash}, rec.Entries[0])
	}
	unfinished := recordOf(Entry{Key: e.Key})
	unfinished.fill([]bodyEntry{{Key: e.Key.String(), UID: "x"}}, false)
	assert.Empty(t, unfinished.Entries[0].UID, "two empty hashes are no agreement")

	bump := mustKey(t, "m/g/v2/K/ns/a")
	rec := recordOf(Entry{Key: bump, ContentHash: hashA})
	rec.fill(unpackAll(t, packed), false)
	assert.Nil(t, rec.Entries[0].Body, "a body of another API version is another body")
}

func TestDecodeBodiesRefuses(t *testing.T) {
	t.Parallel()
	zip := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		packed []byte
		reason string
	}{
		"empty":     {nil, "unpacking"},
		"no gzip":   {[]byte("plain"), "unpacking"},
		"cut":       {zip(strings.Repeat("a", 1000))[:15], "unpacking"},
		"no json":   {zip(`{"format":1,"entries":"s3cret"}`), "not the JSON"},
		"newer":     {zip(`{"format":2}`), "format 2, this version knows format 1"},
		"no format": {zip(`{}`), "format 0"},
	} {
		_, err := decodeBodies(c.packed)
		require.ErrorContains(t, err, c.reason, name)
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

func TestReadBodiesNotes(t *testing.T) {
	t.Parallel()
	e := entry(t, "m//v1/Namespace/a", hashA)
	good, _, err := encodeBodies([]Entry{e}, bodiesLimit)
	require.NoError(t, err)
	secret := func(name, owner, count, data string) map[string]any {
		annotations := map[string]any{AnnotationManifest: owner}
		if count != "" {
			annotations[AnnotationShards] = count
		}
		return map[string]any{
			"apiVersion": "v1", "kind": "Secret", "data": map[string]any{bodiesDataKey: data},
			"metadata": map[string]any{"name": name, "namespace": Namespace, "annotations": annotations},
		}
	}
	text := base64.StdEncoding.EncodeToString(good[0])
	for name, c := range map[string]struct {
		secret map[string]any
		reason string
		usable bool
		lost   bool
	}{
		"absent":           {nil, "it does not exist", false, true},
		"damaged":          {secret("tazuna-record-m", "m", "", "AAAA"), "unpacking the bodies: damaged", false, true},
		"no base64":        {secret("tazuna-record-m", "m", "", "%"), "not base64", false, true},
		"no JSON":          {secret("tazuna-record-m", "m", "", zipped(t, "{")), "reading the bodies: damaged", false, true},
		"newer":            {secret("tazuna-record-m", "m", "", zipped(t, `{"format":99}`)), "format 99, this version knows", false, false},
		"another's":        {secret("tazuna-record-m", "other", "", text), `it belongs to manifest "other"`, false, false},
		"bad count":        {secret("tazuna-record-m", "m", "many", text), "wanted a number from 1 to 1000", false, false},
		"a part is absent": {secret("tazuna-record-m", "m", "2", text), "it does not exist", true, true},
	} {
		f := newFakeCluster(t).withNamespace()
		f.put(configMapBody("tazuna-state-m", map[string]any{AnnotationFieldManager: "tazuna"}, map[string]any{e.Key.DataKey(): entryValue(hashA)}))
		if c.secret != nil {
			f.put(c.secret)
		}
		rec, err := newStore(f).Read(t.Context(), "m")
		require.NoError(t, err, name)
		require.Len(t, rec.Notes, 1, name)
		assert.Contains(t, rec.Notes[0], c.reason, name)
		assert.False(t, rec.BodiesKnown, name)
		assert.Equal(t, c.usable, rec.Entries[0].Body != nil, name)
		assert.Equal(t, c.lost, rec.BodiesLost, name)
	}
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// An unreachable server is no reason to fail either: the ConfigMap was read.
func TestReadBodiesOutage(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", nil, nil))
	f.before = func(_, kind, _ string) error {
		if kind == "Secret" {
			return apierrors.NewInternalError(errors.New("boom"))
		}
		return nil
	}
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	require.Len(t, rec.Notes, 1)
	assert.Contains(t, rec.Notes[0], "boom")
}

// noise is text that does not compress below three quarters.
func noise(r *rand.Rand, n int) string {
	raw := make([]byte, n*3/4)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func TestPackerKeepsTheLimit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, limit := range []int{2 << 10, 50 << 10, 900 << 10} {
		var entries []Entry
		for i := range 30 {
			e := entry(t, fmt.Sprintf("m//v1/ConfigMap/n/a%03d", i), hashA)
			e.Body["noise"] = noise(r, r.IntN(limit/2))
			e.Body["calm"] = strings.Repeat("calm ", r.IntN(limit/5))
			entries = append(entries, e)
			if i > 20 && limit > 100<<10 {
				break
			}
		}
		packed, notes, err := encodeBodies(entries, limit)
		require.NoError(t, err)
		assert.Empty(t, notes)
		total := 0
		for _, p := range packed {
			require.LessOrEqual(t, len(p), limit+200, "a little over for the end of the document")
			total += len(p)
		}
		assert.LessOrEqual(t, len(packed), 1+3*total/limit, "documents are well filled")
		rec := recordOf(entries...)
		rec.fill(unpackAll(t, packed), false)
		require.True(t, reflect.DeepEqual(entries, rec.Entries))
	}
}

// A CRD of half a megabyte packs well; noise of the same size does not fit and is
// left out with a note.
func TestPackerLargeBodies(t *testing.T) {
	t.Parallel()
	crd := entry(t, "m/apiextensions.k8s.io/v1/CustomResourceDefinition/a", hashA)
	crd.Body["text"] = strings.Repeat("description: the port to listen on\n", 15_000)
	blob := entry(t, "m//v1/ConfigMap/n/blob", hashB)
	blob.Body["binaryData"] = noise(rand.New(rand.NewPCG(5, 6)), 1<<20)
	packed, notes, err := encodeBodies([]Entry{blob, crd}, 500<<10)
	require.NoError(t, err)
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], "ConfigMap n/blob is not recorded: it is too large")
	rec := recordOf(blob, crd)
	rec.fill(unpackAll(t, packed), false)
	assert.Nil(t, rec.Entries[0].Body)
	assert.Equal(t, "uid-of-blob", rec.Entries[0].UID, "the rest is recorded all the same")
	assert.Equal(t, crd, rec.Entries[1])
}

func TestManyBodiesInSeveralSecrets(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	r := rand.New(rand.NewPCG(8, 9))
	s := begin(t, newStore(f), "m")
	for i := range 30 {
		e := entry(t, fmt.Sprintf("m//v1/ConfigMap/n/a%03d", i), hashA)
		e.Body["noise"] = noise(r, 100<<10)
		s.Applied(e)
	}
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Equal(t, []string{"tazuna-record-m", "tazuna-record-m.1", "tazuna-record-m.2"}, f.names("Secret"))
	f.requests()

	last := entry(t, "m//v1/ConfigMap/n/a029", hashB)
	s.Applied(last)
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Equal(t, []string{"update Secret tazuna-record-m.2", "update ConfigMap tazuna-state-m"}, f.requests(),
		"only what changed")
	for i := range 29 {
		s.Removed(mustKey(t, fmt.Sprintf("m//v1/ConfigMap/n/a%03d", i)))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	assert.Equal(t, []string{"tazuna-record-m"}, f.names("Secret"))
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Equal(t, []Entry{last}, rec.Entries)
	assert.Empty(t, rec.Notes)
}

func TestStorable(t *testing.T) {
	t.Parallel()
	const mac = "hmac:0000000000000000000000000000000000000000000000000000000000000000"
	secret := func(change func(map[string]any)) map[string]any {
		body := map[string]any{
			"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": true,
			"metadata": map[string]any{"name": "a", "annotations": map[string]any{"note": "plain"}},
			"data":     map[string]any{"k": mac},
		}
		change(body)
		return body
	}
	annotate := func(name string, value any) func(map[string]any) {
		return func(b map[string]any) { b["metadata"].(map[string]any)["annotations"] = map[string]any{name: value} }
	}
	for name, body := range map[string]map[string]any{
		"hashed":         secret(func(map[string]any) {}),
		"no data":        secret(func(b map[string]any) { delete(b, "data") }),
		"null data":      secret(func(b map[string]any) { b["data"] = nil }),
		"hashed former":  secret(annotate("kubectl.kubernetes.io/last-applied-configuration", mac)),
		"no annotations": secret(func(b map[string]any) { b["metadata"] = map[string]any{"name": "a"} }),
		"other kind":     {"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"k": "v"}},
	} {
		assert.True(t, storable(body, nil), name)
	}
	for name, body := range map[string]map[string]any{
		"plain":           secret(func(b map[string]any) { b["data"] = map[string]any{"k": mac, "l": "cGxhaW4="} }),
		"stringData":      secret(func(b map[string]any) { b["stringData"] = map[string]any{"k": "plain"} }),
		"misspelt":        secret(func(b map[string]any) { b["stringdata"] = map[string]any{"k": "plain"} }),
		"text":            secret(func(b map[string]any) { b["data"] = "plain" }),
		"nested":          secret(func(b map[string]any) { b["data"] = map[string]any{"k": map[string]any{"x": mac}} }),
		"list":            secret(func(b map[string]any) { b["data"] = []any{mac} }),
		"number":          secret(func(b map[string]any) { b["data"] = map[string]any{"k": int64(1)} }),
		"nearly a hash":   secret(func(b map[string]any) { b["data"] = map[string]any{"k": mac + "0"} }),
		"no prefix":       secret(func(b map[string]any) { b["data"] = map[string]any{"k": mac[5:]} }),
		"former copy":     secret(annotate("kubectl.kubernetes.io/last-applied-configuration", "{}")),
		"kapp's former":   secret(annotate("kapp.k14s.io/original-diff-md5", "x")),
		"odd metadata":    secret(func(b map[string]any) { b["metadata"] = "plain" }),
		"odd annotations": secret(func(b map[string]any) { b["metadata"] = map[string]any{"annotations": "plain"} }),
		"another group's": {"apiVersion": "x.io/v1", "kind": "secret", "spec": map[string]any{"token": "plain"}},
		"asks to be hidden": {
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"annotations": map[string]any{"werf.io/sensitive": "true"}},
		},
		"asks for some paths": {
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"annotations": map[string]any{"werf.io/sensitive-paths": "$.data"}},
		},
		"former copy of another kind": {
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"annotations": map[string]any{"objectset.rio.cattle.io/applied": "plain"}},
		},
		"a Secret inside": {
			"apiVersion": "x.io/v1", "kind": "Work", "spec": map[string]any{"manifests": []any{
				map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"k": "cGxhaW4="}},
			}},
		},
	} {
		assert.False(t, storable(body, nil), name)
	}
}

// What the one masking point makes of a Secret is what may be stored, and what
// goes in unhashed never reaches the cluster.
func TestSecretValuesAreNotRecorded(t *testing.T) {
	t.Parallel()
	plain := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "a", "namespace": "n"},
		"data": map[string]any{"k": "czNjcmV0"}, "stringData": map[string]any{"l": "s3cret"},
	}
	keyed, err := object.Hasher{Key: make([]byte, 32)}.Keyed(plain)
	require.NoError(t, err)
	assert.True(t, storable(keyed, nil))

	e := entry(t, "m//v1/Secret/n/a", hashA)
	e.Body = plain
	packed, notes, err := encodeBodies([]Entry{e}, bodiesLimit)
	require.NoError(t, err)
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], "Secret n/a is not recorded: it holds values that nobody may see")
	for _, b := range unpackAll(t, packed) {
		assert.Empty(t, b.Body)
	}
}

// What a rule of the user hides is stored as its hash, with the place where it was;
// what came in unhashed leaves the whole body out.
func TestHiddenValuesAreNotRecorded(t *testing.T) {
	t.Parallel()
	plain := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "n"},
		"data": map[string]any{"password": "hunter22", "mode": "fast"},
	}
	h := object.Hasher{Key: make([]byte, 32), Hide: func(map[string]any) []object.MaskRule {
		return []object.MaskRule{{Kind: "ConfigMap", Paths: []object.Path{{"data", "pass*"}}}}
	}}
	keyed, err := h.Keyed(plain)
	require.NoError(t, err)
	e := entry(t, "m//v1/ConfigMap/n/a", hashA)
	e.Body, e.Hidden = keyed, h.Hidden(plain)
	packed, notes, err := encodeBodies([]Entry{e}, bodiesLimit)
	require.NoError(t, err)
	assert.Empty(t, notes)
	stored := unpackAll(t, packed)
	text, err := object.EncodeJSON(stored)
	require.NoError(t, err)
	golden(t, "hidden-bodies.json", string(text)+"\n")
	rec := recordOf(Entry{Key: e.Key, ContentHash: hashA})
	rec.fill(stored, true)
	assert.Equal(t, []object.Path{{"data", "pass*"}}, rec.Entries[0].Hidden)

	e.Body = plain
	packed, notes, err = encodeBodies([]Entry{e}, bodiesLimit)
	require.NoError(t, err)
	require.Len(t, notes, 1)
	for _, b := range unpackAll(t, packed) {
		assert.Empty(t, b.Body)
		assert.Equal(t, e.Hidden, b.Hidden)
	}
}

func FuzzDecodeBodies(f *testing.F) {
	good, _, err := encodeBodies([]Entry{{Key: Key{Manifest: "m", Version: "v1", Kind: "K", Name: "a"}, ContentHash: hashA}}, bodiesLimit)
	require.NoError(f, err)
	f.Add(good[0])
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, packed []byte) {
		if entries, err := decodeBodies(packed); err == nil {
			recordOf(Entry{Key: Key{Manifest: "m", Version: "v1", Kind: "K", Name: "a"}, ContentHash: hashA}).fill(entries, false)
		}
	})
}
