package standin

import (
	"bytes"
	"sync"
	"time"
)

// logLimit bounds the lines kept of one log.
const logLimit = 20_000

// logLine is one line of a log.
type logLine struct {
	at   time.Time
	text string
}

// logBuffer keeps the last lines written to it.
type logBuffer struct {
	mu      sync.Mutex
	lines   []logLine
	dropped int
	partial []byte
}

func newLogBuffer() *logBuffer { return &logBuffer{} }

// Write takes output of a process; a last line without its end waits for more.
func (b *logBuffer) Write(raw []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.partial = append(b.partial, raw...)
	for {
		line, rest, found := bytes.Cut(b.partial, []byte("\n"))
		if !found {
			return len(raw), nil
		}
		b.push(logLine{at: time.Now(), text: string(line)})
		b.partial = rest
	}
}

func (b *logBuffer) add(at time.Time, text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.push(logLine{at: at, text: text})
}

func (b *logBuffer) push(line logLine) {
	if len(b.lines) >= logLimit {
		half := len(b.lines) / 2
		b.lines = append([]logLine{}, b.lines[half:]...)
		b.dropped += half
	}
	b.lines = append(b.lines, line)
}

// from returns the lines after the first n ever written, and how many there
// have been by now.
func (b *logBuffer) from(n int) ([]logLine, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	skip := min(max(n-b.dropped, 0), len(b.lines))
	return append([]logLine{}, b.lines[skip:]...), b.dropped + len(b.lines)
}
