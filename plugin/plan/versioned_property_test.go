package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// system is a random set of versioned objects that name each other, some of them
// in circles, with Pods that use them.
type system struct {
	values []int
	links  map[int]int
	keep   []int
}

func newSystem(r *rand.Rand) *system {
	s := &system{links: map[int]int{}}
	for i := range 1 + r.IntN(6) {
		s.values = append(s.values, 0)
		s.keep = append(s.keep, 1+r.IntN(4))
		if r.IntN(2) == 0 {
			s.links[i] = r.IntN(7)
		}
	}
	return s
}

func (s *system) text(r *rand.Rand) string {
	var docs []string
	for i, value := range s.values {
		annotations := fmt.Sprintf("kapp.k14s.io/num-versions: '%d'", s.keep[i])
		if to, ok := s.links[i]; ok {
			annotations += fmt.Sprintf(", kapp.k14s.io/versioned-explicit-ref: '{apiVersion: v1, kind: ConfigMap, name: o%d}'", to)
		}
		docs = append(docs, versionedMap(fmt.Sprint("o", i), fmt.Sprint(value), annotations))
	}
	for i := range s.values {
		docs = append(docs, strings.ReplaceAll(referring(fmt.Sprint("o", i)), "name: user", fmt.Sprint("name: user", i)))
	}
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	return strings.Join(docs, "")
}

// Whatever changes, and in whatever order the files have it: a run that changes
// nothing makes no version, no more versions stay than were asked for, what is
// referred to exists, and a version that exists never changes.
func TestVersionsProperties(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		s, v := newSystem(r), versions{}
		for step := range 8 {
			if step > 0 {
				s.values[r.IntN(len(s.values))] += r.IntN(3)
			}
			before := versions{}
			for ref, body := range v {
				before[ref] = body
			}
			out := v.run(t, s.text(r))
			for ref, body := range before {
				if now, ok := v[ref]; ok && isVersion(body) {
					require.True(t, object.Equal(body, now), "seed %d: %s changed", seed, ref)
				}
			}
			checkVersions(t, seed, s, v, out)

			again := v.run(t, s.text(r))
			require.Empty(t, again.Shown, "seed %d: nothing changed", seed)
			require.Empty(t, again.Surplus, "seed %d: nothing changed", seed)
			require.ElementsMatch(t, objectNames(out.Objects), objectNames(again.Objects), "seed %d", seed)
		}
	}
}

func checkVersions(t *testing.T, seed uint64, s *system, v versions, out versioning) {
	t.Helper()
	count := map[string]int{}
	for ref := range v {
		if base, _, ok := splitVersion(ref.Name); ok {
			count[base]++
		}
	}
	for i, keep := range s.keep {
		require.LessOrEqual(t, count[fmt.Sprint("o", i)], keep, "seed %d", seed)
	}
	wanted := map[string]bool{}
	for _, o := range out.Objects {
		wanted[o.Name()] = true
	}
	for _, o := range out.Objects {
		if o.Ref().Kind == "Pod" {
			require.True(t, wanted[referred(o)], "seed %d: %s refers to %s", seed, o.Ref(), referred(o))
		}
	}
	for _, ref := range append(out.Kept, out.Surplus...) {
		require.False(t, wanted[ref.Name], "seed %d: %s is both old and wanted", seed, ref)
	}
}

// Against the rules taken one by one: in the order found, every mandatory relation
// holds, and every optional one that does not would have closed a circle.
func TestChangeOrderProperties(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 3 + r.IntN(10)
		var docs []string
		for i := range n {
			annotations := fmt.Sprintf("kapp.k14s.io/change-group: g%d", r.IntN(4))
			if r.IntN(4) == 0 {
				annotations += fmt.Sprintf(", kapp.k14s.io/change-rule: upsert %s upserting g%d", []string{"after", "before"}[r.IntN(2)], r.IntN(4))
			}
			docs = append(docs, cmap(fmt.Sprint("o", i), annotations))
		}
		objects := changes(t, docs...)
		c := randomBindings(t, r, n)
		order, err := changeOrderOf(c, objects)
		require.NoError(t, err)
		checkOrder(t, seed, order, objects)
	}
}

func randomBindings(t testing.TB, r *rand.Rand, n int) *config.KappConfig {
	t.Helper()
	rules := "changeRuleBindings:\n"
	for range 1 + r.IntN(6) {
		rules += fmt.Sprintf("- {rules: [upsert %s upserting g%d], ignoreIfCyclical: true, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: o%d}]}\n",
			[]string{"after", "before"}[r.IntN(2)], r.IntN(5), r.IntN(n))
	}
	return ruleSet(t, rules)
}

func checkOrder(t *testing.T, seed uint64, order changeOrder, objects []*Object) {
	t.Helper()
	g := &Graph{}
	for i := range objects {
		g.Nodes = append(g.Nodes, Node{Object: i})
	}
	addChangeOrder(g, order)
	var optional []relation
	pairs := func(r relation, each func(later, earlier int)) {
		for _, m := range order.members[r.group] {
			switch {
			case m == r.object:
			case r.before:
				each(m, r.object)
			default:
				each(r.object, m)
			}
		}
	}
	for _, r := range order.relations {
		if r.optional {
			optional = append(optional, r)
			continue
		}
		pairs(r, func(later, earlier int) {
			require.True(t, g.reaches(later, earlier), "seed %d: %s", seed, r.why)
		})
	}
	if !g.acyclic() {
		return // the mandatory ones alone do that: the sort says so
	}
	for _, r := range optional {
		pairs(r, func(later, earlier int) {
			require.True(t, g.reaches(later, earlier) || g.reaches(earlier, later), "seed %d: %s was dropped for nothing", seed, r.why)
		})
	}
}
