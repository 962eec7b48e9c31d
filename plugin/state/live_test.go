package state

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// The tests of the files live_*_test.go need a real API server: what it admits, refuses and
// stores is the point. TAZUNA_TEST_KUBECONFIG names one, see test/controlplane.
// They share the namespace with whoever else uses it, so each has manifests of
// its own.

// live connects to the control plane, as another user if one is given.
func live(t *testing.T, as ...string) *cluster.Client {
	t.Helper()
	return liveWith(t, nil, as...)
}

func liveWith(t *testing.T, wrap func(*rest.Config) *rest.Config, as ...string) *cluster.Client {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir, flags.WrapConfigFn = &file, &cache, wrap
	if len(as) > 0 {
		flags.Impersonate = &as[0]
	}
	c, err := cluster.Connect(cluster.Options{
		Getter: flags, UserAgent: "kubectl-tazuna/test (state)", FieldManager: "tazuna", CacheDir: cache,
	})
	require.NoError(t, err)
	return c
}

func liveStore(t *testing.T, as ...string) *Store {
	t.Helper()
	return &Store{
		Client:   live(t, as...),
		Identity: Identity{User: "alice", Host: "laptop", PID: os.Getpid(), ToolVersion: "v1.2.3"},
		Wait:     time.Minute,
	}
}

// freshManifest is a name that no other test has; all its objects go afterwards.
func freshManifest(t *testing.T, word string) string {
	t.Helper()
	name := fmt.Sprintf("%s-%x", word, rand.Uint64())
	cleanUp(t, name)
	return name
}

func cleanUp(t *testing.T, manifest string) {
	t.Helper()
	c := live(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		for i := range 20 {
			_ = c.Delete(ctx, configMaps(), Namespace, shardName(StateName(manifest), i), cluster.DeleteOptions{})
			if c.Delete(ctx, secrets(), Namespace, shardName(BodiesName(manifest), i), cluster.DeleteOptions{}) != nil && i > 5 {
				break
			}
		}
		_ = c.Delete(ctx, leases(), Namespace, LockName(manifest), cluster.DeleteOptions{})
	})
}

// Many first runs on a cluster without our namespace.
func TestLiveFirstRuns(t *testing.T) {
	c := live(t)
	if _, err := c.Get(t.Context(), namespaces(), "", Namespace); err == nil {
		t.Log("the namespace is there already: only the rest of the race is tested")
	}
	names := make([]string, 6)
	for i := range names {
		names[i] = freshManifest(t, "first")
	}
	keys := make([][]byte, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		s := liveStore(t)
		wg.Go(func() {
			var err error
			keys[i], err = s.HashKey(context.Background(), true)
			assert.NoError(t, err)
			session, err := s.Begin(context.Background(), name, "apply")
			if !assert.NoError(t, err) {
				return
			}
			assert.NoError(t, session.WriteAhead(context.Background(), []Key{{Manifest: name, Version: "v1", Kind: "Namespace", Name: "a"}}))
			assert.NoError(t, session.End(context.Background()))
		})
	}
	wg.Wait()
	for _, key := range keys[1:] {
		assert.Equal(t, keys[0], key, "one key for all")
	}
	all, err := liveStore(t).Manifests(t.Context())
	require.NoError(t, err)
	for _, name := range names {
		assert.Contains(t, all, name)
	}
}

