package state

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

var testKey = []byte(strings.Repeat("k", 32))

// build makes an object: "apiVersion kind namespace/name", with a value in it.
func build(t *testing.T, text, value string) object.Object {
	t.Helper()
	parts := strings.Fields(text)
	require.Len(t, parts, 3)
	meta := map[string]any{"name": parts[2]}
	if ns, name, ok := strings.Cut(parts[2], "/"); ok {
		meta["namespace"], meta["name"] = ns, name
	}
	data := map[string]any{"v": value}
	return object.Object{Body: map[string]any{"apiVersion": parts[0], "kind": parts[1], "metadata": meta, "data": data}}
}

// recordWith has an entry for each object with the hash it was built with.
func recordWith(t *testing.T, h object.Hasher, objects ...object.Object) *Record {
	t.Helper()
	var entries []Entry
	for _, o := range objects {
		hash, err := h.Content(o.Body)
		require.NoError(t, err)
		entries = append(entries, Entry{Key: KeyOf("m", o), ContentHash: hash})
	}
	slices.SortFunc(entries, func(a, b Entry) int { return CompareKeys(a.Key, b.Key) })
	return recordOf(entries...)
}

// lines is a diff in short.
func lines(t *testing.T, changes []Change, err error) []string {
	t.Helper()
	require.NoError(t, err)
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s", c.Type, c.Key))
	}
	return out
}

func TestDiffTypesAndOrder(t *testing.T) {
	t.Parallel()
	h := object.Hasher{Key: testKey}
	same := build(t, "v1 ConfigMap default/same", "1")
	rec := recordWith(t, h, same,
		build(t, "v1 ConfigMap default/b-changed", "1"), build(t, "v1 ConfigMap default/a-changed", "1"),
		build(t, "v1 ConfigMap z/gone", "1"), build(t, "v1 ConfigMap a/gone", "1"), build(t, "v1 Namespace gone", "1"),
	)
	built := []object.Object{
		build(t, "v1 ConfigMap default/z-new", "1"), build(t, "v1 ConfigMap default/b-changed", "2"), same,
		build(t, "v1 ConfigMap default/a-changed", "2"), build(t, "v1 ConfigMap default/a-new", "1"),
	}
	changes, err := Diff(rec, built, h)
	assert.Equal(t, []string{
		"added m//v1/ConfigMap/default/a-new",
		"added m//v1/ConfigMap/default/z-new",
		"modified m//v1/ConfigMap/default/a-changed",
		"modified m//v1/ConfigMap/default/b-changed",
		"removed m//v1/ConfigMap/a/gone",
		"removed m//v1/ConfigMap/z/gone",
		"removed m//v1/Namespace/gone",
	}, lines(t, changes, err))
	assert.NotEmpty(t, changes[0].Hash)
	assert.Empty(t, changes[0].Was)
	assert.NotEqual(t, changes[2].Hash, changes[2].Was)
	assert.Empty(t, changes[4].Hash)
	assert.NotEmpty(t, changes[4].Was)

	all, err := DiffAlwaysSync(rec, built, h)
	assert.Equal(t, []string{
		"removed m//v1/ConfigMap/a/gone",
		"removed m//v1/ConfigMap/z/gone",
		"removed m//v1/Namespace/gone",
		"always-sync m//v1/ConfigMap/default/a-changed",
		"always-sync m//v1/ConfigMap/default/a-new",
		"always-sync m//v1/ConfigMap/default/b-changed",
		"always-sync m//v1/ConfigMap/default/same",
		"always-sync m//v1/ConfigMap/default/z-new",
	}, lines(t, all, err))
}

// The order is that of the state keys: "-" sorts before "/", and "__" would not.
func TestDiffOrderIsByStateKey(t *testing.T) {
	t.Parallel()
	changes, err := Diff(recordOf(), []object.Object{
		build(t, "v1 ConfigMap a/z", "1"), build(t, "v1 ConfigMap a-b/a", "1"), build(t, "v1 ConfigMap a0/a", "1"),
	}, object.Hasher{})
	assert.Equal(t, []string{
		"added m//v1/ConfigMap/a-b/a", "added m//v1/ConfigMap/a/z", "added m//v1/ConfigMap/a0/a",
	}, lines(t, changes, err))
}

