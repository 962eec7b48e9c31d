package overview

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// Events picks from the events of a namespace those about an application, about its
// objects, and about what these make (Pods, for one); the last at the end. all are the
// Applications of the namespace: names may begin alike, and each event is of one.
func Events(found []map[string]any, app *api.Application, all []*api.Application) []report.EventLine {
	var picked []readiness.Event
	for _, body := range found {
		if e := readiness.EventOf(body); isOf(e, app, all) {
			picked = append(picked, e)
		}
	}
	slices.SortStableFunc(picked, func(x, y readiness.Event) int { return x.Last.Compare(y.Last) })
	var lines []report.EventLine
	for _, e := range picked {
		line := report.EventLine{Type: e.Type, Reason: e.Reason, Object: e.Kind + "/" + e.Name, Message: e.Message}
		if !e.Last.IsZero() {
			line.Last = e.Last.UTC().Format(time.RFC3339)
		}
		lines = append(lines, line)
	}
	return lines
}

// isOf tells whether nobody has a better claim on an event than an application.
func isOf(e readiness.Event, app *api.Application, all []*api.Application) bool {
	own := claimOf(e, app)
	if own.rank == nobodys {
		return false
	}
	for _, other := range all {
		if other.Name != app.Name && claimOf(e, other).compare(own) > 0 {
			return false
		}
	}
	return true
}

// Ranks of claims.
const (
	nobodys = iota
	// named: it is called as objects of the application are, d8a-INSTANCE-….
	named
	// below: its name begins with that of an object of the last apply.
	below
	// exactly: it is an object of the last apply, or the Application itself.
	exactly
)

// claim is how well an event fits an application: of claims of one rank, the one by
// the longer name is the better.
type claim struct{ rank, length int }

func (c claim) compare(d claim) int {
	return cmp.Or(cmp.Compare(c.rank, d.rank), cmp.Compare(c.length, d.length))
}

func claimOf(e readiness.Event, app *api.Application) claim {
	if e.Kind == api.KindApplication {
		if e.Name == app.Name {
			return claim{rank: exactly}
		}
		return claim{}
	}
	best := claim{}
	if prefix := "d8a-" + app.Name + "-"; strings.HasPrefix(e.Name, prefix) {
		best = claim{named, len(prefix)}
	}
	if app.Status.Tracking == nil {
		return best
	}
	for _, o := range app.Status.Tracking.Report.Operations {
		switch {
		case o.Kind == "":
		case o.Kind == e.Kind && o.Name == e.Name:
			return claim{rank: exactly}
		case strings.HasPrefix(e.Name, o.Name+"-") && (claim{below, len(o.Name)}).compare(best) > 0:
			best = claim{below, len(o.Name)}
		}
	}
	return best
}
