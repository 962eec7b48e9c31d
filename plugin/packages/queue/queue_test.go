package queue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	testclock "k8s.io/utils/clock/testing"
)

const patience = 10 * time.Second

// eventually waits for something that another goroutine brings about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, patience, time.Millisecond, what)
}

func newSet(t *testing.T) (*Set, *testclock.FakeClock) {
	t.Helper()
	clock := testclock.NewFakeClock(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
	s := New(Options{Clock: clock})
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background(), errors.New("end of the test"))) })
	return s, clock
}

// calls notes what was done, in its order.
type calls struct {
	mu  sync.Mutex
	all []string
}

func (c *calls) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, text)
}

func (c *calls) get() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.all...)
}

func TestOrder(t *testing.T) {
	s, _ := newSet(t)
	var done calls
	for _, name := range []string{"a", "b", "c", "d"} {
		require.True(t, s.Add("ns.app", Task{
			Name: name, Do: func(context.Context, any) error { done.note(name); return nil },
			Done: func(err error) { require.NoError(t, err); done.note(name + " done") },
		}))
	}
	eventually(t, "all done", func() bool { return len(done.get()) == 8 })
	assert.Equal(t, "a,a done,b,b done,c,c done,d,d done", strings.Join(done.get(), ","))
}

// TestComplaint5RetryDelays: an ever failing task waits 15 s, then doubles, and
// never more than 2 h; a success begins anew.
func TestComplaint5RetryDelays(t *testing.T) {
	assert.Equal(t, Retry{15 * time.Second, 2 * time.Hour}, DefaultRetry())
	var delays []string
	for failures := 1; failures <= 12; failures++ {
		delays = append(delays, DefaultRetry().After(failures).String())
	}
	assert.Equal(t, "15s 30s 1m0s 2m0s 4m0s 8m0s 16m0s 32m0s 1h4m0s 2h0m0s 2h0m0s 2h0m0s", strings.Join(delays, " "))

	s, clock := newSet(t)
	var tries calls
	var told calls
	s.Add("ns.app", Task{Name: "Load", Do: func(context.Context, any) error {
		tries.note("try")
		if len(tries.get()) == 4 {
			return nil
		}
		return errors.New("registry is away")
	}, Failed: func(err error, next time.Time) { told.note(err.Error() + " " + next.Sub(clock.Now()).String()) }})
	s.Add("ns.app", Task{Name: "Run", Do: func(context.Context, any) error { return errors.New("no") }})
	for try, delay := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute} {
		eventually(t, "a pause", func() bool { return len(tries.get()) == try+1 && clock.HasWaiters() })
		head := s.Dump("ns.app").Queues["ns.app"].Tasks[0]
		assert.Equal(t, TaskDump{1, "Load", head.Enqueued, rounded(delay), "registry is away", try + 1}, head)
		clock.Step(delay - time.Second)
		assert.Len(t, tries.get(), try+1, "not before its time")
		clock.Step(time.Second)
	}
	eventually(t, "the next task", func() bool {
		d := s.Dump("").Queues["ns.app"]
		return d.Length == 1 && d.Tasks[0].Name == "Run" && d.Tasks[0].NextRetry == "15s"
	})
	assert.Equal(t, []string{"registry is away 15s", "registry is away 30s", "registry is away 1m0s"}, told.get())
}

// TestComplaint8DroppedWithItsCause: what ends a task is told in words.
func TestComplaint8DroppedWithItsCause(t *testing.T) {
	s, clock := newSet(t)
	cause := errors.New("update superseded")
	operation, end := context.WithCancelCause(t.Context())
	var done calls
	told := func(name string) func(error) { return func(err error) { done.note(name + ": " + err.Error()) } }
	s.Add("q", Task{Name: "fails", Context: operation, Done: told("fails"), Do: func(context.Context, any) error { return errors.New("no") }})
	s.Add("q", Task{Name: "waits", Context: operation, Done: told("waits"), Do: func(context.Context, any) error { return nil }})
	s.Add("q", Task{Name: "other", Do: func(context.Context, any) error { done.note("other done"); return nil }})
	eventually(t, "a pause", func() bool { return clock.HasWaiters() })
	end(cause)
	eventually(t, "the other", func() bool { return len(done.get()) == 3 })
	assert.Equal(t, []string{"fails: update superseded", "waits: update superseded", "other done"}, done.get())
}

