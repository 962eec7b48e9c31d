package build

import (
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// objects reads kustomize's output, one resource at a time so that each gets the
// position that it was written at.
func (r *reading) objects(built resmap.ResMap) (object.Set, error) {
	var all object.Set
	var errs []error
	for _, res := range built.Resources() {
		set, err := r.load(res)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", res.GetKind(), res.GetName(), err))
			continue
		}
		all.Objects = append(all.Objects, set.Objects...)
		all.Warnings = append(all.Warnings, set.Warnings...)
	}
	return all, errors.Join(errs...)
}

// load reads one resource. Its text is made of the nodes as they were written:
// kustomize's own encoding turns dates into timestamps and rounds large numbers.
func (r *reading) load(res *resource.Resource) (object.Set, error) {
	root := res.YNode()
	quoteWords(root)
	text, err := yaml.String(root)
	if err != nil {
		return object.Set{}, r.discreet(err)
	}
	set, err := object.Load(strings.NewReader(text), "output of kustomize in "+r.file)
	if err != nil {
		return object.Set{}, err
	}
	at := object.Origin{File: r.file}
	for i, o := range set.Objects {
		at = r.origin(o)
		set.Objects[i].Origin = at
	}
	for i := range set.Warnings {
		set.Warnings[i].Origin = at
	}
	return set, nil
}

// quoteWords puts the words into quotes that are booleans for kubectl but text
// for kustomize: yes, no, on, off, y, n.
func quoteWords(n *yaml.Node) {
	for _, c := range n.Content {
		quoteWords(c)
	}
	if n.Kind == yaml.ScalarNode && n.Style == 0 && isWord(n.Value) {
		n.Style = yaml.DoubleQuotedStyle
	}
}

func isWord(text string) bool {
	if len(text) == 0 || len(text) > len("off") {
		return false
	}
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off":
		return true
	}
	return false
}
