package queue

import (
	"time"
)

// Dump is the state of queues, in the shape that "packages queue dump" prints.
type Dump struct {
	Queues map[string]QueueDump `json:"queues"`
}

// QueueDump is one queue.
type QueueDump struct {
	Length int        `json:"length"`
	Tasks  []TaskDump `json:"tasks"`
}

// TaskDump is a task that waits or runs. Index counts from 1, which is the head.
type TaskDump struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	// Enqueued is how long it has been in the queue, NextRetry how long until it is
	// tried again, as Go writes durations; negative: it is overdue, 0s: it has not
	// failed.
	Enqueued  string `json:"enqueued"`
	NextRetry string `json:"next_retry"`
	// Error is that of the last attempt, Attempts how many have failed.
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
}

// Dump tells what is in the queue of an instance and those below it; "" is all queues.
func (s *Set) Dump(instance string) Dump {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	all := Dump{Queues: map[string]QueueDump{}}
	for name, q := range s.queues {
		if instance != "" && !of(name, instance) {
			continue
		}
		d := QueueDump{Length: len(q.entries), Tasks: make([]TaskDump, len(q.entries))}
		for i, e := range q.entries {
			d.Tasks[i] = e.dump(i+1, now)
		}
		all.Queues[name] = d
	}
	return all
}

func (e *entry) dump(index int, now time.Time) TaskDump {
	d := TaskDump{Index: index, Name: e.Name, Enqueued: rounded(now.Sub(e.enqueued)), NextRetry: "0s", Attempts: e.failures}
	if e.err != nil {
		d.Error = e.err.Error()
	}
	if !e.next.IsZero() {
		d.NextRetry = rounded(e.next.Sub(now))
	}
	return d
}

// rounded writes a duration to the second, below one to the millisecond.
func rounded(d time.Duration) string {
	if d.Abs() < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
