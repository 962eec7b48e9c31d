package printers

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/fatih/color"
)

// Progress prints events as lines, for CI and for terminals without a live view:
//
//	15:04:05 wait     Deployment.apps default/web: 1 of 3 replicas are ready
//
// An event that says the same of an object as the one before is left out, and so
// are the beginnings of things, and objects that are as wanted. It is safe for
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
	said := e.word() + "\x00" + e.text()
	if isQuiet(e) || e.Type != EventProgress && p.last[e.ref()] == said {
		return nil
	}
	p.last[e.ref()] = said
	_, err := io.WriteString(p.out, p.paint.eventLine(e)+"\n")
	return err
}

// isQuiet tells the events that need no line of their own.
func isQuiet(e Event) bool {
	switch e.Type {
	case EventBegan, EventPlanned, EventStarted, EventUnchanged, EventEnded:
		return true
	default:
		return false
	}
}

// eventLine is an event in one line, or more where a reason has more.
func (p palette) eventLine(e Event) string {
	word, text := e.word(), e.text()
	if e.Type == EventProgress {
		word, text = "waiting", pendingText(e)
	}
	line := e.Time.Format(time.TimeOnly) + " " + painted(p.event(word), fmt.Sprintf("%-8s", cleanCell(word)))
	if ref := e.ref(); ref != "" {
		line += " " + cleanCell(ref)
		if text != "" {
			line += ":"
		}
	}
	if text != "" {
		line += " " + cleanParagraph(text, "         ")
	}
	return line
}

// mostPending bounds the objects that a heartbeat names.
const mostPending = 5

// pendingText is a heartbeat: how far the run is, and what keeps it.
func pendingText(e Event) string {
	lines := []string{fmt.Sprintf("%d of %d objects done after %s, still busy with %d",
		e.Settled, e.Total, seconds(e.Seconds), len(e.Pending))}
	for i, p := range e.Pending {
		if i == mostPending {
			lines = append(lines, fmt.Sprintf("  and %d more", len(e.Pending)-i))
			break
		}
		line := fmt.Sprintf("  %s for %s", p.Object, seconds(p.Seconds))
		if p.Reason != "" {
			first, _, _ := strings.Cut(p.Reason, "\n")
			line += ": " + first
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// seconds rounds a time to what a reader cares for.
func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}

// event gives the colour of what an event is called.
func (p palette) event(word string) *color.Color {
	switch word {
	case "ready", "create", "created":
		return p.good
	case "delete", "deleted":
		return p.removed
	case "update", "updated", "warning", "replace":
		return p.warn
	case "failed", "refused", "blocked":
		return p.bad
	}
	return nil
}
