package printers

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// eventObject reads "Deployment.apps shop/web".
func eventObject(name string) *EventObject {
	kind, rest, _ := strings.Cut(name, " ")
	o := EventObject{Name: rest}
	o.Kind, o.Group, _ = strings.Cut(kind, ".")
	if ns, n, ok := strings.Cut(rest, "/"); ok {
		o.Namespace, o.Name = ns, n
	}
	return &o
}

// sampleRun has an event of every type, 1.3 seconds apart.
func sampleRun() []Event {
	web, job := eventObject("Deployment.apps shop/web"), eventObject("Job.batch shop/migrate")
	events := []Event{
		{Type: EventPlanned, Object: web, Op: plan.OpUpdate},
		{Type: EventBegan},
		{Type: EventUnchanged, Object: eventObject("ConfigMap shop/same"), Settled: 1},
		{Type: EventStarted, Object: eventObject("Namespace shop"), Op: plan.OpCreate, Settled: 1},
		{Type: EventApplied, Object: eventObject("Namespace shop"), Op: plan.OpCreate, Settled: 1},
		{Type: "Ready", Object: eventObject("Namespace shop"), Op: plan.OpCreate, Settled: 2},
		{Type: EventStarted, Object: web, Op: plan.OpUpdate, Settled: 2},
		{Type: EventApplied, Object: web, Op: plan.OpUpdate, Settled: 2},
		{Type: EventWaiting, Object: web, Op: plan.OpUpdate, Reason: "0 of 2 replicas are ready", Settled: 2, Seconds: 1.3},
		{Type: EventWaiting, Object: web, Op: plan.OpUpdate, Reason: "0 of 2 replicas are ready", Settled: 2},
		{Type: EventRetrying, Object: job, Op: plan.OpCreate, Reason: "failed calling webhook", Settled: 2, Seconds: 70},
		{Type: EventWaiting, Object: job, Op: plan.OpCreate, Reason: "not complete: 1 active", Settled: 2, Seconds: 71.3},
		{Type: EventProgress, Settled: 2, Seconds: 95, Pending: []Pending{
			{Object: *job, Reason: "not complete: 1 active\nand more", Seconds: 90}, {Object: *web, Seconds: 12},
		}},
		{Type: EventWaiting, Object: web, Op: plan.OpUpdate, Reason: "1 of 2 replicas are ready", Settled: 2},
		{Type: "Warning", Object: web, Op: plan.OpUpdate, Reason: "the server did not take status.phase", Settled: 2},
		{Type: "Ready", Object: web, Op: plan.OpUpdate, Settled: 3},
		{Type: "Failed", Object: job, Op: plan.OpCreate, Reason: "BackoffLimitExceeded: too often", Details: []string{"event FailedCreate: no", "log migrate/m: line one"}, Settled: 4},
		{Type: "Refused", Object: eventObject("Service shop/web"), Op: plan.OpRefuse, Reason: `"operator" owns .spec.type`, Settled: 5},
		{Type: "Skipped", Object: eventObject("Service shop/a"), Op: plan.OpCreate, Reason: "its namespace: failed", Settled: 6},
		{Type: "Kept", Object: eventObject("ConfigMap shop/kept"), Op: plan.OpDelete, Reason: "kept", Settled: 7},
		{Type: "Left", Object: eventObject("ConfigMap shop/left"), Op: plan.OpCreate, Reason: "interrupted before it was started", Settled: 8},
		{Type: "Deleted", Object: eventObject("ConfigMap shop/old"), Op: plan.OpDelete, Settled: 9},
		{Type: EventSaved, Manifest: "shop", Settled: 9},
		{Type: EventEnded, Verdict: "failed", Settled: 9, Seconds: 100.5, Counts: map[string]int{
			"created": 1, "updated": 1, "replaced": 0, "deleted": 1, "unchanged": 1, "kept": 1, "failed": 1, "refused": 1, "skipped": 1, "left": 1,
		}},
	}
	for i := range events {
		events[i].Time = testNow.Add(time.Duration(i) * 1300 * time.Millisecond)
		events[i].Total = 9
	}
	return events
}

func TestProgressGolden(t *testing.T) {
	for name, colors := range map[string]bool{"progress": false, "progress-color": true} {
		var out bytes.Buffer
		p := NewProgress(&out, colors)
		for _, e := range sampleRun() {
			require.NoError(t, p.Print(e))
		}
		golden(t, name, out.Bytes())
	}
}

func TestProgressNamesAFewOfMany(t *testing.T) {
	var out bytes.Buffer
	e := Event{Type: EventProgress, Total: 40}
	for range 12 {
		e.Pending = append(e.Pending, Pending{Object: *eventObject("ConfigMap a/b")})
	}
	require.NoError(t, NewProgress(&out, false).Print(e))
	require.Equal(t, mostPending, strings.Count(out.String(), "ConfigMap a/b"))
	require.Contains(t, out.String(), "and 7 more\n")
}

func waitingFor(name, reason string) Event {
	return Event{Type: EventWaiting, Object: &EventObject{Kind: "A", Name: name}, Reason: reason}
}

func TestProgressTellsChangesOnly(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, false)
	for range 100 {
		require.NoError(t, p.Print(waitingFor("a", "same")))
		require.NoError(t, p.Print(waitingFor("b", "same")))
	}
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
}

func TestProgressIsSafeForConcurrentUse(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out, false)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() { _ = p.Print(waitingFor(strings.Repeat("x", i+1), "")) })
	}
	group.Wait()
	require.Equal(t, 20, strings.Count(out.String(), "\n"))
}

func TestProgressReturnsTheWritersError(t *testing.T) {
	e := waitingFor("a", "")
	require.ErrorIs(t, NewProgress(brokenWriter{os.ErrClosed}, false).Print(e), os.ErrClosed)
	require.ErrorIs(t, NewEventLines(brokenWriter{os.ErrClosed}).Print(e), os.ErrClosed)
}
