package main

import (
	"fmt"
	"time"
)

// life is one set from its first install to its end: what the programs do to it, and
// with what cost.
type life struct {
	w *world
	t *table
	n int
	// delay is added to each request of a client.
	delay  time.Duration
	ours   string
	others []*rival
}

// life measures first install, nothing to do, a hundredth changed, and destroying.
func (w *world) life(t *table, n int, delay time.Duration, withOthers bool) error {
	set := fmt.Sprintf("%d", n)
	if delay > 0 {
		set = "far-" + set
	}
	l := &life{w: w, t: t, n: n, delay: delay, ours: "ours-" + set}
	if withOthers {
		l.others = rivals(set)
	}
	if err := w.all(kubectl("create", "namespace", l.ours)); err != nil {
		return err
	}
	for _, r := range l.others {
		if err := w.all(kubectl("create", "namespace", r.namespace)); err != nil {
			return err
		}
	}
	if delay > 0 {
		if _, err := w.cp("latency", "--add", delay.String()); err != nil {
			return err
		}
		defer func() { _, _ = w.cp("latency", "--add", "0") }() // the control plane ends after us
	}
	return steps(l.install, l.unchanged, l.changed, l.destroy)
}

// name is what the table calls a piece of work.
func (l *life) name(format string) string {
	text := fmt.Sprintf(format, l.n)
	if l.delay > 0 {
		text += fmt.Sprintf(", %s a request", l.delay)
	}
	return text
}

// tazuna measures us.
func (l *life) tazuna(work, verb string, version int, flags ...string) (*row, error) {
	file, err := l.w.mixed(l.ours, l.n, version)
	if err != nil {
		return nil, err
	}
	got, err := l.w.counted(tazuna(append([]string{verb, "-f", file, "--manifest", l.ours, "--summary"}, flags...)...))
	if err != nil {
		return nil, err
	}
	r := newRow(l.name(work), got)
	l.t.add(r)
	return r, nil
}

// against measures the same step of the others. Small sets have no budget of time: most
// of it is the start of both programs.
func (l *life) against(r *row, step func(*rival) func(*world, int, int) (command, error), version int, kubectlLeast, helmLeast float64) error {
	for _, other := range l.others {
		do := step(other)
		if do == nil {
			continue
		}
		measured, err := other.do(l.w, do, l.n, version)
		if err != nil {
			return err
		}
		least := kubectlLeast
		if other.name == "helm" {
			least = helmLeast
		}
		if l.n < 1000 {
			least = 0
		}
		r.against(measured, least)
	}
	return nil
}

// parts is how many parts more than one the record of a large set has. Each is written
// before and after a run, and now and then in between.
func (l *life) parts() int { return max(l.n/1000-1, 0) }

func (l *life) install() error {
	r, err := l.tazuna("first install of %d", "apply", 1, "-y", "--wait=false")
	if err != nil {
		return err
	}
	r.requests(l.n + kinds + 12 + l.parts())
	least := 2.0
	if l.delay > 0 {
		least = 8
	}
	return l.against(r, func(o *rival) func(*world, int, int) (command, error) { return o.install }, 1, least, 1)
}

// unchanged diffs and applies what is as wanted. The second diff may use what the first
// one remembered.
func (l *life) unchanged() error {
	var theirDiffs []line
	for _, what := range []struct{ name, verb string }{{"first diff of %d unchanged", "diff"}, {"diff of %d unchanged", "diff"}, {"apply of %d unchanged", "apply"}} {
		r, err := l.tazuna(what.name, what.verb, 1)
		if err != nil {
			return err
		}
		r.requests(kinds + l.n/500 + 8)
		r.noWrites()
		if l.n == 10000 && l.delay == 0 {
			r.seconds(4)
			r.memory(400)
		}
		if what.verb == "apply" {
			if err := l.against(r, updates, 1, 5, 5); err != nil {
				return err
			}
			continue
		}
		if theirDiffs == nil {
			if theirDiffs, err = l.diffs(1); err != nil {
				return err
			}
		}
		for _, d := range theirDiffs {
			r.against(d, l.unlessSmall(15))
		}
	}
	return nil
}

func updates(o *rival) func(*world, int, int) (command, error) { return o.update }

func (l *life) unlessSmall(least float64) float64 {
	if l.n < 1000 {
		return 0
	}
	return least
}

// diffs measures the diffs of the others once: they have nothing to remember.
func (l *life) diffs(version int) ([]line, error) {
	var out []line
	for _, other := range l.others {
		if other.diff == nil {
			continue
		}
		measured, err := other.do(l.w, other.diff, l.n, version)
		if err != nil {
			return nil, err
		}
		out = append(out, measured)
	}
	return out, nil
}

// changed diffs and applies a set of which a hundredth is new. Only these are asked
// about one by one, twice when they are written. What differs makes its kind be read in
// full, behind its metadata.
func (l *life) changed() error {
	asked := (l.n + 99) / 100
	budget := 2*(kinds+l.n/500) + 24
	r, err := l.tazuna("diff with 1 %% of %d changed", "diff", 2)
	if err != nil {
		return err
	}
	r.requests(budget + asked)
	theirs, err := l.diffs(2)
	if err != nil {
		return err
	}
	for _, d := range theirs {
		r.against(d, l.unlessSmall(5))
	}
	if r, err = l.tazuna("apply with 1 %% of %d changed", "apply", 2, "-y", "--wait=false"); err != nil {
		return err
	}
	r.requests(budget + 2*asked)
	return l.against(r, updates, 2, 2, 1)
}

// destroy deletes everything, and waits until it is gone.
func (l *life) destroy() error {
	got, err := l.w.counted(tazuna("destroy", "--manifest", l.ours, "-y"))
	if err != nil {
		return err
	}
	r := newRow(l.name("destroy of %d"), got)
	l.t.add(r)
	r.requests(l.n + 2*kinds + l.n/500 + 16 + 2*l.parts())
	return l.against(r, func(o *rival) func(*world, int, int) (command, error) { return o.remove }, 2, 2, 1)
}
