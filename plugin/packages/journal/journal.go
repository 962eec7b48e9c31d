package journal

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Limits bound what is kept.
type Limits struct {
	// Lines and Bytes are those of one application.
	Lines, Bytes int
	// Applications bounds how many are remembered, those that are gone included.
	Applications int
}

// DefaultLimits are for a controller with a thousand applications: some megabytes where
// most of them have little to say.
func DefaultLimits() Limits { return Limits{Lines: 400, Bytes: 48 << 10, Applications: 2000} }

// Line is one line of a log.
type Line struct {
	// Number counts the lines of all applications.
	Number  uint64
	Time    time.Time
	Level   slog.Level
	Message string
	// Fields are what is said besides, in its order, without the application.
	Fields []Field
}

// Field is one attribute of a line.
type Field struct{ Key, Value string }

func (l Line) size() int {
	n := len(l.Message) + 64
	for _, f := range l.Fields {
		n += len(f.Key) + len(f.Value) + 32
	}
	return n
}

// Journal keeps lines. It may be used by several goroutines.
type Journal struct {
	limits Limits

	mu      sync.Mutex
	number  uint64
	all     map[string]*pages
	changed chan struct{} // closed with the next line
}

// pages are the lines of one application, the last at the end.
type pages struct {
	lines []Line
	bytes int
	// lost is the number of the last line that went.
	lost uint64
}

// New makes an empty Journal; the zero Limits are DefaultLimits.
func New(l Limits) *Journal {
	if l == (Limits{}) {
		l = DefaultLimits()
	}
	return &Journal{limits: l, all: map[string]*pages{}, changed: make(chan struct{})}
}

// add keeps a line.
func (j *Journal) add(name string, l Line) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.number++
	l.Number = j.number
	p, ok := j.all[name]
	if !ok {
		j.makeRoom()
		p = &pages{}
		j.all[name] = p
	}
	p.lines, p.bytes = append(p.lines, l), p.bytes+l.size()
	for len(p.lines) > 1 && (len(p.lines) > j.limits.Lines || p.bytes > j.limits.Bytes) {
		p.bytes -= p.lines[0].size()
		p.lost = p.lines[0].Number
		p.lines[0] = Line{} // so that its texts are given up with it
		p.lines = p.lines[1:]
	}
	close(j.changed)
	j.changed = make(chan struct{})
}

// makeRoom forgets the application of which nothing was heard for the longest time.
func (j *Journal) makeRoom() {
	for len(j.all) >= max(j.limits.Applications, 1) {
		oldest, last := "", uint64(0)
		for name, p := range j.all {
			if n := p.lines[len(p.lines)-1].Number; oldest == "" || n < last {
				oldest, last = name, n
			}
		}
		delete(j.all, oldest)
	}
}

// Query says which lines are wanted; the zero value is all that are kept.
type Query struct {
	// After is the number of the last line that is known already.
	After uint64
	// Since leaves out what is older.
	Since time.Time
	// Last bounds the lines, and leaves out the older ones; 0 is no bound.
	Last int
}

// Page is what a query gives.
type Page struct {
	Lines []Line
	// Known tells that there are, or were, lines of the application.
	Known bool
	// Next is the number to go on after.
	Next uint64
	// Missed tells that lines after Query.After are not kept any more; without After,
	// that earlier ones aren't.
	Missed bool
}

// Read gives the lines of an application.
func (j *Journal) Read(name string, q Query) Page {
	j.mu.Lock()
	defer j.mu.Unlock()
	page := Page{Next: max(q.After, j.number)}
	p, ok := j.all[name]
	if !ok {
		return page
	}
	page.Known, page.Missed = true, p.lost > q.After
	for _, l := range p.lines {
		if l.Number > q.After && !l.Time.Before(q.Since) {
			page.Lines = append(page.Lines, l)
		}
	}
	if q.Last > 0 && len(page.Lines) > q.Last {
		page.Lines = page.Lines[len(page.Lines)-q.Last:]
	}
	return page
}

// Follow is Read that waits until there is a line, or the context ends, which is no
// error.
func (j *Journal) Follow(ctx context.Context, name string, q Query) Page {
	for {
		j.mu.Lock()
		changed := j.changed
		j.mu.Unlock()
		page := j.Read(name, q)
		if len(page.Lines) > 0 {
			return page
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return page
		}
	}
}
