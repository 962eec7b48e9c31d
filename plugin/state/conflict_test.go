package state

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestSaveMeetsAnothersWrite(t *testing.T) {
	t.Parallel()
	at := testTime.Add(-time.Hour)
	theirs := map[string]any{"m____v1__Namespace__theirs": entryValue(hashC)}
	run := Run{User: "bob", Host: "ci", PID: 1, Operation: "state sync", Session: "theirs", Time: at}
	for name, c := range map[string]struct {
		change func(*fakeCluster)
		text   string
	}{
		"another run": {
			func(f *fakeCluster) {
				f.put(configMapBody("tazuna-state-m", map[string]any{AnnotationLastRun: run.encode()}, theirs))
			},
			`the record of manifest "m" (ConfigMap tazuna/tazuna-state-m) was changed while this run was under way, ` +
				`by bob@ci pid 1 state sync at 2026-11-29T11:00:00Z; it was left as it is: run the command again`,
		},
		"the original tool": {
			func(f *fakeCluster) { f.put(configMapBody("tazuna-state-m", nil, theirs)) },
			`was changed while this run was under way, by field manager somebody at 2026-11-29T11:00:00Z`,
		},
		"deleted": {
			func(f *fakeCluster) { f.remove("ConfigMap", "tazuna-state-m") },
			`(ConfigMap tazuna/tazuna-state-m) was deleted while this run was under way; it was left as it is`,
		},
		"deleted and made again": {
			func(f *fakeCluster) {
				f.remove("ConfigMap", "tazuna-state-m")
				f.put(configMapBody("tazuna-state-m", nil, theirs))
			},
			`was changed while this run was under way`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeCluster(t).withNamespace()
			f.now = func() time.Time { return at }
			f.put(configMapBody("tazuna-state-m", nil, nil))
			s := begin(t, newStore(f), "m")
			require.NoError(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a")}))
			c.change(f)
			before := f.get("ConfigMap", "tazuna-state-m")
			s.Applied(entry(t, "m//v1/Namespace/a", hashA))
			err := s.Save(t.Context(), true, Metadata{})
			var moved *MovedError
			require.ErrorAs(t, err, &moved)
			assert.Contains(t, err.Error(), c.text)
			assert.Equal(t, before, f.get("ConfigMap", "tazuna-state-m"), "theirs is left as it is")
			require.ErrorAs(t, s.Save(t.Context(), true, Metadata{}), &moved, "and stays so")
		})
	}
}

func TestWriteAheadMeetsANewRecord(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	f.put(configMapBody("tazuna-state-m", nil, map[string]any{"m____v1__Namespace__theirs": entryValue(hashC)}))
	var moved *MovedError
	require.ErrorAs(t, s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a")}), &moved)
	assert.Equal(t, entryValue(hashC), f.data("tazuna-state-m")["m____v1__Namespace__theirs"])
}

// Answers that get lost, of the create and of the update, are told from
// somebody else's work by what is there.
func TestSaveAnswersLost(t *testing.T) {
	t.Parallel()
	for _, lost := range []string{"create", "update"} {
		for name, err := range map[string]error{
			"reset":    errors.New("connection reset"),
			"conflict": apierrors.NewConflict(resource(configMaps()), "x", errors.New("repeated")),
			"exists":   apierrors.NewAlreadyExists(resource(configMaps()), "x"),
		} {
			t.Run(lost+" "+name, func(t *testing.T) {
				t.Parallel()
				f := newFakeCluster(t).withNamespace()
				s := begin(t, newStore(f), "m")
				f.after = func(verb, kind, _ string) error {
					if verb == lost && kind == "ConfigMap" {
						f.after = nil
						return err
					}
					return nil
				}
				keys := []Key{mustKey(t, "m//v1/Namespace/a")}
				if s.WriteAhead(t.Context(), keys) != nil {
					require.NoError(t, s.WriteAhead(t.Context(), keys))
				}
				s.Applied(entry(t, "m//v1/Namespace/a", hashA))
				if s.Save(t.Context(), true, Metadata{}) != nil {
					require.NoError(t, s.Save(t.Context(), true, Metadata{}))
				}
				assert.Equal(t, entryValue(hashA), f.data("tazuna-state-m")["m____v1__Namespace__a"])
			})
		}
	}
}

// A part of an older record that nobody knew of any more is taken in, not
// overwritten: what it lists was ours.
func TestSaveTakesInAForgottenShard(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m.1", map[string]any{AnnotationManifest: "m"}, map[string]any{
		"m____v1__Namespace__old": entryValue(hashC), "m____v1__Namespace__a0": entryValue(hashC), "junk": "junk",
	}))
	s := begin(t, newStore(f), "m")
	s.ledger.limit = 450
	var keys []Key
	for _, name := range []string{"a0", "a1", "a2", "a3", "a4"} {
		keys = append(keys, mustKey(t, "m//v1/Namespace/"+name))
	}
	require.NoError(t, s.WriteAhead(t.Context(), keys))
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	hashes := map[string]string{}
	for _, e := range rec.Entries {
		hashes[e.Key.Name] = e.ContentHash
	}
	assert.Equal(t, map[string]string{"a0": "", "a1": "", "a2": "", "a3": "", "a4": "", "old": hashC}, hashes)
	require.Len(t, rec.Damaged, 1)
	assert.Equal(t, "junk", rec.Damaged[0].DataKey)
}

func TestSaveDoesNotTakeInAnothersShard(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.put(configMapBody("tazuna-state-m.1", nil, map[string]any{"k": "v"}))
	s := begin(t, newStore(f), "m")
	s.ledger.limit = 200
	var moved *MovedError
	err := s.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a"), mustKey(t, "m//v1/Namespace/b")})
	require.ErrorAs(t, err, &moved)
	assert.Equal(t, "tazuna-state-m.1", moved.ConfigMap)
	assert.Equal(t, map[string]string{"k": "v"}, f.data("tazuna-state-m.1"))
}

// A save that fails half way is finished by the next one, with only what is left.
func TestSaveAgainAfterAnError(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := begin(t, newStore(f), "m")
	s.ledger.limit = 200
	for _, name := range []string{"a", "b", "c"} {
		s.Applied(entry(t, "m//v1/Namespace/"+name, hashA))
	}
	boom := apierrors.NewInternalError(errors.New("boom"))
	f.before = func(_, _, name string) error {
		if name == "tazuna-state-m.1" {
			return boom
		}
		return nil
	}
	err := s.Save(t.Context(), true, Metadata{})
	require.ErrorContains(t, err, `saving the record of manifest "m"`)
	require.ErrorIs(t, err, boom)
	f.before = nil
	f.requests()
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	assert.Equal(t, []string{"create ConfigMap tazuna-state-m.1", "create ConfigMap tazuna-state-m"}, f.requests())
}
