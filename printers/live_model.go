package printers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const (
	// mostRows bounds the table; it also leaves a third of the screen free.
	mostRows = 15
	barWidth = 20
)

// liveModel is the table of what a run is busy with. Each Update takes in one
// message and View draws; neither touches anything outside.
type liveModel struct {
	paint          palette
	width, height  int
	begun, now     time.Time
	settled, total int
	rows           []liveRow // in the order of their starts
	ended          bool
}

// liveRow is one object.
type liveRow struct {
	ref, word, reason string
	since             time.Time
}

func newLiveModel(p palette) liveModel { return liveModel{paint: p, width: 80, height: 24} }

// Init is for tea.Model.
func (m liveModel) Init() tea.Cmd { return tick() }

// Update is for tea.Model.
func (m liveModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case liveTick:
		m.now = time.Time(msg)
		return m, tick()
	case Event:
		return m.take(msg), nil
	case liveEnd:
		m.ended = true
		return m, tea.Quit
	}
	return m, nil
}

// take brings the table up to date with an event.
func (m liveModel) take(e Event) liveModel {
	if m.begun.IsZero() {
		m.begun = e.Time
	}
	if e.Time.After(m.now) {
		m.now = e.Time
	}
	m.settled, m.total = e.Settled, e.Total
	ref := e.ref()
	if ref == "" || e.Type == EventPlanned || e.Type == "Warning" {
		return m
	}
	at := slices.IndexFunc(m.rows, func(r liveRow) bool { return r.ref == ref })
	begun := e.Time.Add(-time.Duration(e.Seconds * float64(time.Second)))
	switch row := (liveRow{ref: ref, word: e.word(), reason: e.Reason, since: begun}); {
	case !isBusy(e) && at < 0:
	case !isBusy(e):
		m.rows = slices.Delete(slices.Clone(m.rows), at, at+1)
	case at < 0:
		m.rows = append(slices.Clone(m.rows), row)
	default:
		m.rows = slices.Clone(m.rows)
		m.rows[at] = row
	}
	return m
}

// isBusy tells the events after which more is to come of the object. After a write
// there may be nothing to wait for.
func isBusy(e Event) bool {
	switch e.Type {
	case EventStarted, EventWaiting, EventRetrying:
		return true
	default:
		return false
	}
}

// View is for tea.Model.
func (m liveModel) View() tea.View {
	v := tea.View{DisableBracketedPasteMode: true}
	if !m.ended {
		v.Content = strings.Join(m.lines(), "\n")
	}
	return v
}

// lines are the table as it is drawn, none wider than the screen.
func (m liveModel) lines() []string {
	room := min(mostRows, max(1, m.height*2/3-2))
	shown := m.rows[:min(room, len(m.rows))]
	wide := 0
	for _, r := range shown {
		wide = max(wide, ansi.StringWidth(cleanCell(r.ref)))
	}
	wide = min(wide, m.width/2)
	lines := []string{m.header()}
	for _, r := range shown {
		lines = append(lines, m.line(r, wide))
	}
	if more := len(m.rows) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], max(1, m.width-1), "…")
	}
	return lines
}

func (m liveModel) header() string {
	done := 0
	if m.total > 0 {
		done = barWidth * m.settled / m.total
	}
	bar := "[" + strings.Repeat("#", done) + strings.Repeat("-", barWidth-done) + "]"
	return fmt.Sprintf("%s %d of %d done, %s", painted(m.paint.good, bar), m.settled, m.total, m.age(m.begun))
}

func (m liveModel) line(r liveRow, wide int) string {
	ref := ansi.Truncate(cleanCell(r.ref), wide, "…")
	ref += strings.Repeat(" ", max(0, wide-ansi.StringWidth(ref)))
	reason, _, _ := strings.Cut(r.reason, "\n")
	line := fmt.Sprintf("  %s  %s  %5s", ref, painted(m.paint.event(r.word), fmt.Sprintf("%-8s", r.word)), m.age(r.since))
	if reason != "" {
		line += "  " + cleanCell(reason)
	}
	return line
}

func (m liveModel) age(since time.Time) time.Duration {
	return max(0, m.now.Sub(since)).Round(time.Second)
}
