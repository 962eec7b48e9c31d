package state

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

var testTime = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// newStore is a run of alice's on a clock that stands still.
func newStore(f *fakeCluster) *Store {
	return &Store{
		Client:   f,
		Clock:    testingclock.NewFakeClock(testTime),
		Identity: Identity{User: "alice", Host: "laptop", PID: 7, ToolVersion: "v1.2.3"},
		Rand:     rand.NewChaCha8([32]byte{1}),
	}
}

func begin(t *testing.T, s *Store, manifest string) *Session {
	t.Helper()
	session, err := s.Begin(t.Context(), manifest, "apply")
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.End(context.Background()) })
	return session
}

// entry is a finished one with a small body.
func entry(t *testing.T, key, hash string) Entry {
	t.Helper()
	k := mustKey(t, key)
	meta := map[string]any{"name": k.Name}
	if k.Namespace != "" {
		meta["namespace"] = k.Namespace
	}
	return Entry{
		Key: k, ContentHash: hash, UID: "uid-of-" + k.Name, ResourceVersion: "17", InputKey: "in", Order: 3, Awaited: k.Name == "b",
		Body: map[string]any{
			"apiVersion": k.APIVersion(), "kind": k.Kind,
			"metadata": meta, "spec": map[string]any{"big": int64(9007199254740993)},
		},
	}
}

// dump is what a cluster stores, as YAML documents without what the server makes
// up.
func dump(t *testing.T, f *fakeCluster, kinds ...string) string {
	t.Helper()
	var docs []string
	for _, kind := range kinds {
		for _, name := range f.names(kind) {
			text, err := object.EncodeYAML(object.StripServerFields(f.get(kind, name).Object))
			require.NoError(t, err)
			docs = append(docs, string(text))
		}
	}
	return strings.Join(docs, "---\n")
}

// unpackedBodies is the text of the only bodies Secret. What it is packed to may
// differ between versions of Go.
func unpackedBodies(t *testing.T, f *fakeCluster, manifest string) string {
	t.Helper()
	text, _, err := unstructured.NestedString(f.get("Secret", BodiesName(manifest)).Object, "data", bodiesDataKey)
	require.NoError(t, err)
	packed, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	unzip, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	plain, err := io.ReadAll(unzip)
	require.NoError(t, err)
	return string(plain)
}

func TestSessionGolden(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t)
	s := begin(t, newStore(f), "shop")
	assert.False(t, s.Record().Exists)
	s.Describe(RunInfo{DefaultNamespace: "shop", FieldManager: "tazuna", PlanDigest: "sha256:abc"})
	long := "shop//v1/ConfigMap/shop/" + strings.Repeat("x", 250)
	keys := []Key{
		mustKey(t, "shop/apps/v1/Deployment/shop/web"), mustKey(t, "shop//v1/Namespace/shop"), mustKey(t, long),
		mustKey(t, "shop/rbac.authorization.k8s.io/v1/ClusterRole/shop:reader"), mustKey(t, "shop//v1/Secret/other/token"),
	}
	require.NoError(t, s.WriteAhead(t.Context(), keys))
	golden(t, "write-ahead.yaml", dump(t, f, "Namespace", "Lease", "ConfigMap", "Secret"))

	for _, k := range keys[:4] {
		s.Applied(entry(t, k.String(), hashA))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{GitCommitHash: "0123abc"}))
	require.NoError(t, s.End(t.Context()))
	golden(t, "written.yaml", dump(t, f, "ConfigMap"))
	golden(t, "written-bodies.json", unpackedBodies(t, f, "shop"))
	assert.Empty(t, f.names("Lease"))
	assert.Equal(t, []string{
		"create Lease tazuna-lock-shop", "create Namespace tazuna", "create Lease tazuna-lock-shop",
		"create ConfigMap tazuna-state-shop",
		"create Secret tazuna-record-shop", "update ConfigMap tazuna-state-shop",
		"delete Lease tazuna-lock-shop",
	}, f.requests(), "the namespace after the 404, the bodies before the hashes, nothing more")
}

func TestSessionWritesNothingWithoutNeed(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	s.Applied(entry(t, "m//v1/Namespace/a", hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}), "a second time there is nothing left")
	require.NoError(t, s.End(t.Context()))
	f.requests()

	s = begin(t, newStore(f), "m")
	s.Describe(RunInfo{DefaultNamespace: "x"})
	require.NoError(t, s.WriteAhead(t.Context(), nil))
	require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a")}), "known: nothing to announce")
	s.Removed(mustKey(t, "m//v1/Namespace/never"))
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	require.NoError(t, s.Save(t.Context(), true, Metadata{GitCommitHash: "x"}))
	require.NoError(t, s.End(t.Context()))
	assert.Equal(t, []string{"create Lease tazuna-lock-m", "delete Lease tazuna-lock-m"}, writes(f.requests()))
}

