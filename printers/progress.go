package printers

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/fatih/color"
)

// Event is one step of a run as it is told on stderr.
type Event struct {
	Time time.Time
	// Kind is what happens: create, update, adopt, replace, delete, wait, ready,
	// deleted, failed, refused, warning; others print without a colour.
	Kind string
	// Ref names the object; empty for the run itself.
	Ref string
	// Message adds a state or a reason; may be empty.
	Message string
}

// Progress prints events as lines, for CI and for terminals without a live view:
//
//	15:04:05 wait     Deployment.apps default/web: 1 of 3 replicas are ready
//
// An event that says the same of an object as the one before is left out, so a
// wait that polls prints a line only when something changes. It is safe for
// concurrent use.
type Progress struct {
	paint palette
	mu    sync.Mutex
	out   io.Writer
	last  map[string]string // object → what was said of it last
}

// NewProgress prints to out, normally stderr, whose own colour state is wanted.
func NewProgress(out io.Writer, colors bool) *Progress {
	return &Progress{paint: newPalette(colors), out: out, last: map[string]string{}}
}

// Print writes an event in the event's own time zone. Whoever waits for a run
// must not lose it over a closed stderr, so the error is only worth a log line.
func (p *Progress) Print(e Event) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	said := e.Kind + "\x00" + e.Message
	if p.last[e.Ref] == said {
		return nil
	}
	p.last[e.Ref] = said
	_, err := io.WriteString(p.out, p.format(e))
	return err
}

func (p *Progress) format(e Event) string {
	line := e.Time.Format(time.TimeOnly) + " " + painted(p.color(e.Kind), fmt.Sprintf("%-8s", cleanCell(e.Kind)))
	if e.Ref != "" {
		line += " " + cleanCell(e.Ref)
		if e.Message != "" {
			line += ":"
		}
	}
	if e.Message != "" {
		line += " " + cleanParagraph(e.Message, "         ")
	}
	return line + "\n"
}

func (p *Progress) color(kind string) *color.Color {
	switch kind {
	case "ready", "create", "created":
		return p.paint.good
	case "delete", "deleted":
		return p.paint.removed
	case "update", "updated", "warning", "replace":
		return p.paint.warn
	case "failed", "refused", "blocked":
		return p.paint.bad
	}
	return nil
}
