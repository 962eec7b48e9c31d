package hook

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// Trigger says which binding calls a hook, and why.
type Trigger struct {
	// Binding is a stage, binding.OnSchedule or binding.OnKubernetes.
	Binding binding.Type
	// Name is that of the schedule or kubernetes binding.
	Name string
	// Change is the change of an object; nil for a kubernetes binding means the
	// synchronization: the objects that are there.
	Change *snapshot.Change
}

// Stage is the trigger of a stage.
func Stage(stage binding.Type) Trigger { return Trigger{Binding: stage} }

// Scheduled is the trigger of a schedule binding.
func Scheduled(name string) Trigger { return Trigger{Binding: binding.OnSchedule, Name: name} }

// Synchronized is the trigger of a kubernetes binding that has begun.
func Synchronized(name string) Trigger { return Trigger{Binding: binding.OnKubernetes, Name: name} }

// Changed is the trigger of a kubernetes binding that saw a change.
func Changed(name string, change snapshot.Change) Trigger {
	return Trigger{Binding: binding.OnKubernetes, Name: name, Change: &change}
}

// Named finds the trigger of a binding by its name: a stage, a schedule, or the
// synchronization of a kubernetes binding.
func (h *Hook) Named(name string) (Trigger, error) {
	var found []Trigger
	for _, t := range h.triggers() {
		if t.String() == name {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var have []string
	for _, t := range h.triggers() {
		have = append(have, t.String())
	}
	if len(found) > 1 {
		return Trigger{}, fmt.Errorf("hook %s has %d bindings named %q", h.ID, len(found), name)
	}
	return Trigger{}, fmt.Errorf("hook %s has no binding %q; it has %s", h.ID, name, strings.Join(have, ", "))
}

// triggers lists one trigger for each binding: stages in their order, then those of
// the configuration.
func (h *Hook) triggers() []Trigger {
	var all []Trigger
	for _, stage := range binding.Stages() {
		if _, ok := h.Config.Orders[stage]; ok {
			all = append(all, Stage(stage))
		}
	}
	for _, s := range h.Config.Schedules {
		if !slices.Contains(all, Scheduled(s.Name)) {
			all = append(all, Scheduled(s.Name))
		}
	}
	for _, k := range h.Config.Kubernetes {
		all = append(all, Synchronized(k.Name))
	}
	return all
}

// String is the name of the binding as the hook gets it.
func (t Trigger) String() string {
	if t.Name != "" {
		return t.Name
	}
	return string(t.Binding)
}

// Group is the group of the binding that triggered; "" if it has none.
func (h *Hook) group(t Trigger) string {
	switch t.Binding {
	case binding.OnSchedule:
		if s := h.Config.FindSchedule(t.Name); s != nil {
			return s.Group
		}
	case binding.OnKubernetes:
		if k := h.Config.FindKubernetes(t.Name); k != nil {
			return k.Group
		}
	}
	return ""
}

// compact drops each trigger that is followed by one of the same group: a group
// gets snapshots only, and those of the later trigger are the present ones.
func (h *Hook) compact(triggers []Trigger) []Trigger {
	var kept []Trigger
	for _, t := range triggers {
		if last := len(kept) - 1; last >= 0 && h.group(t) != "" && h.group(t) == h.group(kept[last]) {
			kept[last] = t
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// AllowsFailure tells whether a failure of a run is to be passed over: if every
// binding that called for it says so.
func (h *Hook) AllowsFailure(triggers []Trigger) bool {
	return len(triggers) > 0 && !slices.ContainsFunc(triggers, func(t Trigger) bool { return !h.allowsFailure(t) })
}

func (h *Hook) allowsFailure(t Trigger) bool {
	switch t.Binding {
	case binding.OnSchedule:
		s := h.Config.FindSchedule(t.Name)
		return s != nil && s.AllowFailure
	case binding.OnKubernetes:
		k := h.Config.FindKubernetes(t.Name)
		return k != nil && k.AllowFailure
	}
	return false
}

// mostNamed bounds the bindings that an error names.
const mostNamed = 5

// Doing names the bindings of a run for errors.
func Doing(triggers []Trigger) string {
	var names []string
	for _, t := range triggers {
		if !slices.Contains(names, t.String()) {
			names = append(names, t.String())
		}
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], "...")
	}
	return strings.Join(names, ", ")
}