// TestRunningTaskIsTold: a task that runs sees the end of its operation.
func TestRunningTaskIsTold(t *testing.T) {
	s, _ := newSet(t)
	operation, end := context.WithCancelCause(t.Context())
	begun, got, done := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	s.Add("q", Task{Context: operation, Done: func(err error) { done <- err }, Do: func(ctx context.Context, _ any) error {
		close(begun)
		<-ctx.Done()
		got <- context.Cause(ctx)
		return ctx.Err()
	}})
	<-begun
	end(errors.New("removal started"))
	assert.EqualError(t, <-got, "removal started")
	assert.EqualError(t, <-done, "removal started")
}

func TestUnique(t *testing.T) {
	s, _ := newSet(t)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var done calls
	task := Task{Name: "Run", Key: "run", Do: func(context.Context, any) error { done.note("run"); return nil }}
	first := task
	first.Do = func(context.Context, any) error { close(begun); <-goOn; return nil }
	require.True(t, s.Add("q", first))
	<-begun
	assert.True(t, s.Add("q", task), "the one that runs may have seen less")
	assert.False(t, s.Add("q", task), "one waits")
	assert.True(t, s.Add("other", task), "another queue")
	close(goOn)
	eventually(t, "both", func() bool { return len(done.get()) == 2 })
	eventually(t, "empty", func() bool { return s.Dump("q").Queues["q"].Length == 0 })
	assert.True(t, s.Add("q", task))
}

// TestComplaint14OneQueueHoldsUpNoOther: a task that never ends delays its own queue
// only.
func TestComplaint14OneQueueHoldsUpNoOther(t *testing.T) {
	s, _ := newSet(t)
	begun := make(chan struct{})
	s.Add("ns.stuck", Task{Do: func(ctx context.Context, _ any) error { close(begun); <-ctx.Done(); return nil }})
	<-begun
	for _, name := range []string{"ns.a", "ns.stuck/main", "ns.stuck2"} {
		done := make(chan error, 1)
		s.Add(name, Task{Do: func(context.Context, any) error { return nil }, Done: func(err error) { done <- err }})
		require.NoError(t, <-done)
	}
}

func TestMerge(t *testing.T) {
	s, _ := newSet(t)
	begun, goOn := make(chan struct{}), make(chan struct{})
	s.Add("q", Task{Do: func(context.Context, any) error { close(begun); <-goOn; return nil }})
	<-begun
	var done calls
	add := func(payload string) {
		s.Add("q", Task{
			Payload: payload, Done: func(err error) { require.NoError(t, err); done.note("end " + payload) },
			Do: func(_ context.Context, p any) error { done.note(p.(string)); return nil },
			Merge: func(p any, waiting []any) (any, []int) {
				all, taken := p.(string), []int(nil)
				for i, w := range waiting {
					if w != nil && w.(string)[0] == all[0] {
						all, taken = all+w.(string), append(taken, i)
					}
				}
				return all, taken
			},
		})
	}
	for _, p := range []string{"a1", "b1", "a2", "b2", "a3"} {
		add(p)
	}
	close(goOn)
	eventually(t, "all", func() bool { return len(done.get()) == 7 })
	assert.Equal(t, []string{"a1a2a3", "end a1", "end a2", "end a3", "b1b2", "end b1", "end b2"}, done.get())
}

func TestDelayBeforeMerge(t *testing.T) {
	s, clock := newSet(t)
	begin := clock.Now().Add(5 * time.Second)
	var done calls
	s.Add("q", Task{
		Do:    func(context.Context, any) error { done.note("ran"); return nil },
		Delay: func(any) time.Duration { return begin.Sub(clock.Now()) },
	})
	eventually(t, "a pause", func() bool { return clock.HasWaiters() })
	assert.Empty(t, done.get())
	clock.Step(5 * time.Second)
	eventually(t, "its run", func() bool { return len(done.get()) == 1 })
}