func TestSessionSecondRun(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	for _, name := range []string{"a", "b", "c"} {
		s.Applied(entry(t, "m//v1/Namespace/"+name, hashA))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{GitCommitHash: "one"}))
	require.NoError(t, s.End(t.Context()))

	s = begin(t, newStore(f), "m")
	require.Len(t, s.Record().Entries, 3)
	assert.Equal(t, entry(t, "m//v1/Namespace/a", hashA), s.Record().Entries[0], "all of it comes back, numbers exact")
	require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/b"), mustKey(t, "m//v1/Namespace/d")}))
	assert.Equal(t, entryValue(hashA), f.data("tazuna-state-m")["m____v1__Namespace__b"], "modified: the old hash stays")
	assert.Equal(t, entryValue(""), f.data("tazuna-state-m")["m____v1__Namespace__d"])
	s.Applied(entry(t, "m//v1/Namespace/b", hashB))
	s.Removed(mustKey(t, "m//v1/Namespace/c"))
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Contains(t, f.data("tazuna-state-m")[metadataKey], `"one"`, "_metadata is for the end of a whole run")
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Equal(t, ResultFailed, rec.LastRun.Result)
	s.Applied(entry(t, "m//v1/Namespace/d", hashC))
	require.NoError(t, s.Save(t.Context(), true, Metadata{GitCommitHash: "two"}))
	require.NoError(t, s.End(t.Context()))

	rec, err = newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Equal(t, []Entry{
		entry(t, "m//v1/Namespace/a", hashA), entry(t, "m//v1/Namespace/b", hashB), entry(t, "m//v1/Namespace/d", hashC),
	}, rec.Entries)
	assert.Equal(t, "two", rec.GitCommitHash)
	assert.Equal(t, testTime, rec.LastSyncedAt)
	assert.Equal(t, ResultDone, rec.LastRun.Result)
}

func TestSessionKeepsWhatOthersPutOnTheConfigMap(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	body := configMapBody("tazuna-state-m", map[string]any{"team": "x"}, map[string]any{
		"junk": "junk", metadataKey: `{"gitCommitHash":"a","lastSyncedAt":"","future":1}`,
	})
	body["metadata"].(map[string]any)["labels"] = map[string]any{"l": "v"}
	body["binaryData"] = map[string]any{"b": "AAAA"}
	f.put(body)
	s := begin(t, newStore(f), "m")
	s.Applied(entry(t, "m//v1/Namespace/a", hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{GitCommitHash: "b"}))
	u := f.get("ConfigMap", "tazuna-state-m")
	assert.Equal(t, "x", u.GetAnnotations()["team"])
	assert.Equal(t, "v", u.GetLabels()["l"])
	assert.Equal(t, map[string]any{"b": "AAAA"}, u.Object["binaryData"])
	assert.Equal(t, "junk", f.data("tazuna-state-m")["junk"])
	assert.Equal(t, `{"gitCommitHash":"b","lastSyncedAt":"2026-11-29T12:00:00Z","future":1}`, f.data("tazuna-state-m")[metadataKey])
}

func TestWriteAheadRefusesWhatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	f.requests()
	for _, k := range []Key{
		{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "a/b"},
		{Manifest: "m", Version: "v1", Kind: "Namespace", Name: "a/b"},
		{Manifest: "m", Version: "v1", Kind: "ConfigMap"},
		{Manifest: "other", Version: "v1", Kind: "Namespace", Name: "a"},
	} {
		require.ErrorContains(t, s.WriteAhead(t.Context(), []Key{k}), "can't be recorded")
	}
	assert.Empty(t, f.requests())
}

func TestSessionRefusesAnotherToolsApplySet(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", map[string]any{ToolingAnnotation: "kubectl/v1.27"}, nil))
	_, err := newStore(f).Begin(t.Context(), "m", "apply")
	require.ErrorContains(t, err, "kubectl/v1.27 manages")
	assert.Empty(t, f.names("Lease"), "a failed Begin leaves no lock")
}

