package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// StartTimeout is how long Start waits for the objects of the bindings.
const StartTimeout = time.Minute

// Monitor keeps the snapshots of one set of hooks and calls the hooks. Its fields
// are set once, before Start. Its methods may be called by several goroutines.
type Monitor struct {
	Set     *hook.Set
	Watches *follow.Pool
	Kinds   *Kinds
	// Events takes each run that a change or a schedule calls for.
	Events func(hook.Pending)
	// Failed hears of filters that fail on an object; nil drops that.
	Failed func(error)
	// Clock is the real one if nil.
	Clock clock.WithTicker
	// Timeout bounds the wait of Start; 0 means StartTimeout.
	Timeout time.Duration

	ctx           context.Context // of the filters; ends with Stop
	cancel        context.CancelFunc
	namespaceKind cluster.Mapping

	mu      sync.Mutex
	started bool
	armed   bool
	stopped bool
	bounds  []*bound
	waiting []hook.Pending // called for before Arm
	timer   sync.WaitGroup
}

var _ hook.Source = (*Monitor)(nil)

// Start follows the objects of all bindings that aren't followed yet, and waits
// until they are known. The error names every binding that couldn't be; the others
// are followed then, and Start can be called again.
func (m *Monitor) Start(ctx context.Context) error {
	if err := m.begin(); err != nil {
		return err
	}
	if err := m.findNamespaces(ctx); err != nil {
		return err
	}
	var failures []error
	for _, h := range m.all() {
		for i := range h.Config.Kubernetes {
			if err := m.bind(ctx, h, &h.Config.Kubernetes[i]); err != nil {
				failures = append(failures, err)
			}
		}
	}
	timeout := m.Timeout
	if timeout == 0 {
		timeout = StartTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the server gave no list for %s", timeout))
	defer cancel()
	for _, b := range m.bindings() {
		if err := b.wait(ctx); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

var errStopped = errors.New("the hooks have been stopped")

func (m *Monitor) begin() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return errStopped
	}
	if !m.started {
		m.ctx, m.cancel = context.WithCancel(context.Background())
		m.started = true
	}
	return nil
}

// all lists the hooks that have snapshots, those of readiness too.
func (m *Monitor) all() []*hook.Hook { return slices.Concat(m.Set.Hooks, m.Set.Ready) }

func (m *Monitor) findNamespaces(ctx context.Context) error {
	byLabels := func(k binding.Kubernetes) bool { return k.NamespaceLabels != nil }
	if !slices.ContainsFunc(m.all(), func(h *hook.Hook) bool { return slices.ContainsFunc(h.Config.Kubernetes, byLabels) }) {
		return nil
	}
	found, err := m.Kinds.Discovery.Mapping(ctx, schema.GroupKind{Kind: "Namespace"}, "v1")
	if err != nil {
		return err
	}
	m.namespaceKind = found
	return nil
}

// bind follows one binding, unless that is done.
func (m *Monitor) bind(ctx context.Context, h *hook.Hook, k *binding.Kubernetes) error {
	if m.find(h.ID, k.Name) != nil {
		return nil
	}
	b := &bound{monitor: m, hook: h, config: k, trackers: map[string]*tracked{}}
	mapping, err := m.Kinds.Find(ctx, k.APIVersion, k.Kind)
	if err != nil {
		return b.fault(err)
	}
	b.mapping = mapping
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stopped {
		return errStopped
	}
	m.bounds = append(m.bounds, b)
	b.start()
	return nil
}

func (m *Monitor) find(id, name string) *bound {
	for _, b := range m.bindings() {
		if b.hook.ID == id && b.config.Name == name {
			return b
		}
	}
	return nil
}

func (m *Monitor) bindings() []*bound {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.bounds)
}

// Snapshot gives what a binding sees now.
func (m *Monitor) Snapshot(_ context.Context, id, name string) (snapshot.Snapshot, error) {
	b := m.find(id, name)
	if b == nil {
		return nil, fmt.Errorf("hook %s: its binding %q is not followed yet", id, name)
	}
	return b.snapshot()
}

// Synchronizations are the runs that show hooks the objects that are there, in the
// order of the hooks. awaited are those that the package has to wait for.
func (m *Monitor) Synchronizations() (awaited, others []hook.Pending) {
	for _, h := range m.Set.Hooks {
		for _, k := range h.Config.Kubernetes {
			run := hook.Pending{Hook: h, Triggers: []hook.Trigger{hook.Synchronized(k.Name)}}
			switch {
			case !k.OnSynchronization:
			case k.WaitForSynchronization:
				awaited = append(awaited, run)
			default:
				others = append(others, run)
			}
		}
	}
	return awaited, others
}

// Arm lets changes and schedules call hooks, beginning with what changed since
// Start. Calling it again does nothing.
func (m *Monitor) Arm() {
	m.mu.Lock()
	if m.armed || m.stopped || !m.started {
		m.mu.Unlock()
		return
	}
	m.armed = true
	runs := m.waiting
	m.waiting = nil
	m.timer.Add(1)
	go m.keepTime()
	m.mu.Unlock()
	for _, run := range runs {
		m.Events(run)
	}
}

// call hands a run on, or keeps it until Arm.
func (m *Monitor) call(run hook.Pending) {
	m.mu.Lock()
	if m.stopped {
		m.mu.Unlock()
		return
	}
	if !m.armed {
		m.keep(run)
		m.mu.Unlock()
		return
	}
	m.mu.Unlock()
	m.Events(run)
}

// keepMost bounds the changes of one hook that wait for Arm.
const keepMost = 1000

// keep keeps one run for each hook, with what called for it.
func (m *Monitor) keep(run hook.Pending) {
	for i, w := range m.waiting {
		if w.Hook == run.Hook {
			triggers := append(w.Triggers, run.Triggers...)
			m.waiting[i].Triggers = triggers[max(0, len(triggers)-keepMost):]
			return
		}
	}
	m.waiting = append(m.waiting, run)
}

// keepTime calls hooks at their times, until Stop.
func (m *Monitor) keepTime() {
	defer m.timer.Done()
	clk := m.Clock
	if clk == nil {
		clk = clock.RealClock{}
	}
	table := hook.NewTimetable(m.Set, clk.Now())
	for {
		due, ok := table.Next()
		if !ok {
			return
		}
		timer := clk.NewTimer(due.Sub(clk.Now()))
		select {
		case <-m.ctx.Done():
			timer.Stop()
			return
		case <-timer.C():
		}
		for _, run := range table.Due(clk.Now()) {
			m.call(run)
		}
	}
}

// Ran takes note that a hook has run: its changes since then count anew.
func (m *Monitor) Ran(id string) {
	for _, b := range m.bindings() {
		if b.hook.ID == id {
			b.ran()
		}
	}
}

// Stop ends all watches and schedules, and returns when nothing is left of them. A
// stopped Monitor can't be started again.
func (m *Monitor) Stop() {
	m.mu.Lock()
	m.stopped = true
	bounds := m.bounds
	if m.cancel != nil {
		m.cancel()
	}
	m.mu.Unlock()
	for _, b := range bounds {
		b.stop()
	}
	m.timer.Wait()
}
