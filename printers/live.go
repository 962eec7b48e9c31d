package printers

import (
	"fmt"
	"io"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Live shows a run on a terminal: a table of the objects it is busy with, redrawn
// in place, and above it, as lines that stay, what came to an end. Where the
// terminal can't be drawn on, it prints the lines of Progress. It reads no keys
// and leaves signals alone. It is safe for concurrent use.
type Live struct {
	program *tea.Program
	lines   *Progress
	paint   palette
	// over is closed when the table is gone, for good.
	over  chan struct{}
	close sync.Once
}

// NewLive begins to draw on out, a terminal. Close it before anything else is
// written there.
func NewLive(out io.Writer, colors bool, environment []string) *Live {
	profile := colorprofile.ASCII
	if colors {
		profile = colorprofile.ANSI
	}
	l := &Live{lines: NewProgress(out, colors), paint: newPalette(colors), over: make(chan struct{})}
	l.program = tea.NewProgram(newLiveModel(l.paint), tea.WithOutput(out), tea.WithInput(nil), tea.WithoutSignalHandler(),
		tea.WithEnvironment(environment), tea.WithColorProfile(profile), tea.WithFPS(10))
	go func() {
		defer close(l.over)
		// Without the table the lines go on, so an error needs no one's attention.
		_, _ = l.program.Run()
	}()
	return l
}

// Print takes in an event. The error is that of a line that can't be written.
func (l *Live) Print(e Event) error {
	select {
	case <-l.over:
		return l.lines.Print(e)
	default:
	}
	l.program.Send(e)
	if staysOnScreen(e) {
		l.Println(l.paint.eventLine(e))
	}
	return nil
}

// Println puts a text above the table, where it stays: nothing else may write to
// the terminal meanwhile.
func (l *Live) Println(text string) {
	select {
	case <-l.over:
		_, _ = fmt.Fprintln(l.lines.out, text)
	default:
		l.program.Send(tea.Println(text)())
	}
}

// Close takes the table away and waits until it is gone.
func (l *Live) Close() {
	l.close.Do(func() {
		l.program.Send(liveEnd{})
		<-l.over
	})
}

// staysOnScreen tells the events that are worth a line for good.
func staysOnScreen(e Event) bool {
	switch e.Type {
	case EventWaiting, EventRetrying, EventProgress:
		return false
	default:
		return !isQuiet(e)
	}
}

// liveEnd asks the table to go.
type liveEnd struct{}

// liveTick lets the times in the table go on.
type liveTick time.Time

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return liveTick(t) })
}
