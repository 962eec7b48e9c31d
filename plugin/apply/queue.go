package apply

import (
	"container/heap"
	"time"
)

// nodeQueue gives the node first that comes first in the graph's sequence.
type nodeQueue []*node

func (q nodeQueue) Len() int           { return len(q) }
func (q nodeQueue) Less(i, j int) bool { return q[i].position < q[j].position }
func (q nodeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *nodeQueue) Push(x any) {
	n, _ := x.(*node)
	*q = append(*q, n)
}

// Pop is for container/heap.
func (q *nodeQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func (r *run) enqueue(n *node) {
	n.phase = phaseQueued
	heap.Push(&r.queue, n)
}

// startQueued starts attempts as long as there are places.
func (r *run) startQueued() {
	for len(r.queue) > 0 && r.inflight < r.bound() {
		if n, ok := heap.Pop(&r.queue).(*node); ok && n.phase == phaseQueued {
			r.begin(n)
		}
	}
}

// timer is something to do later. Timers are not withdrawn: what they call looks
// whether it still matters.
type timer struct {
	at time.Time
	do func()
}

type timerQueue []timer

func (q timerQueue) Len() int           { return len(q) }
func (q timerQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q timerQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *timerQueue) Push(x any) {
	t, _ := x.(timer)
	*q = append(*q, t)
}

// Pop is for container/heap.
func (q *timerQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// after lets the loop call do when d has passed.
func (r *run) after(d time.Duration, do func()) {
	heap.Push(&r.timers, timer{at: r.clock.Now().Add(d), do: do})
}

// nextTimer gives a channel for the earliest timer and how to stop it.
func (r *run) nextTimer() (<-chan time.Time, func()) {
	if len(r.timers) == 0 {
		return nil, func() {}
	}
	t := r.clock.NewTimer(max(0, r.timers[0].at.Sub(r.clock.Now())))
	return t.C(), func() { t.Stop() }
}

func (r *run) fireTimers() {
	now := r.clock.Now()
	for len(r.timers) > 0 && !r.timers[0].at.After(now) {
		if t, ok := heap.Pop(&r.timers).(timer); ok {
			t.do()
		}
	}
}
