package printers

import (
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// Types of events that printers treat in their own way; the rest prints as it is
// called. docs/schemas/events.v1alpha1.json has all of them.
const (
	EventBegan     = "Began"
	EventPlanned   = "Planned"
	EventStarted   = "Started"
	EventApplied   = "Applied"
	EventUnchanged = "Unchanged"
	EventWaiting   = "Waiting"
	EventRetrying  = "Retrying"
	EventProgress  = "Progress"
	EventSaved     = "Saved"
	EventEnded     = "Ended"
)

// Event is one step of a run. Its JSON form is a line of `-o events`; texts in it
// hold no values of Secrets.
type Event struct {
	Time time.Time `json:"time"`
	// Type is what happened: EventApplied, "Ready", "Failed" and so on.
	Type string `json:"type"`
	// Manifest is set for events about one manifest or its objects.
	Manifest string `json:"manifest,omitempty"`
	// Object is nil for events about a manifest or the whole run.
	Object *EventObject `json:"object,omitempty"`
	// Op is what the plan wants done to the object.
	Op plan.Op `json:"op,omitempty"`
	// Reason is a sentence that doesn't name the object, maybe of several lines.
	Reason string `json:"reason,omitempty"`
	// Details are further lines of a failure: conditions, events, ends of logs.
	Details []string `json:"details,omitempty"`
	// Seconds have passed since the object was started; for EventProgress and
	// EventEnded since the run was.
	Seconds float64 `json:"seconds,omitempty"`
	// Settled of Total objects of the run have come to an end.
	Settled int `json:"settled"`
	Total   int `json:"total"`
	// Pending are the objects that an EventProgress is about, the oldest first.
	Pending []Pending `json:"pending,omitempty"`
	// Counts are objects by what became of them: created, updated and so on; they
	// and Verdict are set for EventEnded.
	Counts  map[string]int `json:"counts,omitempty"`
	Verdict string         `json:"verdict,omitempty"`
}

// EventObject names an object.
type EventObject struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String names the object as everything here does: "Deployment.apps shop/web".
func (o EventObject) String() string {
	return object.Ref{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}.String()
}

// Pending is an object that the run is still busy with.
type Pending struct {
	Object EventObject `json:"object"`
	// Reason is what it waits for; empty while its request is on the way.
	Reason string `json:"reason,omitempty"`
	// Seconds have passed since the object was started.
	Seconds float64 `json:"seconds"`
}

// ref names the object of an event; empty for events about the run.
func (e Event) ref() string {
	if e.Object == nil {
		return ""
	}
	return e.Object.String()
}

// word is the event's type as a line shows it: of a write the operation.
func (e Event) word() string {
	if e.Type == EventApplied && e.Op != plan.OpNone {
		return string(e.Op)
	}
	return strings.ToLower(e.Type)
}

// text is everything behind the object.
func (e Event) text() string {
	lines := e.Details
	if e.Reason != "" {
		lines = append([]string{e.Reason}, lines...)
	}
	if e.Type == EventSaved {
		lines = append([]string{"record of manifest " + e.Manifest}, lines...)
	}
	return strings.Join(lines, "\n")
}
