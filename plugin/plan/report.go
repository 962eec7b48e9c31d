package plan

import (
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// APIVersion and ReportKind identify the serialised Report.
const (
	APIVersion = "tazuna.pepabo.com/v1alpha1"
	ReportKind = "Plan"
)

// Op is what a run would do to one object. The words are kapp's.
type Op string

// Operations. OpNone is an object that is as wanted.
const (
	OpNone    Op = ""
	OpCreate  Op = "create"
	OpUpdate  Op = "update"
	OpAdopt   Op = "adopt"   // only bookkeeping moves to us, no value changes
	OpReplace Op = "replace" // delete and create, asked for by the user
	OpDelete  Op = "delete"
	OpRefuse  Op = "refuse" // conflict: nothing of the object is written
	OpBlocked Op = "blocked"
	// OpExists: somebody else makes the object and hasn't yet; it is waited for.
	OpExists Op = "exists"
	// OpSkip: the object differs, and says itself that it is never updated.
	OpSkip Op = "skip"
	// OpError marks an object that could not be planned; Reason says why.
	OpError Op = "error"
)

// Verdict is the answer of the three-way table for one path (docs/concepts.md).
type Verdict string

// Verdicts of a path.
const (
	VerdictSame        Verdict = "same"
	VerdictChange      Verdict = "change"      // the files say something new
	VerdictDrift       Verdict = "drift"       // somebody changed what we had applied
	VerdictRemove      Verdict = "remove"      // left the files and is ours alone
	VerdictRelease     Verdict = "release"     // left the files, another manager keeps it
	VerdictConflict    Verdict = "conflict"    // another manager owns it with another value
	VerdictServer      Verdict = "server"      // the server's dry-run changes it beside what was asked
	VerdictIneffective Verdict = "ineffective" // the server undoes the wanted value
	VerdictLeft        Verdict = "left"        // a rule leaves it to the cluster
	VerdictImmutable   Verdict = "immutable"   // the server refuses to change it
)

// Author is a manager that managedFields names for a path. It is a guess with
// bounds: Time is when the entry was last written, so the change was made at or
// before it.
type Author struct {
	Manager     string     `json:"manager"`
	Operation   string     `json:"operation"`
	Subresource string     `json:"subresource,omitempty"`
	Time        *time.Time `json:"time,omitempty"`
}

// Difference is one path of one object. Live and Desired are masked; nil with
// the matching Has… false means absent.
type Difference struct {
	Path       string   `json:"path"`
	Verdict    Verdict  `json:"verdict"`
	Live       any      `json:"live,omitempty"`
	Desired    any      `json:"desired,omitempty"`
	HasLive    bool     `json:"hasLive"`
	HasDesired bool     `json:"hasDesired"`
	Authors    []Author `json:"authors,omitempty"`
	// AuthorUnknown is set where a change is certain and managedFields can't
	// name who made it: deleted fields have no owner.
	AuthorUnknown bool `json:"authorUnknown,omitempty"`
	// Because says which row of the table decided, and on what ground.
	Because string `json:"because,omitempty"`
	// at is the parsed Path.
	at fieldpath.Path
}

// ObjectReport is the masked form of one planned object.
type ObjectReport struct {
	Manifest   string `json:"manifest,omitempty"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	// ScopeUnknown: the kind is not served, so that no namespace says nothing.
	ScopeUnknown bool              `json:"scopeUnknown,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	Origin       string            `json:"origin,omitempty"`
	Op           Op                `json:"op,omitempty"`
	OpStrategy   string            `json:"opStrategy,omitempty"`
	WaitTo       string            `json:"waitTo,omitempty"` // reconcile, delete or empty
	State        string            `json:"reconcileState,omitempty"`
	Info         string            `json:"reconcileInfo,omitempty"`
	Created      *time.Time        `json:"created,omitempty"`
	Differences  []Difference      `json:"differences,omitempty"`
	// Hidden are differences that are not shown by default: those that the server
	// undoes (ineffective) and those that a rule leaves to the cluster (left).
	Hidden []Difference `json:"hidden,omitempty"`
	// Unverified says why the verdict is the local one and not the server's.
	Unverified string `json:"unverified,omitempty"`
	// Reason says why an object is refused or blocked, in the server's or our words.
	Reason string   `json:"reason,omitempty"`
	Notes  []string `json:"notes,omitempty"`
	// Before and After are the compared values: live and wanted, both restricted
	// to what the files and our last apply name. Nil Before: create, nil After: delete.
	Before map[string]any `json:"before,omitempty"`
	After  map[string]any `json:"after,omitempty"`
	// names are the words for the kind beside Kind, as the cluster has them.
	names []string
}

// Leftover is an object of a record that the files no longer name and that
// this run doesn't delete.
type Leftover struct {
	Manifest   string `json:"manifest"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	Reason     string `json:"reason,omitempty"`
	// Destroy: the run deletes what the record lists, whatever the files say.
	Destroy bool `json:"destroy,omitempty"`
}

// Summary counts the operations and waits of a Report.
type Summary struct {
	Create    int `json:"create"`
	Delete    int `json:"delete"`
	Update    int `json:"update"`
	Noop      int `json:"noop"`
	Exists    int `json:"exists"`
	Adopt     int `json:"adopt"`
	Replace   int `json:"replace"`
	Refused   int `json:"refused"`
	Blocked   int `json:"blocked"`
	Skip      int `json:"skip"`   // differ, and are never updated
	Failed    int `json:"failed"` // could not be planned
	Hidden    int `json:"hidden"` // differences that are not shown by default
	Leftover  int `json:"leftover"`
	Reconcile int `json:"waitReconcile"`
	WaitGone  int `json:"waitDelete"`
	WaitNoop  int `json:"waitNoop"`
	// RecordOnly is the number of manifests whose record alone would be written.
	RecordOnly int `json:"recordOnly"`
}

// Report is the masked, serialisable form of a Plan.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Context and Server name the cluster that was compared with.
	Context  string         `json:"context,omitempty"`
	Server   string         `json:"server,omitempty"`
	Objects  []ObjectReport `json:"objects"`
	Leftover []Leftover     `json:"leftover,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	// Notes tell what a run would do besides: hooks of charts.
	Notes []string `json:"notes,omitempty"`
	// RecordOnly names manifests whose record alone would be written, and why.
	RecordOnly []RecordOnly `json:"recordOnly,omitempty"`
	Summary    Summary      `json:"summary"`
}

// RecordOnly is a manifest whose objects are as wanted while its record is not.
type RecordOnly struct {
	Manifest string `json:"manifest"`
	Reason   string `json:"reason"`
}

// Differs reports whether a run would change anything: the verdict behind the
// exit code of diff and plan. Left over objects don't count (docs/exit-codes.md).
func (r *Report) Differs() bool {
	for _, o := range r.Objects {
		if o.Op != OpNone {
			return true
		}
	}
	return len(r.RecordOnly) > 0
}
