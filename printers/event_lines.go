package printers

import (
	"encoding/json"
	"io"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// EventKind is the kind of each line of `-o events`, of version plan.APIVersion.
const EventKind = "Event"

// EventLines writes events as JSON, one a line, each by itself and at once. It is
// safe for concurrent use.
type EventLines struct {
	mu      sync.Mutex
	encoder *json.Encoder
}

// NewEventLines writes to out, normally stdout.
func NewEventLines(out io.Writer) *EventLines {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return &EventLines{encoder: encoder}
}

// Print writes one line. A reader that has left must not end a run, so the error
// is only worth a log line.
func (l *EventLines) Print(e Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.encoder.Encode(struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Event
	}{plan.APIVersion, EventKind, e})
}
