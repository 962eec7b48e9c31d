package trial

import (
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Phase is a list of runs that don't wait for one another's success.
type Phase []hook.Pending

// Reconciliation is what a run of a package calls after it is loaded: the
// synchronization of each hook, onStartup, beforeHelm, afterHelm.
func Reconciliation(set *hook.Set) []Phase {
	phases := []Phase{synchronization(set.Hooks)}
	for _, stage := range []binding.Type{binding.OnStartup, binding.BeforeHelm, binding.AfterHelm} {
		phases = append(phases, stageOf(set, stage))
	}
	return phases
}

// synchronization is one run for each hook with everything that it wants to be told
// of the objects that are there.
func synchronization(hooks []*hook.Hook) Phase {
	var phase Phase
	for _, h := range hooks {
		call := hook.Pending{Hook: h}
		for _, k := range h.Config.Kubernetes {
			if k.OnSynchronization {
				call.Triggers = append(call.Triggers, hook.Synchronized(k.Name))
			}
		}
		if len(call.Triggers) > 0 {
			next, _ := hook.Merge([]hook.Pending{call}) // as a queue would do
			phase = append(phase, next)
		}
	}
	return phase
}

func stageOf(set *hook.Set, stage binding.Type) Phase {
	var phase Phase
	for _, h := range set.Bound(stage) {
		phase = append(phase, hook.Pending{Hook: h, Triggers: []hook.Trigger{hook.Stage(stage)}})
	}
	return phase
}

// Select picks the runs of some hooks, by their IDs or all, and of one binding, by
// its name: a stage, a schedule, or a kubernetes binding, whose synchronization is
// meant. With neither it is the Reconciliation. A hook or binding that isn't there is
// an error with those that are.
func Select(set *hook.Set, ids []string, name string) ([]Phase, error) {
	some := set
	if len(ids) > 0 {
		some = &hook.Set{}
		for _, id := range ids {
			h := set.Find(id)
			if h == nil {
				return nil, fmt.Errorf("there is no hook %q; there are %s", id, listed(IDs(set)))
			}
			some.Hooks = append(some.Hooks, h)
		}
	}
	if name == "" {
		return Reconciliation(some), nil
	}
	for _, stage := range binding.Stages() {
		if name == string(stage) && len(some.Bound(stage)) > 0 {
			return []Phase{stageOf(some, stage)}, nil
		}
	}
	return byName(some, name, len(ids) > 0)
}

// byName picks the runs of a schedule or kubernetes binding. strict wants each hook
// to have it.
func byName(set *hook.Set, name string, strict bool) ([]Phase, error) {
	var phase Phase
	var missing error
	for _, h := range set.Hooks {
		trigger, err := h.Named(name)
		if err != nil {
			missing = err
			continue
		}
		phase = append(phase, hook.Pending{Hook: h, Triggers: []hook.Trigger{trigger}})
	}
	switch {
	case missing != nil && strict:
		return nil, missing
	case len(phase) == 0 && len(set.Hooks) == 1:
		return nil, missing
	case len(phase) == 0:
		return nil, fmt.Errorf("no hook has a binding %q; the hooks are %s", name, listed(IDs(set)))
	}
	return []Phase{phase}, nil
}

// IDs lists the hooks of a set.
func IDs(set *hook.Set) []string {
	ids := make([]string, len(set.Hooks))
	for i, h := range set.Hooks {
		ids[i] = h.ID
	}
	return ids
}

func listed(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

// named lists the bindings that call a run.
func named(triggers []hook.Trigger) string {
	names := make([]string, len(triggers))
	for i, t := range triggers {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}
