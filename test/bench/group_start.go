package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// startUp compares the time to the first line.
func (w *world) startUp(t *table) error {
	ours, err := w.bestOf(10, tazuna("version", "--client"))
	if err != nil {
		return err
	}
	theirs, err := w.bestOf(10, kubectl("version", "--client"))
	if err != nil {
		return err
	}
	others, err := w.bestOf(10, helm("version"))
	if err != nil {
		return err
	}
	r := newRow("start-up (version --client), best of 10", ours)
	r.against(line{program: "kubectl version --client", outcome: theirs}, 1)
	r.against(line{program: "helm version", outcome: others}, 0)
	t.add(r)
	return nil
}

// sizeBudget is how many times as large as kubectl our program may be: it links what
// kubectl does, Helm's engine and the judging of schemas.
const sizeBudget = 1.25

// binarySize compares the programs on the disk, in the column of memory.
func (w *world) binarySize(t *table) error {
	sizes := map[string]float64{}
	for _, name := range []string{"kubectl-tazuna", "kubectl", "helm"} {
		info, err := os.Stat(filepath.Join(w.bin, name))
		if err != nil {
			return err
		}
		sizes[name] = float64(info.Size()) / (1 << 20)
	}
	size := func(name string) outcome {
		return outcome{mebibyte: sizes[name], seconds: -1, cpu: -1, requests: -1, writes: -1}
	}
	r := newRow("size of the program", size("kubectl-tazuna"))
	r.note(sizes["kubectl-tazuna"] <= sizeBudget*sizes["kubectl"], true, "≤ %g × kubectl", sizeBudget)
	for _, name := range []string{"kubectl", "helm"} {
		r.against(line{program: fmt.Sprintf("%s (%.2f×)", name, sizes[name]/sizes["kubectl-tazuna"]), outcome: size(name)}, 0)
	}
	t.add(r)
	return nil
}
