package printers

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// PackageQueues prints task queues: each with its tasks, the head first, and a summary.
func PackageQueues(q *report.Queues, o Options) error {
	p := newPrinter(o)
	active, tasks := 0, 0
	for _, name := range slices.Sorted(maps.Keys(q.Queues)) {
		queue := q.Queues[name]
		p.line(fmt.Sprintf("Queue '%s': %d task(s)", cleanCell(name), queue.Length))
		if queue.Length > 0 {
			active++
		}
		tasks += queue.Length
		for _, t := range queue.Tasks {
			p.line(fmt.Sprintf("  %d. %s (enqueued %s, next retry %s)", t.Index, cleanCell(t.Name), cleanCell(t.Enqueued), cleanCell(t.NextRetry)))
			if t.Error != "" {
				p.line("     ", painted(p.paint.bad, "error: "), cleanParagraph(t.Error, "       "))
			}
		}
	}
	p.line(fmt.Sprintf("Summary: %d queue(s), %d active, %d task(s).", len(q.Queues), active, tasks))
	return p.flush()
}
