package printers

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frames draws the table after each event of the sample.
func frames(colors bool) string {
	var out strings.Builder
	m := newLiveModel(newPalette(colors))
	for _, e := range sampleRun() {
		m = m.take(e)
		fmt.Fprintf(&out, "--- %s %s\n%s\n", e.Type, e.ref(), m.View().Content)
	}
	return out.String()
}

func TestLiveGolden(t *testing.T) {
	golden(t, "live", []byte(frames(false)))
	golden(t, "live-color", []byte(frames(true)))
	require.Equal(t, frames(false), stripColor(frames(true)))
}

func TestLiveFitsTheScreen(t *testing.T) {
	m := newLiveModel(newPalette(true))
	for i := range 100 {
		e := waitingFor(fmt.Sprintf("%d-%s", i, strings.Repeat("名", 50)), strings.Repeat("reason\x1b[2J", 50))
		e.Total = 100
		m = m.take(e)
	}
	for _, size := range []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 20, Height: 5}, {Width: 1, Height: 1}, {Width: 400, Height: 200}, {}} {
		next, _ := m.Update(size)
		lines := strings.Split(next.View().Content, "\n")
		assert.LessOrEqual(t, len(lines), max(3, size.Height), size)
		for _, line := range lines {
			assert.LessOrEqual(t, ansi.StringWidth(line), max(1, size.Width), size)
			assert.NotContains(t, line, "\x1b[2J", "texts can't move the cursor")
		}
	}
}

func TestLiveTimesGoOn(t *testing.T) {
	e := waitingFor("a", "why")
	e.Time, e.Total = testNow, 1
	m := newLiveModel(newPalette(false)).take(e)
	next, cmd := m.Update(liveTick(testNow.Add(65 * time.Second)))
	require.NotNil(t, cmd, "the next tick")
	assert.Contains(t, next.View().Content, "1m5s  why")
}

func TestLiveLeavesLines(t *testing.T) {
	var out lockedBuffer
	l := NewLive(&out, false, []string{"TERM=xterm"})
	for _, e := range sampleRun() {
		require.NoError(t, l.Print(e))
	}
	l.Println("Warning: of the server")
	l.Close()
	l.Close()
	text := out.String()
	for _, want := range []string{"create   Namespace shop", "failed   Job.batch shop/migrate: BackoffLimitExceeded", "Warning: of the server", "saved    record of manifest shop"} {
		assert.Contains(t, text, want)
	}
	for _, query := range []string{"\x1b[?2026$p", "\x1b[c", "\x1b[?u", "\x1b[?2004h", "\x1b[>", " q"} {
		assert.NotContains(t, text, query, "nothing that asks the terminal for an answer or changes a mode")
	}
	assert.Equal(t, strings.Count(text, "\x1b[?25l"), strings.Count(text, "\x1b[?25h"), "the cursor is back")

	require.NoError(t, l.Print(waitingFor("late", "after the end")))
	l.Println("so it is")
	assert.Contains(t, out.String(), "waiting  A late: after the end\nso it is\n", "what comes late is a line")
}

// No line is lost at the end, whether or not the table has been drawn by then.
func TestLiveLosesNoLine(t *testing.T) {
	for round := range 200 {
		var out lockedBuffer
		l := NewLive(&out, false, []string{"TERM=xterm"})
		var lines sync.WaitGroup
		lines.Go(func() { l.Println("beside the end") })
		if round%20 == 0 {
			time.Sleep(time.Second / framesPerSecond) // about when it is drawn
		}
		l.Println("before the end")
		l.Close()
		lines.Wait()
		require.Contains(t, out.String(), "before the end", round)
		require.Contains(t, out.String(), "beside the end", round)
	}
}

func TestLiveFallsBackToLines(t *testing.T) {
	l := NewLive(brokenWriter{os.ErrClosed}, false, nil)
	for range 3 {
		_ = l.Print(waitingFor("a", "b"))
	}
	l.Close()
	require.ErrorIs(t, l.Print(waitingFor("a", "c")), os.ErrClosed)
}

// lockedBuffer is written by the table's goroutine.
type lockedBuffer struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.String()
}
