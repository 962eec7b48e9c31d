package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	bin := flag.String("bin", "bin", "Directory of kubectl-tazuna, kubectl and controlplane")
	most := flag.Int("most", 1000, "The largest number of objects")
	least := flag.Int("least", 100, "The smallest number of objects")
	flag.Parse()
	if err := run(*bin, *least, *most); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run measures everything on a control plane of its own.
func run(bin string, least, most int) (err error) {
	dir, err := os.MkdirTemp("", "tazuna-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary directory
	bin, err = filepath.Abs(bin)
	if err != nil {
		return err
	}
	w := &world{bin: bin, dir: dir}
	if err := w.start(); err != nil {
		return err
	}
	defer w.stop()
	if err := w.warmUp(); err != nil {
		return err
	}
	var t table
	for _, n := range []int{100, 1000, 10000} {
		if n < least || n > most {
			continue
		}
		if err := w.objects(&t, n); err != nil {
			return err
		}
	}
	if err := w.withLatency(&t, min(most, 1000), 20*time.Millisecond); err != nil {
		return err
	}
	if err := w.text(&t); err != nil {
		return err
	}
	if err := w.startUp(&t); err != nil {
		return err
	}
	t.print(os.Stdout)
	return t.verdict()
}
