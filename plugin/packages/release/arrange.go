package release

import (
	"context"
	"errors"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// Helm's marks on the objects of a release.
const (
	releaseNameAnnotation      = "meta.helm.sh/release-name"
	releaseNamespaceAnnotation = "meta.helm.sh/release-namespace"
	managedByLabel             = "app.kubernetes.io/managed-by"
	managedByHelm              = "Helm"
)

// identity is one release.
type identity struct{ namespace, instance, name string }

// marks are the annotations by which its objects are known.
func (id identity) marks() map[string]string {
	return map[string]string{releaseNameAnnotation: id.name, releaseNamespaceAnnotation: id.namespace}
}

// part is one object of a release with what its annotations say.
type part struct {
	object object.Object
	rules  nelm.Rules
	hook   *chart.Hook // as it was rendered; nil for what is none
}

// arranged is a request, made ready.
type arranged struct {
	parts    []part
	warnings []string
}

// arrange reads the annotations of all objects, gives each its namespace and marks
// those of the release. All faults are told at once.
func (s *Service) arrange(ctx context.Context, id identity, objects []object.Object, hooks []chart.Hook) (arranged, error) {
	var out arranged
	var faults []error
	add := func(o object.Object, rules nelm.Rules, hook *chart.Hook, err error) {
		if err == nil {
			o, err = s.place(ctx, id, o)
		}
		if err != nil {
			faults = append(faults, err)
			return
		}
		if rules.Ownership == nelm.Release {
			marked(o.Body, id)
		}
		for _, w := range rules.Warnings {
			out.warnings = append(out.warnings, o.Ref().String()+": "+w)
		}
		out.parts = append(out.parts, part{object: o, rules: rules, hook: hook})
	}
	for _, o := range objects {
		rules, err := nelm.Read(o)
		add(o, rules, nil, err)
	}
	for _, h := range hooks {
		rules, err := nelm.ReadHook(h)
		add(h.Object, rules, &h, err)
	}
	return out, errors.Join(faults...)
}

// place copies an object and gives it its namespace. Of a kind that isn't served the
// plan will speak.
func (s *Service) place(ctx context.Context, id identity, o object.Object) (object.Object, error) {
	o = o.DeepCopy()
	gvk := o.GVK()
	m, err := s.Cluster.Mapping(ctx, gvk.GroupKind(), gvk.Version)
	if err != nil && ctx.Err() != nil {
		return o, fmt.Errorf("%s: %w", o.Ref(), context.Cause(ctx))
	}
	u := o.Unstructured()
	switch {
	case err == nil && !m.Namespaced:
		u.SetNamespace("")
	case u.GetNamespace() == "":
		u.SetNamespace(id.namespace)
	}
	return o, nil
}

// marked puts Helm's marks on the body of an object of the release.
func marked(body map[string]any, id identity) {
	u := object.Object{Body: body}.Unstructured()
	annotations, labels := u.GetAnnotations(), u.GetLabels()
	if annotations == nil {
		annotations = map[string]string{}
	}
	if labels == nil {
		labels = map[string]string{}
	}
	for key, value := range id.marks() {
		annotations[key] = value
	}
	labels[managedByLabel] = managedByHelm
	u.SetAnnotations(annotations)
	u.SetLabels(labels)
}

// at selects what is deployed at a stage of an action.
func (a arranged) at(action nelm.Action, stage nelm.Stage) []part {
	var out []part
	for _, p := range a.parts {
		if p.rules.At(action, stage) {
			out = append(out, p)
		}
	}
	return out
}

// recorded are the objects that the revision of an action lists: those that belong to
// the release and are deployed by it.
func (r Request) recorded(a arranged, action nelm.Action) []object.Object {
	during := map[object.Ref]bool{}
	for _, p := range a.parts {
		if p.hook == nil && p.rules.During(action) {
			ref := p.object.Ref()
			during[ref], during[object.Ref{Group: ref.Group, Kind: ref.Kind, Name: ref.Name}] = true, true
		}
	}
	var out []object.Object
	for _, o := range r.Objects {
		if during[o.Ref()] {
			out = append(out, o)
		}
	}
	return out
}

// expected are the objects of a release that have to be there at any time, and that an
// upgrade makes again if they aren't. Not so what is deleted when it has done its work,
// what runs for an event only, and what nobody would create again.
func (a arranged) expected() []drift.Object {
	var out []drift.Object
	for _, p := range a.parts {
		switch {
		case p.hook != nil, !p.rules.During(nelm.Upgrade), p.rules.Passing(), p.rules.Has(nelm.SkipCreate):
		case readiness.CleansUp(p.object.Unstructured()):
		default:
			out = append(out, drift.Object{Ref: p.object.Ref(), Version: p.object.GVK().Version})
		}
	}
	return out
}