func TestLiveSession(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "session")
	store := liveStore(t)
	rec, err := store.Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.False(t, rec.Exists)

	odd := []string{"plain", "system:leader-locking", "UPPER_and_under", "ünï-名", "a b~c@d", strings.Repeat("n", 253), strings.Repeat(":", 200)}
	var keys []Key
	for _, name := range odd {
		keys = append(keys, Key{Manifest: manifest, Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role", Namespace: "default", Name: name})
	}
	slices.SortFunc(keys, CompareKeys)
	s := begin(t, store, manifest)
	s.Describe(RunInfo{DefaultNamespace: "default", FieldManager: "tazuna"})
	require.NoError(t, s.WriteAhead(t.Context(), keys))
	var want []Entry
	for _, k := range keys {
		e := entry(t, k.String(), hashA)
		s.Applied(e)
		want = append(want, e)
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{GitCommitHash: "abc"}))
	assert.Empty(t, s.Notes())
	require.NoError(t, s.End(t.Context()))

	rec, err = store.Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.Equal(t, want, rec.Entries)
	assert.Empty(t, rec.Damaged)
	assert.Empty(t, rec.Notes)
	assert.Equal(t, "abc", rec.GitCommitHash)
	assert.WithinDuration(t, time.Now(), rec.LastSyncedAt, time.Minute)
	assert.Equal(t, "default", rec.DefaultNamespace)
	assert.Equal(t, ResultDone, rec.LastRun.Result)
	_, locked, err := store.Holder(t.Context(), manifest)
	require.NoError(t, err)
	assert.False(t, locked)

	s = begin(t, store, manifest)
	assert.Equal(t, rec.Revision(), s.Record().Revision(), "nobody wrote in between")
	for _, k := range keys {
		s.Removed(k)
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.Delete(t.Context()))
	require.NoError(t, s.End(t.Context()))
	rec, err = store.Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.False(t, rec.Exists)
}

// Full parts with the shortest and the longest keys are what the API server and
// etcd just have to take: keys count in data and again in managedFields.
func TestLiveManyObjects(t *testing.T) {
	t.Parallel()
	for word, name := range map[string]string{"short": "", "usual": strings.Repeat("x", 120), "long": strings.Repeat("y", 190), "hashed": strings.Repeat("z", 245)} {
		t.Run(word, func(t *testing.T) {
			t.Parallel()
			manifest := freshManifest(t, word)
			store := liveStore(t)
			s := begin(t, store, manifest)
			keys := make([]Key, 6000)
			for i := range keys {
				keys[i] = Key{Manifest: manifest, Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: fmt.Sprintf("%s-%05d", name, i)}
			}
			started := time.Now()
			require.NoError(t, s.WriteAhead(t.Context(), keys))
			for _, k := range keys {
				s.Applied(entry(t, k.String(), hashA))
			}
			require.NoError(t, s.Save(t.Context(), true, Metadata{}))
			assert.Empty(t, s.Notes())
			saved := time.Since(started)
			rec, err := store.Read(t.Context(), manifest)
			require.NoError(t, err)
			t.Logf("%d parts, written in %s, read in %s", len(s.ledger.shards), saved, time.Since(started)-saved)
			require.Len(t, rec.Entries, len(keys))
			assert.Empty(t, rec.Damaged)
			for _, e := range rec.Entries {
				require.NotNil(t, e.Body)
			}

			again := begin2(t, s, store, manifest)
			again.Applied(entry(t, keys[5999].String(), hashB))
			require.NoError(t, again.Save(t.Context(), true, Metadata{}))
			require.NoError(t, again.End(t.Context()))
		})
	}
}

// begin2 ends a session and begins the next.
func begin2(t *testing.T, before *Session, s *Store, manifest string) *Session {
	t.Helper()
	require.NoError(t, before.End(t.Context()))
	return begin(t, s, manifest)
}

func TestLiveBodiesOfSeveralMegabytes(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "bodies")
	store := liveStore(t)
	s := begin(t, store, manifest)
	r := rand.New(rand.NewPCG(1, 1))
	var want []Entry
	for i := range 8 {
		e := entry(t, fmt.Sprintf("%s//v1/ConfigMap/n/a%d", manifest, i), hashA)
		e.Body["noise"] = noise(r, 500<<10)
		s.Applied(e)
		want = append(want, e)
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	assert.Empty(t, s.Notes())
	assert.Greater(t, len(s.parts), 2)
	rec, err := store.Read(t.Context(), manifest)
	require.NoError(t, err)
	require.Len(t, rec.Entries, len(want))
	for i := range want {
		require.True(t, object.Equal(want[i].Body, rec.Entries[i].Body))
	}
}

