package printers

import (
	"fmt"
	"io"
	"os"
	"strings"
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
	// drawn is closed when the table has been drawn for the first time. Lines can't
	// be put above it before, and are held back.
	drawn chan struct{}
	mu    sync.Mutex
	held  []string
	// ending is set once the table has been asked to go. What it is sent behind that
	// it does not read, so lines are held back until it is gone.
	ending bool
}

// NewLive begins to draw on out, a terminal. Close it before anything else is
// written there.
func NewLive(out io.Writer, colors bool, environment []string) *Live {
	profile := colorprofile.ASCII
	if colors {
		profile = colorprofile.ANSI
	}
	l := &Live{
		lines: NewProgress(out, colors), paint: newPalette(colors),
		over: make(chan struct{}), drawn: make(chan struct{}),
	}
	l.program = tea.NewProgram(newLiveModel(l.paint), tea.WithOutput(watched(out, sync.OnceFunc(l.release))), tea.WithInput(nil),
		tea.WithoutSignalHandler(), tea.WithEnvironment(environment), tea.WithColorProfile(profile), tea.WithFPS(framesPerSecond))
	go func() {
		// Without the table the lines go on, so an error needs no one's attention.
		_, _ = l.program.Run()
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, text := range l.held {
			_, _ = fmt.Fprintln(out, text)
		}
		l.held = nil
		close(l.over)
	}()
	return l
}

const framesPerSecond = 10

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
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.over:
		_, _ = fmt.Fprintln(l.lines.out, text)
		return
	default:
	}
	if l.ready() {
		l.program.Send(tea.Println(text)())
		return
	}
	l.held = append(l.held, text)
}

// ready tells whether the table takes lines.
func (l *Live) ready() bool {
	select {
	case <-l.drawn:
		return !l.ending
	default:
		return false
	}
}

// release lets the lines out that waited for the first drawing. It is called by
// the drawing itself, so it must not wait for the table.
func (l *Live) release() {
	go func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		close(l.drawn)
		if l.ready() && len(l.held) > 0 {
			l.program.Send(tea.Println(strings.Join(l.held, "\n"))())
			l.held = nil
		}
	}()
}

// Close takes the table away and waits until it is gone.
func (l *Live) Close() {
	l.close.Do(func() {
		l.mu.Lock()
		l.ending = true
		l.mu.Unlock()
		l.program.Send(liveEnd{})
		<-l.over
	})
}

// Kill gives the terminal back at once, when the process is about to end.
func (l *Live) Kill() { l.program.Kill() }

// watched calls wrote after each write. A terminal stays recognisable as one.
func watched(out io.Writer, wrote func()) io.Writer {
	if f, ok := out.(*os.File); ok {
		return &watchedFile{File: f, wrote: wrote}
	}
	return &watchedWriter{Writer: out, wrote: wrote}
}

type watchedFile struct {
	*os.File
	wrote func()
}

// Write is for io.Writer.
func (w *watchedFile) Write(p []byte) (int, error) {
	defer w.wrote()
	return w.File.Write(p)
}

type watchedWriter struct {
	io.Writer
	wrote func()
}

// Write is for io.Writer.
func (w *watchedWriter) Write(p []byte) (int, error) {
	defer w.wrote()
	return w.Writer.Write(p)
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
