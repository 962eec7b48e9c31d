package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// thing builds a random object of the test kind from a seed.
func thing(r *rand.Rand) map[string]any {
	spec := map[string]any{}
	if r.IntN(2) == 0 {
		spec["replicas"] = int64(r.IntN(3))
	}
	if r.IntN(2) == 0 {
		spec["limit"] = []any{"1", "1000m", "500m"}[r.IntN(3)]
	}
	if r.IntN(2) == 0 {
		spec["selector"] = map[string]any{"app": fmt.Sprint(r.IntN(2))}
	}
	for range r.IntN(3) {
		spec["args"] = append(list(spec["args"]), fmt.Sprint(r.IntN(3)))
	}
	spec["finalizers"] = subset(r, "a", "b", "c")
	spec["ports"] = ports(r)
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Thing",
		"metadata": map[string]any{"name": "x"}, "spec": spec,
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func subset(r *rand.Rand, all ...string) []any {
	out := []any{}
	for _, s := range all {
		if r.IntN(2) == 0 {
			out = append(out, s)
		}
	}
	return out
}

func ports(r *rand.Rand) []any {
	out := []any{}
	for port := range 3 {
		for _, protocol := range []string{"TCP", "UDP"} {
			if r.IntN(3) == 0 {
				out = append(out, map[string]any{"port": int64(port), "protocol": protocol, "name": fmt.Sprint(r.IntN(2))})
			}
		}
	}
	return out
}

// shuffled reorders what has no order: keyed lists and sets.
func shuffled(r *rand.Rand, body map[string]any) map[string]any {
	out := copyMap(body)
	spec := copyMap(body["spec"].(map[string]any))
	for _, field := range []string{"ports", "finalizers"} {
		l := append([]any{}, list(spec[field])...)
		r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
		spec[field] = l
	}
	out["spec"] = spec
	return out
}

func TestCompareProperties(t *testing.T) {
	s := testSchema(t)
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a, b := thing(r), thing(r)
		same := shuffled(r, a)
		require.Empty(t, paths(compare(a, a, a, s, false, nil)), "seed %d: an object differs from itself", seed)
		require.Empty(t, paths(compare(a, a, same, s, false, nil)), "seed %d: order of keys made a difference", seed)
		for _, f := range compareExact(a, same, s, false).findings {
			require.True(t, f.order, "seed %d: order of elements made another difference: %s", seed, f.path)
		}
		forth, back := compareExact(a, b, s, false), compareExact(b, a, s, false)
		require.ElementsMatch(t, paths(forth), paths(back), "seed %d: not symmetric", seed)
		if len(forth.findings) == 0 {
			require.Empty(t, paths(compare(a, nil, b, s, false, nil)), "seed %d", seed)
		}
	}
}

// What is said to be removed, taken out, leaves nothing more to remove.
func TestRemovalsConverge(t *testing.T) {
	s := testSchema(t)
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		d, a := thing(r), thing(r)
		live := a
		for _, f := range compare(d, a, a, s, false, nil).findings {
			if !f.d.ok && f.atomic == nil {
				live = without(live, f.path)
			}
		}
		for _, f := range compare(d, a, live, s, false, nil).findings {
			require.True(t, f.d.ok || f.atomic != nil, "seed %d: %s is still to be removed", seed, f.path)
		}
	}
}

// Both sides of the text differ exactly when the values do.
func TestRestrictAgreesWithCompare(t *testing.T) {
	s := testSchema(t)
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		live, result := thing(r), thing(r)
		before, after := restrict(live, result, result, live, s, true)
		differs := len(compareExact(result, live, s, false).findings) > 0
		texts := len(compareExact(after, before, s, false).findings) > 0
		require.Equal(t, differs, texts, "seed %d: verdict and text disagree", seed)
	}
}
