package hook

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// The types of binding contexts.
const (
	typeSynchronization = "Synchronization"
	typeEvent           = "Event"
	typeSchedule        = "Schedule"
	typeGroup           = "Group"
)

// contexts is what a hook is told in one run. Snapshots are encoded once, however
// many triggers want them.
type contexts struct {
	hook      *Hook
	triggers  []Trigger
	snapshots map[string]snapshot.Snapshot
	encoded   map[string]json.RawMessage
}

// contexts reads the snapshots that the triggers need.
func (h *Hook) contexts(ctx context.Context, triggers []Trigger, source Source) (*contexts, error) {
	if len(triggers) == 0 && !h.ready {
		return nil, errors.New("nothing calls the hook")
	}
	c := &contexts{
		hook: h, triggers: h.compact(triggers),
		snapshots: map[string]snapshot.Snapshot{}, encoded: map[string]json.RawMessage{},
	}
	var names []string
	for _, t := range c.triggers {
		if err := h.bound(t); err != nil {
			return nil, err
		}
		needed, _ := h.snapshotsOf(t)
		if t.Binding == binding.OnKubernetes && t.Change == nil && h.group(t) == "" {
			needed = append(slices.Clone(needed), t.Name)
		}
		names = append(names, needed...)
	}
	slices.Sort(names)
	return c, c.read(ctx, slices.Compact(names), source)
}

// bound refuses a trigger that the configuration of the hook doesn't have.
func (h *Hook) bound(t Trigger) error {
	var known bool
	switch t.Binding {
	case binding.OnSchedule:
		known = h.Config.FindSchedule(t.Name) != nil
	case binding.OnKubernetes:
		known = h.Config.FindKubernetes(t.Name) != nil
	default:
		_, known = h.Config.Orders[t.Binding]
	}
	if !known {
		return fmt.Errorf("the hook has no binding %s", t)
	}
	return nil
}

func (c *contexts) read(ctx context.Context, names []string, source Source) error {
	if len(names) > 0 && source == nil {
		return errors.New("there is no source of snapshots")
	}
	var failures []error
	for _, name := range names {
		taken, err := source.Snapshot(ctx, c.hook.ID, name)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		data, err := object.EncodeJSON(taken)
		if err != nil {
			failures = append(failures, fmt.Errorf("snapshot %q: %w", name, err))
			continue
		}
		c.snapshots[name], c.encoded[name] = taken, data
	}
	return errors.Join(failures...)
}

// snapshotsOf lists the snapshots that a trigger comes with, and tells whether it
// comes with that list at all.
func (h *Hook) snapshotsOf(t Trigger) (names []string, any bool) {
	switch t.Binding {
	case binding.OnStartup:
		return nil, false
	case binding.OnSchedule:
		s := h.Config.FindSchedule(t.Name)
		names = h.Config.Snapshots(s.IncludeSnapshotsFrom, s.Group)
		return names, len(names) > 0
	case binding.OnKubernetes:
		k := h.Config.FindKubernetes(t.Name)
		names = h.Config.Snapshots(k.IncludeSnapshotsFrom, k.Group)
		return names, len(names) > 0
	}
	return h.Config.SnapshotNames(), true
}

// write writes the contexts as a JSON list, one a line.
func (c *contexts) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	separator := "\n"
	_, _ = out.WriteString("[")
	for _, t := range c.triggers {
		data, err := object.EncodeJSON(c.fields(t))
		if err != nil {
			return fmt.Errorf("binding context %s: %w", t, err)
		}
		_, _ = out.WriteString(separator) // Flush has the error
		_, _ = out.Write(data)
		separator = ",\n"
	}
	_, _ = out.WriteString("\n]\n")
	return out.Flush()
}

// fields are one binding context.
func (c *contexts) fields(t Trigger) map[string]any {
	fields := map[string]any{"binding": t.String()}
	if names, with := c.hook.snapshotsOf(t); with {
		all := make(map[string]any, len(names))
		for _, name := range names {
			all[name] = c.encoded[name]
		}
		fields["snapshots"] = all
	}
	group := c.hook.group(t)
	switch {
	case group != "":
		fields["type"] = typeGroup
		fields["groupName"] = group
	case t.Binding == binding.OnSchedule:
		fields["type"] = typeSchedule
	case t.Binding == binding.OnKubernetes && t.Change == nil:
		fields["type"] = typeSynchronization
		fields["objects"] = c.encoded[t.Name]
	case t.Binding == binding.OnKubernetes:
		fields["type"] = typeEvent
		fields["watchEvent"] = string(t.Change.Event)
		for key, value := range t.Change.Entry.Fields() {
			fields[key] = value
		}
	}
	return fields
}