func TestDiffOfEmptyAndEqual(t *testing.T) {
	t.Parallel()
	h := object.Hasher{Key: testKey}
	changes, err := Diff(recordOf(), nil, h)
	assert.Empty(t, lines(t, changes, err))
	o := build(t, "v1 Secret default/a", "djE=")
	changes, err = Diff(recordWith(t, h, o), []object.Object{o}, h)
	assert.Empty(t, lines(t, changes, err))
}

func TestDiffVersionBumpIsModified(t *testing.T) {
	t.Parallel()
	h := object.Hasher{}
	rec := recordWith(t, h, build(t, "policy/v1beta1 PodDisruptionBudget default/a", "1"))
	changes, err := Diff(rec, []object.Object{build(t, "policy/v1 PodDisruptionBudget default/a", "1")}, h)
	assert.Equal(t, []string{"modified m/policy/v1/PodDisruptionBudget/default/a"}, lines(t, changes, err))
	assert.Equal(t, rec.Entries[0].ContentHash, changes[0].Was)
}

// Records of the original tool can list one object under two versions: neither is
// removed while the object is wanted, and both are when it is not.
func TestDiffTwoVersionsOfOneObject(t *testing.T) {
	t.Parallel()
	h := object.Hasher{}
	old := build(t, "policy/v1beta1 PodDisruptionBudget default/a", "1")
	now := build(t, "policy/v1 PodDisruptionBudget default/a", "1")
	rec := recordWith(t, h, old, now)
	changes, err := Diff(rec, []object.Object{now}, h)
	assert.Empty(t, lines(t, changes, err))
	changes, err = Diff(rec, nil, h)
	assert.Equal(t, []string{
		"removed m/policy/v1/PodDisruptionBudget/default/a", "removed m/policy/v1beta1/PodDisruptionBudget/default/a",
	}, lines(t, changes, err))
}

func TestDiffUnfinished(t *testing.T) {
	t.Parallel()
	o := build(t, "v1 ConfigMap default/a", "1")
	rec := recordOf(Entry{Key: KeyOf("m", o)})
	changes, err := Diff(rec, []object.Object{o}, object.Hasher{})
	assert.Equal(t, []string{"modified m//v1/ConfigMap/default/a"}, lines(t, changes, err))
	changes, err = Diff(rec, nil, object.Hasher{})
	assert.Equal(t, []string{"removed m//v1/ConfigMap/default/a"}, lines(t, changes, err))
}

// The original tool gives its default namespace to cluster-scoped objects and
// hashes it with them.
func TestDiffNamespaceOnClusterScoped(t *testing.T) {
	t.Parallel()
	h := object.Hasher{}
	stamped := build(t, "rbac.authorization.k8s.io/v1 ClusterRole default/admin", "1")
	rec := recordWith(t, h, stamped)
	changes, err := Diff(rec, []object.Object{build(t, "rbac.authorization.k8s.io/v1 ClusterRole admin", "1")}, h)
	assert.Empty(t, lines(t, changes, err), "the same content")
	changes, err = Diff(rec, []object.Object{build(t, "rbac.authorization.k8s.io/v1 ClusterRole admin", "2")}, h)
	assert.Equal(t, []string{"modified m/rbac.authorization.k8s.io/v1/ClusterRole/admin"}, lines(t, changes, err))
	changes, err = Diff(rec, []object.Object{build(t, "v1 ConfigMap x/a", "2")}, h)
	assert.Equal(t, []string{
		"added m//v1/ConfigMap/x/a", "removed m/rbac.authorization.k8s.io/v1/ClusterRole/default/admin",
	}, lines(t, changes, err))
}

// Both forms at once, after the original tool's default namespace was changed: as
// long as the object is wanted neither is removed, since both are that object.
func TestDiffNamespaceOnClusterScopedTwice(t *testing.T) {
	t.Parallel()
	h := object.Hasher{}
	bare := build(t, "rbac.authorization.k8s.io/v1 ClusterRole admin", "1")
	rec := recordWith(t, h, bare, build(t, "rbac.authorization.k8s.io/v1 ClusterRole default/admin", "1"),
		build(t, "rbac.authorization.k8s.io/v1 ClusterRole other/admin", "1"))
	changes, err := Diff(rec, []object.Object{bare}, h)
	assert.Empty(t, lines(t, changes, err))
}

