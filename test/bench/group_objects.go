package main

import (
	"fmt"
	"time"
)

// kubectlMost is up to how many objects kubectl does the same work; it takes about
// a minute a command for 10,000.
const kubectlMost = 10000

// objects measures the life of a set of n objects: first install, nothing to
// do, a hundredth changed.
func (w *world) objects(t *table, n int) error {
	ours, theirs := fmt.Sprintf("ours-%d", n), fmt.Sprintf("theirs-%d", n)
	for _, ns := range []string{ours, theirs} {
		if _, err := w.run("kubectl", "create", "namespace", ns); err != nil {
			return err
		}
	}
	return steps(
		func() error { return w.firstInstall(t, ours, theirs, n) },
		func() error { return w.unchanged(t, ours, theirs, n) },
		func() error { return w.changed(t, ours, theirs, n) },
	)
}

// warmUp fills the caches of discovery and schemas, which are made once a
// machine and not once a run.
func (w *world) warmUp() error {
	if _, err := w.run("kubectl", "create", "namespace", "warm"); err != nil {
		return err
	}
	file, err := w.mixed("warm", 10, 1)
	if err != nil {
		return err
	}
	apply := []string{"apply", "-f", file, "--manifest", "warm", "--yes", "--wait=false", "--summary"}
	return steps(
		func() error { _, err := w.run("kubectl-tazuna", apply...); return err },
		func() error { _, err := w.run("kubectl-tazuna", apply...); return err },
		func() error { _, err := w.run("kubectl", "diff", "--server-side", "-f", file); return err },
	)
}

// steps runs one after the other until one fails.
func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) firstInstall(t *table, ours, theirs string, n int) error {
	file, err := w.mixed(ours, n, 1)
	if err != nil {
		return err
	}
	got, err := w.counted("kubectl-tazuna", "apply", "-f", file, "--manifest", ours, "-y", "--wait=false", "--summary")
	if err != nil {
		return err
	}
	// The record of a large set has several parts, each written before and after the
	// run, and now and then in between.
	parts := max(n/1000-1, 0)
	r := row{work: fmt.Sprintf("first install of %d", n), got: got, requestBudget: n + kinds + 12 + parts}
	if n <= kubectlMost {
		file, err := w.mixed(theirs, n, 1)
		if err != nil {
			return err
		}
		if r.other, err = w.run("kubectl", "apply", "--server-side", "-f", file); err != nil {
			return err
		}
		if r.otherName = "kubectl apply --server-side"; n >= 1000 {
			r.ratioBudget = 1.0 / 2
		}
	}
	t.add(r)
	return nil
}

// unchanged diffs and applies what is as wanted. The second diff may use what
// the first one remembered.
func (w *world) unchanged(t *table, ours, theirs string, n int) error {
	file, err := w.mixed(ours, n, 1)
	if err != nil {
		return err
	}
	pages := n / 500
	for _, what := range []struct{ name, verb string }{{"first diff of %d unchanged", "diff"}, {"diff of %d unchanged", "diff"}, {"apply of %d unchanged", "apply"}} {
		got, err := w.counted("kubectl-tazuna", what.verb, "-f", file, "--manifest", ours, "--summary")
		if err != nil {
			return err
		}
		r := row{work: fmt.Sprintf(what.name, n), got: got, requestBudget: kinds + pages + 8, noWrites: true}
		if n == 10000 {
			r.secondsBudget, r.memoryBudget = 4, 400
		}
		if n <= kubectlMost {
			if err := w.compareWith(&r, what.verb, theirs, n, 1); err != nil {
				return err
			}
			if r.ratioBudget = 1.0 / 15; what.verb == "apply" {
				r.ratioBudget = 1.0 / 5
			}
			if n < 1000 {
				r.ratioBudget = 0 // mostly the start of both programs
			}
		}
		t.add(r)
	}
	return nil
}

// compareWith does the same with kubectl.
func (w *world) compareWith(r *row, verb, theirs string, n, version int) error {
	file, err := w.mixed(theirs, n, version)
	if err != nil {
		return err
	}
	r.otherName = fmt.Sprintf("kubectl %s --server-side", verb)
	r.other, err = w.run("kubectl", verb, "--server-side", "-f", file)
	return err
}

// changed diffs and applies a set of which a hundredth is new. Only these are asked
// about one by one, twice when they are written.
func (w *world) changed(t *table, ours, theirs string, n int) error {
	file, err := w.mixed(ours, n, 2)
	if err != nil {
		return err
	}
	for _, verb := range []string{"diff", "apply"} {
		args := []string{verb, "-f", file, "--manifest", ours, "--summary"}
		asked := (n + 99) / 100
		if verb == "apply" {
			args = append(args, "--yes", "--wait=false")
			asked *= 2
		}
		got, err := w.counted("kubectl-tazuna", args...)
		if err != nil {
			return err
		}
		// What differs makes its kind be read in full, behind its metadata.
		r := row{work: fmt.Sprintf("%s with 1 %% of %d changed", verb, n), got: got, requestBudget: 2*(kinds+n/500) + asked + 24}
		if n <= kubectlMost {
			if err := w.compareWith(&r, verb, theirs, n, 2); err != nil {
				return err
			}
		}
		t.add(r)
	}
	return nil
}

// withLatency creates objects through a network that takes its time.
func (w *world) withLatency(t *table, n int, delay time.Duration) error {
	if _, err := w.cp("latency", "--add", delay.String()); err != nil {
		return err
	}
	defer func() { _, _ = w.cp("latency", "--add", "0") }()
	ours, theirs := fmt.Sprintf("far-ours-%d", n), fmt.Sprintf("far-theirs-%d", n)
	for _, ns := range []string{ours, theirs} {
		if _, err := w.run("kubectl", "create", "namespace", ns); err != nil {
			return err
		}
	}
	if err := w.firstInstall(t, ours, theirs, n); err != nil {
		return err
	}
	last := &t.rows[len(t.rows)-1]
	last.work += fmt.Sprintf(", %s a request", delay)
	if last.ratioBudget = 1.0 / 8; n < 1000 {
		last.ratioBudget = 0
	}
	return nil
}

// startUp compares the time to the first line.
func (w *world) startUp(t *table) error {
	ours, err := w.bestOf(10, "kubectl-tazuna", "version")
	if err != nil {
		return err
	}
	theirs, err := w.bestOf(10, "kubectl", "version", "--client")
	if err != nil {
		return err
	}
	t.add(row{work: "start-up (version), best of 10", got: ours, other: theirs, otherName: "kubectl version --client", ratioBudget: 1})
	return nil
}