// Two names that differ in the last of 80 characters, and in the last of 240.
func TestLiveLongManifestNames(t *testing.T) {
	t.Parallel()
	store := liveStore(t)
	for _, length := range []int{80, 240} {
		first := freshManifest(t, "long")
		first += strings.Repeat("m", length-len(first)-1)
		for _, manifest := range []string{first + "1", first + "2"} {
			cleanUp(t, manifest)
			s := begin(t, store, manifest)
			k := Key{Manifest: manifest, Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "o" + manifest[len(manifest)-1:]}
			require.NoError(t, s.WriteAhead(t.Context(), []Key{k}))
			s.Applied(entry(t, k.String(), hashA))
			require.NoError(t, s.Save(t.Context(), true, Metadata{}))
			require.NoError(t, s.End(t.Context()))
		}
		for _, end := range []string{"1", "2"} {
			rec, err := store.Read(t.Context(), first+end)
			require.NoError(t, err)
			require.Len(t, rec.Entries, 1)
			assert.Equal(t, "o"+end, rec.Entries[0].Key.Name)
			all, err := store.Manifests(t.Context())
			require.NoError(t, err)
			assert.Contains(t, all, first+end)
		}
		a, err := store.Read(t.Context(), first+"1")
		require.NoError(t, err)
		b, err := store.Read(t.Context(), first+"2")
		require.NoError(t, err)
		assert.NotEqual(t, a.ApplySetID(), b.ApplySetID(), "no label value in common")
	}
}

// patchRecord changes a record by hand, as kubectl patch would.
func patchRecord(t *testing.T, manifest string, patch []byte) {
	t.Helper()
	_, err := live(t).Patch(t.Context(), configMaps(), Namespace, StateName(manifest), types.MergePatchType, patch,
		cluster.WriteOptions{Manager: "kubectl-patch"})
	require.NoError(t, err)
}

// renamed is a patch of testdata, written for manifest m or demo, for another one.
func renamed(t *testing.T, file, from, to string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	return []byte(strings.ReplaceAll(string(text), `"`+from+"__", `"`+to+"__"))
}

func TestLiveDamagedRecord(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "damage")
	store := liveStore(t)
	s := begin(t, store, manifest)
	a := Key{Manifest: manifest, Version: "v1", Kind: "ConfigMap", Namespace: "default", Name: "adopted-1"}
	s.Applied(entry(t, a.String(), hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))
	patchRecord(t, manifest, renamed(t, "live-damage.json", "m", manifest))

	rec, err := store.Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.Len(t, rec.Entries, 1, "the others are still listed")
	require.Len(t, rec.Damaged, 2)
	assert.Contains(t, rec.Damaged[0].String(), "key broken__v1__ConfigMap:")
	assert.Equal(t, "ghost", rec.Damaged[1].Key.Name)

	s = begin(t, store, manifest)
	s.Applied(entry(t, a.String(), hashB))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))
	again, err := store.Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.Equal(t, rec.Damaged, again.Damaged, "kept")
}

func TestLiveStaleVersionInTheRecord(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "stale")
	store := liveStore(t)
	s := begin(t, store, manifest)
	require.NoError(t, s.WriteAhead(t.Context(), []Key{{Manifest: manifest, Version: "v1", Kind: "Namespace", Name: "a"}}))
	require.NoError(t, s.End(t.Context()))
	patchRecord(t, manifest, renamed(t, "stale-entry.json", "demo", manifest))
	rec, err := store.Read(t.Context(), manifest)
	require.NoError(t, err)
	assert.Empty(t, rec.Damaged)
	_, ok := rec.Find(object.Ref{Group: "policy", Kind: "PodDisruptionBudget", Namespace: "default", Name: "ancient"})
	assert.True(t, ok)
	changes, err := Diff(rec, []object.Object{build(t, "policy/v1 PodDisruptionBudget default/ancient", "1")}, object.Hasher{})
	require.NoError(t, err)
	assert.Equal(t, Modified, changes[0].Type)
}

