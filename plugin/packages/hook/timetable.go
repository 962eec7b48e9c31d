package hook

import (
	"slices"
	"time"
)

// Timetable says when time alone calls the hooks of a set: at the times of their
// schedules, and where a kubernetes binding repeats its synchronization
// (resynchronizationPeriod).
//
// It belongs to one set: with the set, all of its times are gone. It is a value
// without a clock of its own and for one goroutine.
type Timetable struct {
	rows []row
	last time.Time // the latest time that it was asked for
}

// row is one crontab or period.
type row struct {
	hook    *Hook
	trigger Trigger
	after   func(time.Time) time.Time
	due     time.Time
}

// NewTimetable begins at now: periods are counted from there.
func NewTimetable(set *Set, now time.Time) *Timetable {
	t := &Timetable{last: now}
	for _, h := range slices.Concat(set.Hooks, set.Ready) {
		for _, s := range h.Config.Schedules {
			t.rows = append(t.rows, row{hook: h, trigger: Scheduled(s.Name), after: s.Times.Next})
		}
		for _, k := range h.Config.Kubernetes {
			if k.Resynchronization > 0 {
				after := func(t time.Time) time.Time { return t.Add(k.Resynchronization) }
				t.rows = append(t.rows, row{hook: h, trigger: Synchronized(k.Name), after: after})
			}
		}
	}
	t.plan(now)
	return t
}

// plan makes all rows due after now.
func (t *Timetable) plan(now time.Time) {
	for i := range t.rows {
		t.rows[i].due = t.rows[i].after(now)
	}
}

// Next tells when the next hook is due. ok is false where no hook ever is.
func (t *Timetable) Next() (due time.Time, ok bool) {
	for _, r := range t.rows {
		if !ok || r.due.Before(due) {
			due, ok = r.due, true
		}
	}
	return due, ok
}

// Due gives the runs that are due at now, in the order of their times, and goes on to
// the next ones. What was missed because nobody asked, such as on a machine that
// slept, is one run and not many. A clock that was set back begins anew.
func (t *Timetable) Due(now time.Time) []Pending {
	if now.Before(t.last) {
		t.plan(now)
	}
	t.last = now
	var due []row
	for i, r := range t.rows {
		if r.due.After(now) {
			continue
		}
		due = append(due, r)
		t.rows[i].due = r.after(now)
	}
	slices.SortStableFunc(due, func(a, b row) int { return a.due.Compare(b.due) })
	var runs []Pending
	for _, r := range due {
		same := func(p Pending) bool { return p.Hook == r.hook && p.Triggers[0] == r.trigger }
		if !slices.ContainsFunc(runs, same) {
			runs = append(runs, Pending{Hook: r.hook, Triggers: []Trigger{r.trigger}})
		}
	}
	return runs
}
