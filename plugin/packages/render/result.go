package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Result is what a package renders to.
type Result struct {
	Objects   []object.Object // in the order in which Helm installs kinds
	Hooks     []chart.Hook    // by template; chart.Result has their order of execution
	Endpoints []Endpoint
	Warnings  []object.Warning
	Lookups   []chart.Lookup // what templates asked the cluster
}

func newResult(rendered *chart.Result, labels map[string]string) (*Result, error) {
	r := &Result{
		Objects: rendered.Objects, Hooks: rendered.Hooks, Warnings: rendered.Warnings, Lookups: rendered.Lookups,
	}
	if err := r.distinct(); err != nil {
		return nil, err
	}
	for _, o := range r.All() {
		if err := label(o, labels); err != nil {
			return nil, err
		}
	}
	r.Endpoints = Endpoints(r.Objects)
	return r, nil
}

// All returns objects and hooks.
func (r *Result) All() []object.Object {
	all := append([]object.Object{}, r.Objects...)
	for _, h := range r.Hooks {
		all = append(all, h.Object)
	}
	return all
}

// HooksAt returns the hooks of an event in their order.
func (r *Result) HooksAt(e chart.Event) []chart.Hook {
	return (&chart.Result{Hooks: r.Hooks}).HooksAt(e)
}

// distinct refuses an object that is there twice.
func (r *Result) distinct() error {
	seen := map[object.Ref]object.Origin{}
	var twice []string
	for _, o := range r.All() {
		if first, there := seen[o.Ref()]; there {
			twice = append(twice, fmt.Sprintf("%s is there twice: %s; %s", o.Ref(), first, o.Origin))
			continue
		}
		seen[o.Ref()] = o.Origin
	}
	if len(twice) > 0 {
		return fmt.Errorf("%s", strings.Join(twice, "\n"))
	}
	return nil
}

// Manifest writes objects and hooks as a stream of YAML documents, each with the
// template that it comes from. It holds Secrets as they are.
func (r *Result) Manifest() ([]byte, error) {
	var out strings.Builder
	for _, o := range r.All() {
		text, err := object.EncodeYAML(o.Body)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", o.Ref(), err)
		}
		out.WriteString("---\n# Source: " + o.Origin.File + "\n")
		out.Write(text)
	}
	return []byte(out.String()), nil
}

// Digest names the result by its content: what decides whether a release has to be
// upgraded.
func (r *Result) Digest() (string, error) {
	manifest, err := r.Manifest()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(manifest)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}
