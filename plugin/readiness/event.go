package readiness

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Event is what an object of kind Event tells about another object.
type Event struct {
	// Type is Normal or Warning.
	Type string
	// Kind and Name are those of the object that it is about.
	Kind, Name string
	// Reason is a word, Message a sentence for people.
	Reason, Message string
	// Last is when it was seen last; zero where nothing that can be read says so.
	Last time.Time
}

// EventOf reads an event, whichever API it came by. What isn't there is empty.
func EventOf(body map[string]any) Event {
	text := func(path ...string) string { s, _, _ := unstructured.NestedString(body, path...); return s }
	return Event{
		Type: text("type"), Kind: text("involvedObject", "kind"), Name: text("involvedObject", "name"),
		Reason: text("reason"), Message: strings.TrimSpace(text("message")), Last: lastSeen(text),
	}
}

// lastSeen is the latest of the times at which an event was seen, of which each API
// fills in its own; that of its making where none is there.
func lastSeen(text func(path ...string) string) time.Time {
	var last time.Time
	for _, path := range [][]string{{"lastTimestamp"}, {"series", "lastObservedTime"}, {"eventTime"}} {
		if at, err := time.Parse(time.RFC3339, text(path...)); err == nil && at.After(last) {
			last = at
		}
	}
	if last.IsZero() {
		last, _ = time.Parse(time.RFC3339, text("metadata", "creationTimestamp")) // zero if it can't be read
	}
	return last
}

// Text is reason and message.
func (e Event) Text() string { return Condition{Reason: e.Reason, Message: e.Message}.Text() }