func TestLiveSomebodyElseWrites(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "moved")
	store := liveStore(t)
	s := begin(t, store, manifest)
	k := Key{Manifest: manifest, Version: "v1", Kind: "Namespace", Name: "a"}
	require.NoError(t, s.WriteAhead(t.Context(), []Key{k}))
	patchRecord(t, manifest, renamed(t, "stale-entry.json", "demo", manifest))
	s.Applied(entry(t, k.String(), hashA))
	var moved *MovedError
	require.ErrorAs(t, s.Save(t.Context(), true, Metadata{}), &moved)
	assert.Equal(t, "field manager kubectl-patch", moved.By)
	assert.WithinDuration(t, time.Now(), moved.At, time.Minute)
	require.NoError(t, live(t).Delete(t.Context(), configMaps(), Namespace, StateName(manifest), cluster.DeleteOptions{}))
	require.ErrorAs(t, s.Save(t.Context(), true, Metadata{}), &moved)
	assert.True(t, moved.Deleted)
}

// The original tool replaces the data and knows nothing of the rest. Afterwards we
// go on with what it wrote.
func TestLiveTheOriginalToolWrites(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "original")
	c, store := live(t), liveStore(t)
	s := begin(t, store, manifest)
	s.Describe(RunInfo{DefaultNamespace: "shop"})
	for _, name := range []string{"a", "b"} {
		s.Applied(entry(t, fmt.Sprintf("%s//v1/Namespace/%s", manifest, name), hashA))
	}
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.NoError(t, s.End(t.Context()))

	u, err := c.Get(t.Context(), configMaps(), Namespace, StateName(manifest))
	require.NoError(t, err)
	require.NoError(t, unstructured.SetNestedStringMap(u.Object, map[string]string{
		manifest + "____v1__Namespace__a": entryValue(hashA),
		manifest + "____v1__Namespace__c": entryValue(hashC),
		metadataKey:                       `{"gitCommitHash":"theirs","lastSyncedAt":"2026-01-01T00:00:00Z"}`,
	}, "data"))
	_, err = c.Update(t.Context(), configMaps(), u.Object, cluster.WriteOptions{Manager: "tazuna-original"})
	require.NoError(t, err)

	rec, err := store.Read(t.Context(), manifest)
	require.NoError(t, err)
	require.Len(t, rec.Entries, 2)
	assert.NotNil(t, rec.Entries[0].Body, "the same content still has its body")
	assert.Nil(t, rec.Entries[1].Body)
	assert.Equal(t, "theirs", rec.GitCommitHash)
	assert.Equal(t, "shop", rec.DefaultNamespace, "annotations survive it")
	s = begin(t, store, manifest)
	s.Removed(mustKey(t, manifest+"//v1/Namespace/c"))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
}

// Two runs of one manifest at once, on a manifest that has no record yet.
func TestLiveConcurrentRuns(t *testing.T) {
	t.Parallel()
	for range 2 {
		manifest := freshManifest(t, "race")
		var wg sync.WaitGroup
		for i := range 3 {
			store := liveStore(t)
			wg.Go(func() {
				session, err := store.Begin(context.Background(), manifest, "apply")
				if !assert.NoError(t, err) {
					return
				}
				k := Key{Manifest: manifest, Version: "v1", Kind: "Namespace", Name: fmt.Sprint(i)}
				assert.NoError(t, session.WriteAhead(context.Background(), []Key{k}))
				assert.Len(t, session.Record().Entries, len(session.ledger.entries())-1)
				session.Applied(Entry{Key: k, ContentHash: hashA})
				assert.NoError(t, session.Save(context.Background(), true, Metadata{}))
				assert.NoError(t, session.End(context.Background()))
			})
		}
		wg.Wait()
		rec, err := liveStore(t).Read(t.Context(), manifest)
		require.NoError(t, err)
		assert.Len(t, rec.Entries, 3, "no entry is lost")
	}
}