func TestDiffSecretsByKey(t *testing.T) {
	t.Parallel()
	known := object.Hasher{Key: testKey}
	o := build(t, "v1 Secret default/a", "djE=")
	plain, err := known.Plain(o.Body)
	require.NoError(t, err)
	ours := recordWith(t, known, o)
	originals := recordOf(Entry{Key: KeyOf("m", o), ContentHash: plain})
	changed := build(t, "v1 Secret default/a", "djI=")
	for name, c := range map[string]struct {
		rec   *Record
		built object.Object
		key   []byte
		want  []string
	}{
		"same, key known":          {ours, o, testKey, nil},
		"changed, key known":       {ours, changed, testKey, []string{"modified m//v1/Secret/default/a"}},
		"key out of reach":         {ours, o, nil, []string{"unknown m//v1/Secret/default/a"}},
		"changed, out of reach":    {ours, changed, nil, []string{"unknown m//v1/Secret/default/a"}},
		"key lost":                 {ours, o, []byte{}, []string{"modified m//v1/Secret/default/a"}},
		"another key now":          {ours, o, []byte(strings.Repeat("x", 32)), []string{"modified m//v1/Secret/default/a"}},
		"the original's, no key":   {originals, o, nil, nil},
		"the original's, key":      {originals, o, testKey, nil},
		"the original's, lost key": {originals, o, []byte{}, nil},
	} {
		changes, err := Diff(c.rec, []object.Object{c.built}, object.Hasher{Key: c.key})
		assert.Equal(t, c.want, lines(t, changes, err), name)
	}

	changes, err := Diff(recordOf(), []object.Object{o}, object.Hasher{})
	assert.Equal(t, []string{"added m//v1/Secret/default/a"}, lines(t, changes, err))
	assert.Empty(t, changes[0].Hash, "no hash without the key, and none that could be guessed from")
}

func TestDiffUnknownComesLast(t *testing.T) {
	t.Parallel()
	secret := build(t, "v1 Secret default/a", "djE=")
	rec := recordWith(t, object.Hasher{Key: testKey}, secret, build(t, "v1 ConfigMap default/z", "1"))
	changes, err := Diff(rec, []object.Object{secret}, object.Hasher{})
	assert.Equal(t, []string{"removed m//v1/ConfigMap/default/z", "unknown m//v1/Secret/default/a"}, lines(t, changes, err))
}

// A damaged entry is never removed; if its object is built it is modified.
func TestDiffDamaged(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	for _, o := range loadObjects(t, "damaged.yaml") {
		f.put(o.Body)
	}
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	changes, err := Diff(rec, []object.Object{build(t, "v1 ConfigMap default/ghost", "1")}, object.Hasher{})
	assert.Equal(t, []string{
		"modified m//v1/ConfigMap/default/ghost", "removed m//v1/ConfigMap/default/good", "removed m//v1/ConfigMap/default/unfinished",
	}, lines(t, changes, err))
}

func TestDiffOfWhatHasNoHash(t *testing.T) {
	t.Parallel()
	o := build(t, "v1 ConfigMap default/a", "1")
	o.Body["number"] = json.Number("1e999")
	_, err := Diff(recordOf(), []object.Object{o}, object.Hasher{})
	require.ErrorContains(t, err, "ConfigMap default/a")
	assert.NotContains(t, err.Error(), "1e999")
}

// Applying what a diff names, in whatever order, leaves nothing to name.
func TestDiffConverges(t *testing.T) {
	t.Parallel()
	h := object.Hasher{Key: testKey}
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(version string) []object.Object {
			var out []object.Object
			for i := range 20 {
				if r.IntN(3) > 0 {
					out = append(out, build(t, fmt.Sprintf("g/%s K n/o%02d", version, i), fmt.Sprint(r.IntN(2))))
				}
			}
			return out
		}
		rec := recordWith(t, h, some("v1")...)
		built := some([]string{"v1", "v2"}[r.IntN(2)])
		changes, err := Diff(rec, built, h)
		require.NoError(t, err)
		require.True(t, slices.IsSortedFunc(changes, func(a, b Change) int {
			return slices.Index(diffOrder(), a.Type) - slices.Index(diffOrder(), b.Type)
		}))

		l, _ := newLedger("m", nil)
		for _, e := range rec.Entries {
			l.finish(e.Key, e.ContentHash)
		}
		r.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
		for _, c := range changes {
			if c.Type == Removed {
				l.drop(c.Key)
			} else {
				l.finish(c.Key, c.Hash)
			}
		}
		left, err := Diff(recordOf(l.entries()...), built, h)
		require.Empty(t, lines(t, left, err))
		require.Len(t, l.entries(), len(built))
	}
}
