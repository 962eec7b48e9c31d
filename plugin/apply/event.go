package apply

import (
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// EventType says what happened.
type EventType string

// Event types. Every object of a plan ends with exactly one of Unchanged, Ready,
// Failed, Refused, Skipped, Deleted, Kept or Left; only where nothing waits for
// readiness, or an old failure just stays, Applied is the last.
const (
	EventStarted   EventType = "Started"   // the first attempt begins
	EventApplied   EventType = "Applied"   // the server has taken the write
	EventUnchanged EventType = "Unchanged" // as wanted, nothing was written
	EventWaiting   EventType = "Waiting"   // not ready yet, not gone yet; Reason says why
	EventRetrying  EventType = "Retrying"  // refused for now; Reason is the server's
	EventReady     EventType = "Ready"
	EventFailed    EventType = "Failed"
	EventRefused   EventType = "Refused" // conflict, immutable field or guard
	EventSkipped   EventType = "Skipped" // what it depends on failed
	EventDeleted   EventType = "Deleted"
	EventKept      EventType = "Kept" // a guard kept it from being deleted
	EventLeft      EventType = "Left" // not started because of an interrupt
	EventWarning   EventType = "Warning"
	EventSaved     EventType = "Saved" // the record of Manifest was written
	EventBegan     EventType = "Began" // the run: from here on it writes
	// EventProgress is told while nothing else is: Pending says what is going on.
	EventProgress EventType = "Progress"
	// EventEnded is the last one, with Counts and Verdict.
	EventEnded EventType = "Ended"
)

// Event is one step of a run.
type Event struct {
	Time     time.Time
	Type     EventType
	Manifest string
	// Group, Kind, Namespace and Name are empty where the event is about a
	// manifest or the whole run.
	Group     string
	Kind      string
	Namespace string
	Name      string
	Op        plan.Op
	// Reason is a sentence without the object's name; may have several lines.
	Reason string
	// Details are further lines of a failure: events, last lines of a log.
	Details []string
	// Elapsed is the time since the object was started, or the run.
	Elapsed time.Duration
	// Settled and Total count the objects of the run.
	Settled int
	Total   int
	// Pending is set for EventProgress.
	Pending []PendingObject
	// Counts and Verdict are set for EventEnded.
	Counts  *Counts
	Verdict Verdict
}

// Ref names the object that the event is about; zero if it is about none.
func (e Event) Ref() object.Ref {
	return object.Ref{Group: e.Group, Kind: e.Kind, Namespace: e.Namespace, Name: e.Name}
}
