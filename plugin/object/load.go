package object

import (
	"fmt"
	"io"
	"runtime"
	"sync"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Load reads a stream of YAML or JSON documents strictly and returns its
// objects, lists expanded, in order. file names the stream in findings and
// origins. Values are what kubectl reads (YAML 1.1 by sigs.k8s.io/yaml), but
// numbers keep their exact text.
//
// Faults of the input are returned as one *LoadError with all of them: syntax,
// duplicate keys, keys that silently become something else, documents that are
// no objects, objects without apiVersion, kind or name. Documents without
// content are left out, and an input without any object is no fault.
func Load(r io.Reader, file string) (Set, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return Set{}, fmt.Errorf("read %s: %w", file, err)
	}
	documents, finding := split(data, file)
	if finding != nil {
		return Set{}, &LoadError{Findings: []Finding{*finding}}
	}
	var set Set
	var findings []Finding
	for _, d := range readAll(documents) {
		set.Objects = append(set.Objects, d.objects...)
		set.Warnings = append(set.Warnings, d.warnings...)
		findings = append(findings, d.findings...)
	}
	if len(findings) > 0 {
		sortFindings(findings)
		return Set{}, &LoadError{Findings: findings}
	}
	return set, nil
}

// readAll reads the documents side by side: parsing is most of the time that a
// plan of thousands of unchanged objects takes.
func readAll(documents []document) []*reading {
	readings := make([]*reading, len(documents))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(documents)) {
		workers.Go(func() {
			for i := range next {
				readings[i] = read(documents[i])
			}
		})
	}
	for i := range documents {
		next <- i
	}
	close(next)
	workers.Wait()
	return readings
}

// reading is one document on its way to objects.
type reading struct {
	document
	node *yaml.Node // for positions, and for the text of numbers

	objects  []Object
	warnings []Warning
	findings []Finding
}

// read takes a document through the steps. A step that finds a fault is the
// last one, since the next would only find its consequences.
func read(d document) *reading {
	r := &reading{document: d, node: d.json}
	if r.node == nil {
		r.parse()
	}
	if r.node == nil || len(r.findings) > 0 {
		return r
	}
	steps := []func(){r.boundAliases, r.checkKeys}
	for _, step := range steps {
		if step(); len(r.findings) > 0 {
			return r
		}
	}
	value, ok := r.value()
	if !ok || value == nil {
		return r
	}
	r.expand(value, r.node)
	r.nameWarnings()
	return r
}

// origin is the place of a node in the file.
func (r *reading) origin(n *yaml.Node) Origin {
	line := r.line
	if n != nil && n.Line > 0 {
		line += n.Line - 1
	}
	return Origin{File: r.file, Document: r.number, Line: line}
}

func (r *reading) fault(n *yaml.Node, key, text string, args ...any) {
	r.findings = append(r.findings, Finding{Origin: r.origin(n), Key: key, Text: fmt.Sprintf(text, args...)})
}

func (r *reading) warn(n *yaml.Node, text string, args ...any) {
	r.warnings = append(r.warnings, Warning{Origin: r.origin(n), Text: fmt.Sprintf(text, args...)})
}

// nameWarnings says whose the warnings are: the last object that begins before.
func (r *reading) nameWarnings() {
	for i := range r.warnings {
		for _, o := range r.objects {
			if o.Origin.Line <= r.warnings[i].Origin.Line {
				ref := o.Ref()
				r.warnings[i].Ref = &ref
			}
		}
	}
}
