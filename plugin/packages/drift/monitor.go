package drift

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// The time between two checks is Period, or Monitor.Every, plus up to a quarter of it,
// chosen anew each time.
const (
	Period = 4 * time.Minute
	spread = 4
)

// Monitor checks all applications. It may be used by several goroutines; its fields are
// not changed once it is used.
type Monitor struct {
	Cluster Cluster
	// Missing is told, from the goroutine of Run, what an application lacks. It must not
	// block for long.
	Missing func(name string, refs []object.Ref)
	// Failed is told what could not be looked at; nil drops that.
	Failed func(error)
	// Clock is the real one if nil.
	Clock clock.Clock
	// Every is the least time between two checks; Period if it is zero.
	Every time.Duration
	// Random gives a number from 0 to n-1; rand.N is one.
	Random func(n time.Duration) time.Duration

	mu    sync.Mutex
	state map[string]*expectation
	turn  int // counts all that may make a look out of date
}

// expectation is what is known of one application.
type expectation struct {
	objects []Object // nil: nothing is checked
	pauses  int
	turn    int // when it was changed last
}

// Expect begins to check for the objects of an application, which is deployed, in the
// place of those before.
func (m *Monitor) Expect(name string, objects []Object) {
	m.change(name, func(e *expectation) { e.objects = slices.Clone(objects) })
}

// Forget ends the check: the application is in maintenance, not deployed, or gone. What
// is paused stays paused.
func (m *Monitor) Forget(name string) {
	m.change(name, func(e *expectation) { e.objects = nil })
}

// Pause stops the check until the function is called that it returns; further calls of
// that one do nothing. Pauses add up.
func (m *Monitor) Pause(name string) (resume func()) {
	m.change(name, func(e *expectation) { e.pauses++ })
	return sync.OnceFunc(func() { m.change(name, func(e *expectation) { e.pauses-- }) })
}

func (m *Monitor) change(name string, by func(*expectation)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.state == nil {
		m.state = map[string]*expectation{}
	}
	e := m.state[name]
	if e == nil {
		e = &expectation{}
		m.state[name] = e
	}
	by(e)
	m.turn++
	e.turn = m.turn
	if e.objects == nil && e.pauses == 0 {
		delete(m.state, name)
	}
}

// Run checks again and again until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	c := m.Clock
	if c == nil {
		c = clock.RealClock{}
	}
	every := m.Every
	if every <= 0 {
		every = Period
	}
	for {
		wait := every
		if m.Random != nil && every >= spread {
			wait += m.Random(every / spread)
		}
		timer := c.NewTimer(wait)
		select {
		case <-timer.C():
			m.Check(ctx)
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// Check looks once and tells what is missing.
func (m *Monitor) Check(ctx context.Context) {
	looked, turns := m.due()
	var all []Object
	for _, name := range slices.Sorted(maps.Keys(looked)) {
		all = append(all, looked[name]...)
	}
	if len(all) == 0 {
		return
	}
	missing, err := Absent(ctx, m.Cluster, all)
	if err != nil && m.Failed != nil && ctx.Err() == nil {
		m.Failed(err)
	}
	absent := make(map[object.Ref]bool, len(missing))
	for _, ref := range missing {
		absent[ref] = true
	}
	for _, name := range slices.Sorted(maps.Keys(looked)) {
		var refs []object.Ref
		for _, o := range looked[name] {
			if absent[o.Ref] {
				refs = append(refs, o.Ref)
			}
		}
		if len(refs) > 0 && m.unchanged(name, turns[name]) {
			m.Missing(name, refs)
		}
	}
}

// due are the applications that are to be checked now.
func (m *Monitor) due() (map[string][]Object, map[string]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out, turns := map[string][]Object{}, map[string]int{}
	for name, e := range m.state {
		if e.pauses == 0 && len(e.objects) > 0 {
			out[name], turns[name] = e.objects, e.turn
		}
	}
	return out, turns
}

// unchanged reports whether nothing was said about an application since a turn.
func (m *Monitor) unchanged(name string, turn int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.state[name]
	return e != nil && e.turn == turn
}
