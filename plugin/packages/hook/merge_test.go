//go:build linux || darwin

package hook

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

func TestMerge(t *testing.T) {
	config := binding.Config{
		Schedules:  []binding.Schedule{{Name: "s1"}, {Name: "s2"}, {Name: "g1", Group: "g"}, {Name: "g2", Group: "g"}, {Name: "h1", Group: "h"}},
		Kubernetes: []binding.Kubernetes{{Name: "k", Group: "g"}},
	}
	a, b := &Hook{ID: "a", Config: config}, &Hook{ID: "b", Config: config}
	run := func(h *Hook, names ...string) Pending {
		p := Pending{Hook: h}
		for _, name := range names {
			p.Triggers = append(p.Triggers, Scheduled(name))
		}
		return p
	}
	text := func(p Pending) string {
		if p.Hook == nil {
			return "-"
		}
		return p.Hook.ID + fmt.Sprint(p.Triggers)
	}
	for name, tt := range map[string]struct {
		queue []Pending
		next  string
		rest  []string
	}{
		"one":                     {[]Pending{run(a, "s1")}, "a[s1]", nil},
		"neighbours":              {[]Pending{run(a, "s1"), run(a, "s2"), run(a, "s1")}, "a[s1 s2 s1]", nil},
		"others between":          {[]Pending{run(a, "s1"), run(b, "s1"), run(a, "s2"), run(b, "s2")}, "a[s1 s2]", []string{"b[s1]", "b[s2]"}},
		"not over something else": {[]Pending{run(a, "s1"), run(a, "s2"), {}, run(a, "s1"), run(b, "s1")}, "a[s1 s2]", []string{"-", "a[s1]", "b[s1]"}},
		"something else first":    {[]Pending{{}, run(a, "s1"), run(a, "s2")}, "-", []string{"a[s1]", "a[s2]"}},
		"a group is one":          {[]Pending{run(a, "g1"), run(a, "g2"), run(a, "g1")}, "a[g1]", nil},
		"two groups":              {[]Pending{run(a, "g1"), run(a, "h1"), run(a, "g2"), run(a, "g1")}, "a[g1 h1 g1]", nil},
		"a group between":         {[]Pending{run(a, "g1"), run(a, "s1"), run(a, "g2"), run(a, "g1", "s1")}, "a[g1 s1 g1 s1]", nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]Pending(nil), tt.queue...)
			next, rest := Merge(tt.queue)
			assert.Equal(t, tt.next, text(next))
			var texts []string
			for _, p := range rest {
				texts = append(texts, text(p))
			}
			assert.Equal(t, tt.rest, texts)
			assert.Equal(t, before, tt.queue, "the queue is as it was")
		})
	}
	t.Run("a group of both kinds of bindings", func(t *testing.T) {
		next, _ := Merge([]Pending{{Hook: a, Triggers: []Trigger{Synchronized("k"), Changed("k", snapshot.Change{})}}, run(a, "g2")})
		assert.Equal(t, []Trigger{Scheduled("g2")}, next.Triggers)
	})
}

// Case J11: all contexts, in order, none lost, none twice; a queue of two hooks that
// watch the same object ends in one run for each.
func TestMergeLosesNothing(t *testing.T) {
	config := binding.Config{Kubernetes: []binding.Kubernetes{{Name: "c"}}}
	a, b := &Hook{ID: "a", Config: config}, &Hook{ID: "b", Config: config}
	var queue []Pending
	for i := range 500 {
		event := Changed("c", snapshot.Change{Event: binding.Modified, Entry: snapshot.Entry{Result: int64(i)}})
		queue = append(queue, Pending{a, []Trigger{event}}, Pending{b, []Trigger{event}})
	}
	for _, hook := range []*Hook{a, b} {
		var next Pending
		next, queue = Merge(queue)
		require.Same(t, hook, next.Hook)
		require.Len(t, next.Triggers, 500)
		for i, trigger := range next.Triggers {
			require.Equal(t, int64(i), trigger.Change.Entry.Result)
		}
	}
	assert.Empty(t, queue)
}

func TestNamed(t *testing.T) {
	h := one(t, shellConfig, "")
	for name, want := range map[string]Trigger{
		"beforeHelm": Stage(binding.BeforeHelm), "plain": Scheduled("plain"), "schedule": Scheduled("schedule"), "pods": Synchronized("pods"),
	} {
		got, err := h.Named(name)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err := h.Named("none")
	assert.EqualError(t, err, `hook hooks/one.sh has no binding "none"; it has onStartup, beforeHelm, afterHelm, beforeDeleteHelm, `+
		"afterDeleteHelm, plain, with-snapshots, grouped, schedule, pods, settings, slim, other")
	twice := &Hook{ID: "h", Config: binding.Config{Schedules: []binding.Schedule{{Name: "a"}, {Name: "a"}}, Kubernetes: []binding.Kubernetes{{Name: "a"}}}}
	_, err = twice.Named("a")
	assert.EqualError(t, err, `hook h has 2 bindings named "a"`)
}

func TestAllowsFailure(t *testing.T) {
	h := &Hook{Config: binding.Config{
		Orders:     map[binding.Type]int64{binding.BeforeHelm: 1},
		Schedules:  []binding.Schedule{{Name: "may", AllowFailure: true}, {Name: "must"}},
		Kubernetes: []binding.Kubernetes{{Name: "may", AllowFailure: true}, {Name: "must"}},
	}}
	for want, all := range map[bool][][]Trigger{
		true:  {{Scheduled("may")}, {Synchronized("may"), Scheduled("may")}},
		false: {{}, {Scheduled("must")}, {Synchronized("must")}, {Scheduled("may"), Synchronized("must")}, {Stage(binding.BeforeHelm)}, {Scheduled("none")}},
	} {
		for _, triggers := range all {
			assert.Equal(t, want, h.AllowsFailure(triggers), triggers)
		}
	}
}
