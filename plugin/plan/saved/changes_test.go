package saved

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestTheSamePlanHasNoChanges(t *testing.T) {
	files, live := []string{settings, other, login}, []string{slow, other}
	key := NewKey([]byte("k"))
	assert.Empty(t, Changes(made(t, planned(t, files, live), key), made(t, planned(t, files, live), key)))
}

func TestChanges(t *testing.T) {
	const leaving = "{apiVersion: v1, kind: ConfigMap, metadata: {name: z, namespace: x}}"
	before := func(t *testing.T) *plan.Plan { return planned(t, []string{settings, other}, []string{slow, leaving}) }
	for name, c := range map[string]struct {
		now  func(t *testing.T) *plan.Plan
		want []string
	}{
		"the files": {
			func(t *testing.T) *plan.Plan {
				return planned(t, []string{"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {mode: faster}}", other}, []string{slow})
			},
			[]string{"ConfigMap x/a: its files changed"},
		},
		"the cluster": {
			func(t *testing.T) *plan.Plan {
				return planned(t, []string{settings, other}, []string{"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {mode: slower}}"})
			},
			[]string{"ConfigMap x/a: it was changed in the cluster"},
		},
		"made again": {
			func(t *testing.T) *plan.Plan {
				p := before(t)
				p.Objects[0].UID = "uid-2"
				return p
			},
			[]string{"ConfigMap x/a: it was changed in the cluster"},
		},
		"an object less": {
			func(t *testing.T) *plan.Plan { return planned(t, []string{settings}, []string{slow}) },
			[]string{"ConfigMap x/b: it was to be created and is no longer part of the plan"},
		},
		"an object more": {
			func(t *testing.T) *plan.Plan {
				return planned(t, []string{settings, other, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: x}}"}, []string{slow})
			},
			[]string{"ConfigMap x/c: it is not in the saved plan"},
		},
		"another verdict": {
			func(t *testing.T) *plan.Plan { return planned(t, []string{settings, other}, nil) },
			[]string{"ConfigMap x/a: it was to be updated and would now be created"},
		},
		"as wanted meanwhile": {
			func(t *testing.T) *plan.Plan { return planned(t, []string{settings, other}, []string{settings}) },
			nil,
		},
		"force": {
			func(t *testing.T) *plan.Plan {
				p := before(t)
				p.Objects[0].Force = true
				return p
			},
			[]string{"ConfigMap x/a: what would be sent is not what was saved"},
		},
		"another manifest": {
			func(t *testing.T) *plan.Plan {
				p := before(t)
				p.Objects[1].Manifest = "n"
				return p
			},
			[]string{`ConfigMap x/b: it was of manifest "m" and is of manifest "n"`},
		},
		"what was to be deleted is gone, and its entry goes": {
			func(t *testing.T) *plan.Plan {
				p := before(t)
				p.Objects = p.Objects[:len(p.Objects)-1]
				p.Manifests[0].Gone = []state.Key{keyOf("z")}
				return p
			},
			nil,
		},
		"the record": {
			func(t *testing.T) *plan.Plan {
				p := before(t)
				p.Manifests[0].Gone = []state.Key{keyOf("old")}
				return p
			},
			[]string{`manifest "m": its record changed`},
		},
		"other manifests": {
			func(t *testing.T) *plan.Plan {
				p := before(t)
				p.Manifests[0].Name = "n"
				return p
			},
			[]string{`manifest "m": it is no longer part of the plan`, `manifest "n": it is not in the saved plan`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, Changes(made(t, before(t), nil), made(t, c.now(t), nil)))
		})
	}
}

func TestHooksAreBound(t *testing.T) {
	p := planned(t, []string{settings}, nil)
	with := func(text string, key []byte) (*File, error) {
		a := about()
		a.Hooks = []map[string]any{load(t, text)[0].Body}
		return Make(p, Digester{Key: key, Masker: object.DefaultMasker()}, a)
	}
	one, err := with(settings, nil)
	require.NoError(t, err)
	two, err := with(slow, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"the hooks of charts changed"}, Changes(one, two))
	assert.Equal(t, []string{"the hooks of charts changed"}, Changes(made(t, p, nil), one))
	_, err = with(login, nil)
	require.ErrorIs(t, err, ErrNoKey)
	_, err = with(login, []byte("k"))
	require.NoError(t, err)
}

func TestAnotherCluster(t *testing.T) {
	p := planned(t, []string{settings}, nil)
	was := made(t, p, nil)
	for name, c := range map[string]struct {
		uid, server string
		stale       string
	}{
		"the same":                           {"cluster-1", "https://one.example", ""},
		"the same by another address":        {"cluster-1", "https://two.example", ""},
		"another":                            {"cluster-2", "https://one.example", "another cluster"},
		"not to be told, the same address":   {"", "https://one.example", ""},
		"not to be told, by another address": {"", "https://two.example", "whether they are one cluster can't be told"},
	} {
		now := *was
		now.Cluster = Cluster{UID: c.uid, Server: c.server}
		changes := Changes(was, &now)
		if c.stale == "" {
			assert.Empty(t, changes, name)
			continue
		}
		if assert.Len(t, changes, 1, name) {
			assert.Contains(t, changes[0], c.stale, name)
		}
	}
}
