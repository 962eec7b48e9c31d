package live

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// State is what "packages snapshots" shows of a binding: the published shape of
// Deckhouse's.
type State struct {
	Snapshot   []Shown    `json:"snapshot"`
	Operations Operations `json:"operations"`
	// Error tells why there is no snapshot.
	Error string `json:"error,omitempty"`
	// Kind is that of the objects, for whoever masks them; it is no part of the shape.
	Kind string `json:"-"`
}

// Shown is one object of a snapshot.
type Shown struct {
	Object       map[string]any `json:"object,omitempty"`
	FilterResult any            `json:"filterResult,omitempty"`
}

// Operations count what happened to the objects of a binding.
type Operations struct {
	SinceStart         Counts `json:"sinceStart"`
	SinceLastExecution Counts `json:"sinceLastExecution"`
}

// Counts are changes; Count is what they come to, Cleaned is always 0 here: nothing
// is dropped to save memory.
type Counts struct {
	Count    int `json:"count"`
	Added    int `json:"added"`
	Deleted  int `json:"deleted"`
	Modified int `json:"modified"`
	Cleaned  int `json:"cleaned"`
}

// State shows all hooks with their bindings; nil for a hook without any. What it
// holds comes from the cluster: whoever shows it masks it.
func (m *Monitor) State() map[string]map[string]State {
	all := map[string]map[string]State{}
	for _, h := range m.all() {
		all[h.ID] = nil
		for i := range h.Config.Kubernetes {
			k := &h.Config.Kubernetes[i]
			if all[h.ID] == nil {
				all[h.ID] = map[string]State{}
			}
			all[h.ID][k.Name] = m.stateOf(h.ID, k)
		}
	}
	return all
}

func (m *Monitor) stateOf(id string, k *binding.Kubernetes) State {
	b := m.find(id, k.Name)
	if b == nil {
		return State{Snapshot: []Shown{}, Error: "not followed yet", Kind: k.Kind}
	}
	taken, err := b.snapshot()
	if err == nil {
		for _, t := range b.parts() {
			if failed := t.following.Err(); failed != nil {
				err = failed
			}
		}
	}
	all, fresh := b.counts()
	s := State{Kind: b.mapping.GVK.Kind, Snapshot: []Shown{}, Operations: Operations{SinceStart: shown(all), SinceLastExecution: shown(fresh)}}
	if err != nil {
		s.Error = err.Error()
	}
	for _, e := range taken {
		s.Snapshot = append(s.Snapshot, entry(e))
	}
	return s
}

func entry(e snapshot.Entry) Shown {
	s := Shown{Object: e.Object}
	if e.Filtered {
		s.FilterResult = e.Result
	}
	return s
}

func shown(c snapshot.Counts) Counts {
	return Counts{Count: c.Added - c.Deleted, Added: c.Added, Deleted: c.Deleted, Modified: c.Modified}
}
