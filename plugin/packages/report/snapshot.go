package report

import (
	"maps"
	"slices"
)

// Snapshots are by hook and binding, as "packages snapshots" prints them; null for a
// hook without bindings. The shape is shell-operator's; package hook/live makes it.
type Snapshots map[string]map[string]Snapshot

// Names lists the bindings as HOOK/BINDING, for -o name.
func (s Snapshots) Names() []string {
	names := []string{}
	for _, hook := range slices.Sorted(maps.Keys(s)) {
		for _, binding := range slices.Sorted(maps.Keys(s[hook])) {
			names = append(names, hook+"/"+binding)
		}
	}
	return names
}

// Snapshot is what a binding sees.
type Snapshot struct {
	Snapshot   []SnapshotEntry `json:"snapshot"`
	Operations Operations      `json:"operations"`
	// Error tells why the snapshot can't be had.
	Error string `json:"error,omitempty"`
}

// SnapshotEntry is one object.
type SnapshotEntry struct {
	Object       map[string]any `json:"object,omitempty"`
	FilterResult any            `json:"filterResult,omitempty"`
}

// Operations count what happened to the objects of a binding.
type Operations struct {
	SinceStart         OperationCounts `json:"sinceStart"`
	SinceLastExecution OperationCounts `json:"sinceLastExecution"`
}

// OperationCounts are changes; Count is what they come to.
type OperationCounts struct {
	Count    int `json:"count"`
	Added    int `json:"added"`
	Deleted  int `json:"deleted"`
	Modified int `json:"modified"`
	Cleaned  int `json:"cleaned"`
}
