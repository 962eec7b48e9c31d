package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	bin         string
	least, most int
	// othersFar is up to how many objects the other programs work through the slow
	// network, which takes them a minute for each 1,000 and command.
	othersFar int
	groups    []string
	counts    bool
	// idle is for how long a controller is watched that has nothing to do.
	idle time.Duration
}

// sizes are the numbers of objects of a set.
var sizes = []int{100, 1000, 10000}

// allGroups name the groups in their order.
var allGroups = []string{"life", "far", "state", "text", "controller", "start"}

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "Directory of kubectl-tazuna, kubectl, helm and controlplane")
	flag.IntVar(&o.most, "most", 1000, "The largest number of objects: 100, 1000 or 10000")
	flag.IntVar(&o.least, "least", 100, "The smallest number of objects")
	flag.IntVar(&o.othersFar, "others-far", 1000, "Up to how many objects kubectl and helm are measured with added latency")
	flag.BoolVar(&o.counts, "counts", false, "Fail by requests only, not by times and memory: for a busy machine")
	groups := flag.String("groups", strings.Join(allGroups, ","), "What to measure: life (install to destroy), far (the same with 20 ms a request), state (its commands), text, controller, start")
	flag.DurationVar(&o.idle, "idle", 30*time.Second, "For how long an idle controller is watched")
	flag.Parse()
	o.groups = strings.Split(*groups, ",")
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// check refuses what would measure nothing.
func (o options) check() error {
	for _, g := range o.groups {
		if !slices.Contains(allGroups, g) {
			return fmt.Errorf("-groups: wanted some of %s, found %q", strings.Join(allGroups, ","), g)
		}
	}
	if len(o.sizes()) == 0 {
		return fmt.Errorf("-least %d, -most %d: no number of objects lies between them, wanted one of %v", o.least, o.most, sizes)
	}
	return nil
}

func (o options) sizes() []int {
	return slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return n < o.least || n > o.most })
}

// run measures everything on a control plane of its own. What was measured is
// printed also if something fails.
func run(o options) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tazuna-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	w := &world{bin: o.bin, dir: dir}
	if err := w.start(); err != nil {
		return err
	}
	defer w.stop()
	if err := w.warmUp(); err != nil {
		return err
	}
	var t table
	err = w.measure(o, &t)
	t.print(os.Stdout)
	return errors.Join(err, t.verdict(o.counts))
}

// measure goes through the groups.
func (w *world) measure(o options, t *table) error {
	groups := map[string]func() error{
		"life": func() error {
			return forEach(o.sizes(), func(n int) error { return w.life(t, n, 0, true) })
		},
		"far": func() error {
			return forEach(o.sizes(), func(n int) error { return w.life(t, n, 20*time.Millisecond, n <= o.othersFar) })
		},
		"state":      func() error { return w.stateCommands(t, slices.Max(o.sizes())) },
		"text":       func() error { return w.text(t) },
		"controller": func() error { return w.idle(t, o.sizes(), o.idle) },
		"start": func() error {
			return steps(func() error { return w.startUp(t) }, func() error { return w.binarySize(t) })
		},
	}
	for _, name := range o.groups {
		if err := groups[name](); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func forEach(numbers []int, do func(n int) error) error {
	for _, n := range numbers {
		if err := do(n); err != nil {
			return fmt.Errorf("%d objects: %w", n, err)
		}
	}
	return nil
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
