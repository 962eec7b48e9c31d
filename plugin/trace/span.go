package trace

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// Attribute is a fact about a span. Value is a string, a bool or an int.
type Attribute struct {
	Key   string
	Value any
}

// maxSpans bounds what one run keeps: a file of thousands of manifests is no reason to
// send thousands of spans.
const maxSpans = 2000

// Recorder keeps the spans of a run. It may be used by several goroutines.
type Recorder struct {
	now   func() time.Time
	trace [16]byte

	mu      sync.Mutex
	spans   []*Span
	dropped int
}

// NewRecorder starts a trace. now is the clock of its spans.
func NewRecorder(now func() time.Time) *Recorder {
	r := &Recorder{now: now}
	_, _ = rand.Read(r.trace[:]) // never fails
	return r
}

// Span is a part of a run. A nil Span, of a run that isn't traced, takes everything.
type Span struct {
	recorder *Recorder
	name     string
	id       [8]byte
	parent   [8]byte // zero for the outermost
	start    time.Time

	mu         sync.Mutex
	end        time.Time
	attributes []Attribute
	failure    string
}

type (
	recorderKey struct{}
	spanKey     struct{}
)

// With makes the spans of a context be kept by a recorder.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Start begins a span below the context's, and gives the context of what is below it.
// Without a recorder both are as before and nil.
func Start(ctx context.Context, name string, attributes ...Attribute) (context.Context, *Span) {
	r, _ := ctx.Value(recorderKey{}).(*Recorder)
	if r == nil {
		return ctx, nil
	}
	s := &Span{recorder: r, name: name, start: r.now(), attributes: attributes}
	_, _ = rand.Read(s.id[:])
	if parent, _ := ctx.Value(spanKey{}).(*Span); parent != nil {
		s.parent = parent.id
	}
	return context.WithValue(ctx, spanKey{}, s), s
}

// Current is the span of a context, nil without one.
func Current(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}

// Set adds facts.
func (s *Span) Set(attributes ...Attribute) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attributes = append(s.attributes, attributes...)
}

// End ends a span; err, if any, is what it failed with. Only the first End counts.
func (s *Span) End(err error) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.end.IsZero() {
		return
	}
	s.end = s.recorder.now()
	if err != nil {
		s.failure = err.Error()
	}
	s.recorder.keep(s)
}

func (r *Recorder) keep(s *Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spans) >= maxSpans && s.parent != ([8]byte{}) {
		r.dropped++
		return
	}
	r.spans = append(r.spans, s)
}