func TestDropBelow(t *testing.T) {
	s, _ := newSet(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	cause := errors.New("hooks are stopped")
	var done calls
	s.Add("ns.a/main", Task{
		Do:   func(ctx context.Context, _ any) error { close(begun); <-ctx.Done(); close(ended); return ctx.Err() },
		Done: func(err error) { done.note(err.Error()) },
	})
	s.Add("ns.a/main", Task{Do: func(context.Context, any) error { return nil }, Done: func(err error) { done.note(err.Error()) }})
	s.Open("ns.a")
	s.Open("ns.ab/main")
	<-begun
	require.NoError(t, s.DropBelow(t.Context(), "ns.a", cause))
	<-ended
	assert.Equal(t, []string{"hooks are stopped", "hooks are stopped"}, done.get())
	assert.Equal(t, Dump{map[string]QueueDump{"ns.a": {0, []TaskDump{}}, "ns.ab/main": {0, []TaskDump{}}}}, s.Dump(""))
}

// TestRemoveFromWithin: a task ends its own queue, and the name can be used again.
func TestRemoveFromWithin(t *testing.T) {
	s, _ := newSet(t)
	done := make(chan error, 2)
	s.Add("q", Task{
		Do:   func(context.Context, any) error { s.Remove("q", nil); return nil },
		Done: func(err error) { done <- err },
	})
	require.NoError(t, <-done, "what succeeded has succeeded")
	assert.Empty(t, s.Dump("").Queues)
	s.Add("q", Task{Do: func(context.Context, any) error { return nil }, Done: func(err error) { done <- err }})
	require.NoError(t, <-done)
}

func TestRetryNow(t *testing.T) {
	s, clock := newSet(t)
	var tries calls
	s.Add("q", Task{Do: func(context.Context, any) error { tries.note("x"); return errors.New("no") }})
	eventually(t, "a pause", func() bool { return clock.HasWaiters() })
	eventually(t, "told to", func() bool { return s.Retry("q") })
	eventually(t, "another try", func() bool { return len(tries.get()) == 2 })
	assert.False(t, s.Retry("other"))
}

// TestPanicIsAFailure: what a task panicked with may be a secret and is told nowhere;
// where it was is in the log.
func TestPanicIsAFailure(t *testing.T) {
	var log bytes.Buffer
	s := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	failed := make(chan error, 1)
	s.Add("q", Task{Do: func(context.Context, any) error { panic("hunter2") }, Failed: func(err error, _ time.Time) { failed <- err }})
	err := <-failed
	require.EqualError(t, err, "panic: a string")
	var panicked *PanicError
	require.ErrorAs(t, err, &panicked)
	assert.Contains(t, string(panicked.Stack), "TestPanicIsAFailure")
	assert.Equal(t, "panic: a string", s.Dump("q").Queues["q"].Tasks[0].Error)
	require.NoError(t, s.Close(t.Context(), nil))
	assert.Contains(t, log.String(), "TestPanicIsAFailure")
	assert.NotContains(t, fmt.Sprint(log.String(), err), "hunter2")
}

// TestIdleQueuesHaveNoGoroutine: a thousand instances cost nothing while nothing is
// to be done.
func TestIdleQueuesHaveNoGoroutine(t *testing.T) {
	before := runtime.NumGoroutine()
	s, _ := newSet(t)
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Add(1)
		s.Add("ns.app"+string(rune('a'+i%26))+strings.Repeat("x", i/26), Task{
			Do: func(context.Context, any) error { return nil }, Done: func(error) { wg.Done() },
		})
	}
	wg.Wait()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		runtime.Gosched()
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before, "no worker")
	assert.Len(t, s.Dump("").Queues, 1000)
	require.NoError(t, s.Close(t.Context(), errors.New("stop")))
	assert.False(t, s.Add("q", Task{}), "nothing after the end")
}
