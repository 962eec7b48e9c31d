package binding

import (
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/filter"
)

// Type is what can call a hook. Its text is the name in configurations and in
// binding contexts.
type Type string

// The types of bindings.
const (
	OnStartup        Type = "onStartup"
	BeforeHelm       Type = "beforeHelm"
	AfterHelm        Type = "afterHelm"
	BeforeDeleteHelm Type = "beforeDeleteHelm"
	AfterDeleteHelm  Type = "afterDeleteHelm"
	OnSchedule       Type = "schedule"
	OnKubernetes     Type = "kubernetes"
)

// Stages lists the bindings that are stages in the life of an instance, in the
// order in which they come.
func Stages() []Type {
	return []Type{OnStartup, BeforeHelm, AfterHelm, BeforeDeleteHelm, AfterDeleteHelm}
}

// MainQueue is the queue of bindings that name none.
const MainQueue = "main"

// Config is the configuration of one hook, with defaults filled in.
type Config struct {
	// Orders holds the order of each stage that the hook is bound to. Lower
	// comes first.
	Orders     map[Type]int64
	Schedules  []Schedule
	Kubernetes []Kubernetes
	Settings   Settings
	// AllSnapshots gives every snapshot of the hook to each schedule and
	// kubernetes run, whatever includeSnapshotsFrom says: the way of batch hooks,
	// which see the present and not the event.
	AllSnapshots bool
}

// Settings limits how often a hook runs: a bucket of Burst runs that gets a new
// one each MinInterval.
type Settings struct {
	// MinInterval is 0 where there is no limit.
	MinInterval time.Duration
	// Burst is at least 1 if MinInterval is set.
	Burst int64
}

// Schedule calls the hook at times.
type Schedule struct {
	// Name is "schedule" where the hook gave none.
	Name string
	// Crontab is as it was written, Times what it means. Without a time zone in
	// the crontab times are local ones of the process.
	Crontab              string
	Times                cron.Schedule
	AllowFailure         bool
	Queue                string
	Group                string
	IncludeSnapshotsFrom []string
}

// Event is a change of an object that a binding can wait for.
type Event string

// The events, as they are called in configurations and in binding contexts.
const (
	Added    Event = "Added"
	Modified Event = "Modified"
	Deleted  Event = "Deleted"
)

// Kubernetes keeps a snapshot of objects and calls the hook when they change.
type Kubernetes struct {
	// Name is "kubernetes" where the hook gave none. It is unique in the hook and
	// the key of the snapshot.
	Name string
	// APIVersion is "" where the cluster's preferred version is meant.
	APIVersion string
	// Kind is as it was written: shell hooks may use plurals, short names and any
	// case.
	Kind string
	// Events are those that call the hook; none if only the snapshot matters.
	Events []Event
	// OnSynchronization calls the hook with the objects that are there when the
	// binding starts; WaitForSynchronization holds up the run of the package until
	// that is done.
	OnSynchronization, WaitForSynchronization bool
	// KeepFullObjects keeps whole objects in the snapshot, not only what the
	// filter makes of them.
	KeepFullObjects bool
	// Resynchronization repeats the synchronization; 0 is never.
	Resynchronization time.Duration

	// Names selects objects by name; none is any name.
	Names []string
	// Labels selects objects by labels; it is never nil.
	Labels labels.Selector
	// Fields selects objects by fields; all have to hold.
	Fields []FieldRequirement
	// Namespaces lists the namespaces; none is any. With NamespaceLabels, the
	// namespaces of either are meant.
	Namespaces []string
	// NamespaceLabels selects namespaces by labels; nil if the hook doesn't.
	NamespaceLabels labels.Selector

	// Filter is nil where the hook gave none.
	Filter               *filter.Filter
	AllowFailure         bool
	Queue                string
	Group                string
	IncludeSnapshotsFrom []string
}

// FieldRequirement is one condition on a field of an object.
type FieldRequirement struct {
	Field string
	// Equal is false for a field that must not have the value.
	Equal bool
	Value string
}

// Snapshots lists the names of the snapshots that a schedule or kubernetes
// binding gets: what it includes, and those of its group, sorted and without
// repetition.
func (c *Config) Snapshots(include []string, group string) []string {
	all := append([]string(nil), include...)
	for _, k := range c.Kubernetes {
		if c.AllSnapshots || group != "" && k.Group == group {
			all = append(all, k.Name)
		}
	}
	return sortedSet(all)
}

// SnapshotNames lists the snapshots of the hook, which stages get, sorted.
func (c *Config) SnapshotNames() []string {
	var all []string
	for _, k := range c.Kubernetes {
		all = append(all, k.Name)
	}
	return sortedSet(all)
}

// FindKubernetes finds a binding by its name; nil if there is none.
func (c *Config) FindKubernetes(name string) *Kubernetes {
	for i := range c.Kubernetes {
		if c.Kubernetes[i].Name == name {
			return &c.Kubernetes[i]
		}
	}
	return nil
}

// FindSchedule finds a binding by its name; nil if there is none.
func (c *Config) FindSchedule(name string) *Schedule {
	for i := range c.Schedules {
		if c.Schedules[i].Name == name {
			return &c.Schedules[i]
		}
	}
	return nil
}