// A record that the original tool wrote becomes an ApplySet parent before the
// first object gets the label.
func TestWriteAheadMakesTheParentFirst(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", nil, map[string]any{"m__apps__v1__Deployment__prod__a": entryValue(hashA)}))
	s := begin(t, newStore(f), "m")
	require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m/apps/v1/Deployment/prod/a")}))
	u := f.get("ConfigMap", "tazuna-state-m")
	assert.Equal(t, s.Record().ApplySetID(), u.GetLabels()[ParentIDLabel])
	assert.Equal(t, "Deployment.apps", u.GetAnnotations()[GroupKindsAnnotation])
	assert.Equal(t, "prod", u.GetAnnotations()[NamespacesAnnotation])
	assert.Equal(t, "kubectl-tazuna/v1.2.3", u.GetAnnotations()[ToolingAnnotation])
}

// Bodies may be out of reach; nothing but precision is lost.
func TestSessionWithoutSecrets(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.before = func(_, kind, name string) error {
		if kind == "Secret" {
			return apierrors.NewForbidden(resource(secrets()), name, errors.New("no"))
		}
		return nil
	}
	s := begin(t, newStore(f), "m")
	s.Applied(entry(t, "m//v1/Namespace/a", hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.Len(t, s.Notes(), 1)
	assert.Contains(t, s.Notes()[0], "Secret tazuna/tazuna-record-m, the next diff will be less precise: this user may not write it")
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.False(t, rec.BodiesKnown)
	require.Len(t, rec.Notes, 1)
	assert.Contains(t, rec.Notes[0], "this user may not read it")
	assert.Equal(t, hashA, rec.Entries[0].ContentHash)
	assert.Nil(t, rec.Entries[0].Body)
}

func TestSessionOverwritesStaleBodies(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(map[string]any{"apiVersion": "v1", "kind": "Secret", "type": bodiesType, "metadata": map[string]any{
		"name": "tazuna-record-m", "namespace": Namespace, "annotations": map[string]any{AnnotationManifest: "m"},
	}})
	s := begin(t, newStore(f), "m") // no record: the Secret was not read
	s.Applied(entry(t, "m//v1/Namespace/a", hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	assert.Empty(t, s.Notes())
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.NotNil(t, rec.Entries[0].Body)
}

func TestSessionLeavesAnothersSecretAlone(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "tazuna-record-m", "namespace": Namespace}})
	s := begin(t, newStore(f), "m")
	s.Applied(entry(t, "m//v1/Namespace/a", hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.Len(t, s.Notes(), 1)
	assert.Nil(t, f.get("Secret", "tazuna-record-m").Object["data"])
}

func TestSessionDelete(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	s.ledger.limit = 300
	for i := range 5 {
		s.Applied(entry(t, fmt.Sprintf("m//v1/Namespace/a%d", i), hashA))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.Greater(t, len(f.names("ConfigMap")), 2)
	require.ErrorIs(t, s.Delete(t.Context()), ErrRecordNotEmpty)
	for i := range 5 {
		s.Removed(mustKey(t, fmt.Sprintf("m//v1/Namespace/a%d", i)))
	}
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	require.NoError(t, s.Delete(t.Context()))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))
	assert.Empty(t, f.names("ConfigMap"))
	assert.Empty(t, f.names("Secret"))
	assert.Empty(t, f.names("Lease"))
}

func TestSessionDeleteRefusesWhatOthersWrote(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", nil, nil))
	s := begin(t, newStore(f), "m")
	f.put(configMapBody("tazuna-state-m", nil, map[string]any{"m____v1__Namespace__a": entryValue(hashA)}))
	var moved *MovedError
	require.ErrorAs(t, s.Delete(t.Context()), &moved)
	assert.Len(t, f.names("ConfigMap"), 1)
}

func TestSessionForget(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	for _, o := range loadObjects(t, "damaged.yaml") {
		f.put(o.Body)
	}
	s := begin(t, newStore(f), "m")
	require.Len(t, s.Record().Damaged, 6)
	for _, d := range s.Record().Damaged {
		require.NoError(t, s.Forget(d))
		require.Error(t, s.Forget(d), "once")
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Empty(t, rec.Damaged)
	assert.Len(t, rec.Entries, 2)
}

// Notes and saves come from many goroutines at once.
func TestSessionIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	s.ledger.limit = 2000
	entries := make([]Entry, 40)
	for i := range entries {
		entries[i] = entry(t, fmt.Sprintf("m//v1/Namespace/a%02d", i), hashA)
	}
	var wg sync.WaitGroup
	for i, e := range entries {
		wg.Go(func() {
			s.Applied(e)
			if i%8 == 0 {
				assert.NoError(t, s.Save(context.Background(), false, Metadata{}))
			}
			if i%4 == 0 {
				s.Removed(e.Key)
			}
			_ = s.Notes()
			assert.NoError(t, s.Alive())
		})
	}
	wg.Wait()
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Len(t, rec.Entries, 30)
	for _, e := range rec.Entries {
		assert.NotNil(t, e.Body)
	}
}

// What is noted while a save is under way may need a further part. Until that one
// is written it must not be counted: a reader would call it lost.
func TestPartsAreCountedOnceTheyAreThere(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	s.ledger.limit = 200
	s.Applied(entry(t, "m//v1/Namespace/a", hashA))
	f.before = func(_, kind, _ string) error {
		if kind == "Secret" { // the save has begun
			f.before = nil
			s.Applied(entry(t, "m//v1/Namespace/b", hashA))
			s.Applied(entry(t, "m//v1/Namespace/c", hashA))
		}
		return nil
	}
	f.after = func(verb, kind, name string) error {
		if verb == "create" && kind == "ConfigMap" && name == "tazuna-state-m.1" {
			f.after = nil
			s.Applied(entry(t, "m//v1/Namespace/d", hashA))
		}
		return nil
	}
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Empty(t, rec.Damaged)
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	rec, err = newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Empty(t, rec.Damaged)
	assert.Len(t, rec.Entries, 4)
	for _, e := range rec.Entries {
		assert.NotNil(t, e.Body, "%s", e.Key)
	}
}

// A bodies Secret that can't be read still goes with its record.
func TestSessionDeleteTakesUnreadableBodies(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m", nil, nil))
	f.put(bodiesBody(t, "m", "no document"))
	s := begin(t, newStore(f), "m")
	require.NoError(t, s.Delete(t.Context()))
	assert.Empty(t, s.Notes())
	assert.Empty(t, f.names("Secret"))
	assert.Empty(t, f.names("ConfigMap"))
}

func TestSessionResult(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	result := func() string { return lastRun(f.get("ConfigMap", "tazuna-state-m")).Result }
	a := mustKey(t, "m//v1/Namespace/a")
	require.NoError(t, s.WriteAhead(t.Context(), []Key{a}))
	assert.Equal(t, ResultRunning, result())
	s.Applied(entry(t, a.String(), hashA))
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Equal(t, ResultFailed, result(), "the run is over")
	s.Describe(RunInfo{Result: "stopped"})
	s.Applied(entry(t, a.String(), hashB))
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Equal(t, "stopped", result())
}

// A run of which nothing came out as wanted has nothing else to save.
func TestSessionThatOnlyAnnounced(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a")}))
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Equal(t, ResultFailed, lastRun(f.get("ConfigMap", "tazuna-state-m")).Result)
	f.requests()
	require.NoError(t, s.Save(t.Context(), false, Metadata{}))
	assert.Empty(t, f.requests())
}

// What was noted otherwise waits for the save; only new objects must be announced.
func TestWriteAheadAnnouncesOnlyNewObjects(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	for _, name := range []string{"a", "b"} {
		s.Applied(entry(t, "m//v1/Namespace/"+name, hashA))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	f.requests()
	s.Removed(mustKey(t, "m//v1/Namespace/b"))
	require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a")}))
	assert.Empty(t, f.requests())

	f.before = func(_, kind, _ string) error { return errors.New("away") }
	fresh := []Key{mustKey(t, "m//v1/Namespace/c")}
	require.Error(t, s.WriteAhead(t.Context(), fresh))
	f.before = nil
	f.requests()
	require.NoError(t, s.WriteAhead(t.Context(), fresh))
	assert.Equal(t, []string{"update ConfigMap tazuna-state-m"}, f.requests(), "an announcement that failed is still owed")
}

// A run that ended, with whatever result, is told from one that was killed.
func TestTheRecordSaysHowTheRunEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*Session) error
		want string
	}{
		"killed":                      {func(*Session) error { return nil }, ResultRunning},
		"ended with nothing applied":  {func(s *Session) error { return s.Save(context.Background(), false, Metadata{}) }, ResultFailed},
		"ended with everything as is": {func(s *Session) error { return s.Save(context.Background(), true, Metadata{}) }, ResultDone},
		"ended, in the caller's words": {func(s *Session) error {
			s.Describe(RunInfo{Result: "refused"})
			return s.Save(context.Background(), false, Metadata{})
		}, "refused"},
	} {
		f := newFakeCluster(t).withNamespace()
		s, err := newStore(f).Begin(t.Context(), "m", "apply")
		require.NoError(t, err, name)
		require.NoError(t, s.WriteAhead(t.Context(), []Key{{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "x", Name: "a"}}), name)
		require.NoError(t, c.end(s), name)
		require.NoError(t, s.End(t.Context()), name)
		rec, err := newStore(f).Read(t.Context(), "m")
		require.NoError(t, err, name)
		assert.Equal(t, c.want, rec.LastRun.Result, name)
	}
}
