package printers

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// PackageScheduler prints the nodes of the scheduler as a table, by effective order
// and name.
func PackageScheduler(s *report.Scheduler, o Options) error {
	p := newPrinter(o)
	names := slices.SortedFunc(maps.Keys(s.Nodes), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Nodes[a].EffectiveOrder, s.Nodes[b].EffectiveOrder), cmp.Compare(a, b))
	})
	t := &table{header: []string{"NAME", "VERSION", "STATE", "ORDER", "EFFECTIVE", "DECISION", "SCHEDULE", "REASON"}}
	for _, name := range names {
		n := s.Nodes[name]
		decision := cell{text: cleanCell(n.Decision.Kind), color: p.paint.good}
		if n.Decision.Kind != "enable" {
			decision.color = p.paint.bad
		}
		t.add(cell{text: cleanCell(name)}, cell{text: cleanCell(n.Version)}, cell{text: cleanCell(n.State)},
			cell{text: strconv.Itoa(n.Order)}, cell{text: strconv.Itoa(n.EffectiveOrder)}, decision,
			cell{text: cleanCell(n.ScheduleReason)}, cell{text: cleanCell(whyDecided(n.Decision))})
	}
	if len(t.rows) == 0 {
		p.line("No nodes.")
		return p.flush()
	}
	t.print(p)
	return p.flush()
}

func whyDecided(d report.Decision) string {
	if d.Reason == "" || d.Message == "" {
		return d.Reason + d.Message
	}
	return d.Reason + ": " + d.Message
}
