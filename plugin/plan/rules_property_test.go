package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// randomRules are rebase rules whose paths lie in and above each other. Either they
// go into lists or they copy whole ones: elements that only the cluster has can't
// be put into what is wanted, and need not be.
func randomRules(r *rand.Rand) string {
	paths := []string{
		"[spec, replicas]", "[spec, selector]", "[spec, selector, app]", "[spec, args]", "[metadata]",
		"[metadata, labels]", `[spec, {regex: "^[lr]"}]`, "[spec, new, deep]",
	}
	if r.IntN(2) == 0 {
		paths = append(paths, "[spec]", "[spec, ports]")
	} else {
		paths = append(paths, "[spec, ports, {allIndexes: true}, name]", "[spec, ports, {index: 1}, name]")
	}
	var b strings.Builder
	b.WriteString("rebaseRules:\n")
	for range 1 + r.IntN(5) {
		action := []string{
			"type: remove", "type: copy, sources: [new]", "type: copy, sources: [existing]",
			"type: copy, sources: [new, existing]", "type: copy, sources: [existing, new]",
		}[r.IntN(5)]
		fmt.Fprintf(&b, "- {path: %s, %s, resourceMatchers: [allMatcher: {}]}\n", paths[r.IntN(len(paths))], action)
	}
	return b.String()
}

// literally runs the rules as they are written and gives what is wanted then. It
// takes the concrete paths for granted.
func literally(c *config.KappConfig, s *cluster.Schema, desired, live map[string]any) map[string]any {
	out := desired
	for _, rule := range c.RebaseRules {
		for _, p := range concrete(rule.Paths[0], s, out, desired, live) {
			if rule.Type == config.RebaseRemove {
				out = without(out, p)
				continue
			}
			for _, source := range rule.Sources {
				v := lookup(map[config.RebaseSource]map[string]any{config.SourceNew: desired, config.SourceExisting: live}[source], p)
				if v.ok && reaches(out, p) {
					out = with(out, p, v.v)
				}
				if v.ok {
					break
				}
			}
		}
	}
	return out
}

// What the paths say, applied as a plan applies them, is what the rules make of
// the object: but for its identity, which they can't touch.
func TestRebaseSaysWhatTheRulesMake(t *testing.T) {
	s := testSchema(t)
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		desired, live := thing(r), shuffled(r, thing(r))
		mapAt(live, "metadata")["labels"] = map[string]any{"a": fmt.Sprint(r.IntN(2))}
		if r.IntN(2) == 0 {
			mapAt(desired, "metadata")["labels"] = map[string]any{"a": fmt.Sprint(r.IntN(2)), "b": "1"}
		}
		rules := randomRules(r)
		c := ruleSet(t, rules)

		got := desired
		made := rebase(c, s, desired, live)
		for _, p := range made.left {
			require.True(t, lookup(live, p).ok, "seed %d: %s is left to a cluster that hasn't got it\n%s", seed, p, rules)
			got = with(got, p, lookup(live, p).v)
		}
		for _, p := range made.removed {
			got = without(got, p)
		}
		want := literally(c, s, desired, live)
		meta, _ := want["metadata"].(map[string]any)
		meta = copyMap(meta)
		meta["name"], want = "x", copyMap(want)
		want["metadata"] = meta
		require.True(t, object.Equal(tidy(want), tidy(got)), "seed %d\n%s\ndesired %v\nlive %v\nwant %v\ngot %v", seed, rules, desired, live, want, got)
		require.True(t, slices.Equal(texts(made.left), texts(outermost(made.left))))
	}
}

// tidy drops empty maps, which rules may leave behind on either way.
func tidy(body map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range body {
		if m, ok := v.(map[string]any); ok {
			if m = tidy(m); len(m) == 0 {
				continue
			}
			v = m
		}
		out[k] = v
	}
	return out
}
