package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Queues are task queues, as "packages queue dump" prints them. The shape is
// Deckhouse's; package queue makes it.
type Queues struct {
	Queues map[string]Queue `json:"queues"`
}

// Names lists the queues, for -o name.
func (q *Queues) Names() []string { return slices.Sorted(maps.Keys(q.Queues)) }

// Queue is what one queue holds.
type Queue struct {
	Length int    `json:"length"`
	Tasks  []Task `json:"tasks"`
}

// Task is a task that waits or runs. Index counts from 1, the head.
type Task struct {
	Index int    `json:"index"`
	Name  string `json:"name"`
	// Enqueued is for how long it has been there, NextRetry until it is tried again,
	// as Go writes durations; a negative one is overdue.
	Enqueued  string `json:"enqueued"`
	NextRetry string `json:"next_retry"`
	// Error is that of the last attempt, Attempts how many have failed.
	Error    string `json:"error,omitempty"`
	Attempts int    `json:"attempts,omitempty"`
}

// Shape tells two states of the queues apart: by their tasks, what each failed with,
// and whether it waits; not by durations, which change all the time.
func (q *Queues) Shape() string {
	var b strings.Builder
	for _, name := range q.Names() {
		fmt.Fprintf(&b, "%s:", name)
		for _, t := range q.Queues[name].Tasks {
			fmt.Fprintf(&b, " %d %q %q", t.Index, t.Name, t.Error)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
