package main

import (
	"fmt"
	"os"
	"strings"
)

// longText is the number of lines of a text diff.
const longText = 20000

// text measures the text diff of one large object, from files and so without a
// cluster: the program's start, reading, comparing and printing.
func (w *world) text(t *table) error {
	before, err := w.long("before", 0)
	if err != nil {
		return err
	}
	for _, what := range []struct {
		name  string
		every int
	}{{"a line in a hundred changed", 100}, {"every line changed", 1}} {
		after, err := w.long("after", what.every)
		if err != nil {
			return err
		}
		got, err := w.bestOf(3, tazuna("diff", "-f", after, "--against", before))
		if err != nil {
			return err
		}
		if got.code != 1 {
			return fmt.Errorf("text diff, %s: exit code %d, wanted 1", what.name, got.code)
		}
		r := newRow(fmt.Sprintf("text diff of %d lines, %s, best of 3", longText, what.name), got)
		r.seconds(0.3)
		r.memory(100)
		t.add(r)
	}
	return nil
}

// long is a ConfigMap of as many lines; in every n-th of them a word differs.
func (w *world) long(name string, every int) (string, error) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: long, namespace: bench}\ndata:\n")
	for i := range longText {
		word := "same"
		if every > 0 && i%every == 0 {
			word = "other"
		}
		fmt.Fprintf(&b, "  line-%05d: %q\n", i, "some text, "+word)
	}
	path := w.path(name + ".yaml")
	return path, os.WriteFile(path, []byte(b.String()), 0o600)
}
