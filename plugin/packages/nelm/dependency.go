package nelm

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Dependency says what has to have become of other objects of the release.
type Dependency struct {
	// ID is the author's name for it.
	ID string
	// Ready: they have to be ready, and not just there. Of a deletion it means nothing.
	Ready bool
	// The objects that are meant; empty means any.
	Group, Version, Kind, Namespace, Name string
}

// Matches reports whether an object is meant.
func (d Dependency) Matches(gvk schema.GroupVersionKind, namespace, name string) bool {
	return (d.Kind == "" || strings.EqualFold(d.Kind, gvk.Kind)) &&
		(d.Group == "" || d.Group == gvk.Group) &&
		(d.Version == "" || d.Version == gvk.Version) &&
		(d.Namespace == "" || d.Namespace == namespace) &&
		(d.Name == "" || d.Name == name)
}

// External is an object of somebody else.
type External struct {
	ID string
	// Kind may also be the name of the resource: deployments, deploy. Group and Version
	// are empty where the annotation doesn't say them.
	Group, Version, Kind string
	// Namespace is empty for that of the release.
	Namespace, Name string
}

// String names the object as the annotation does.
func (e External) String() string {
	name := e.Kind
	if e.Version != "" {
		name += "." + e.Version
	}
	if e.Group != "" {
		name += "." + e.Group
	}
	if e.Namespace != "" {
		return name + "/" + e.Name + " in namespace " + e.Namespace
	}
	return name + "/" + e.Name
}

// dependency reads state=ready,kind=Deployment,name=db. states are those that are
// allowed.
func (a *annotations) dependency(key, prefix string, states ...string) Dependency {
	d := Dependency{ID: strings.TrimPrefix(key, prefix)}
	state, selects := "", false
	for part := range strings.SplitSeq(a.text(key), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		field := map[string]*string{
			"state": &state, "name": &d.Name, "namespace": &d.Namespace, "kind": &d.Kind, "group": &d.Group, "version": &d.Version,
		}[name]
		if !ok || field == nil || value == "" {
			a.fault(key, "wanted state=%s and at least one of name, namespace, kind, group, version, each as NAME=VALUE; found %q", strings.Join(states, "|"), part)
			return d
		}
		*field, selects = value, selects || name != "state"
	}
	switch {
	case !slices.Contains(states, state):
		a.fault(key, "state: wanted %s; found %q", strings.Join(states, " or "), state)
	case !selects:
		a.fault(key, "wanted at least one of name, namespace, kind, group, version; without them it would mean every object")
	}
	d.Ready = state == "ready"
	return d
}

// externals reads the annotations of foreign objects, one for each ID.
func (a *annotations) externals() []External {
	var out []External
	for _, key := range a.keys() {
		id, field, ok := strings.Cut(key, externalSuffix+"/")
		if !ok || id == "" {
			continue
		}
		switch field {
		case "resource":
			out = append(out, a.external(key, id))
		case "namespace", "name":
			if a.text(id+externalSuffix+"/resource") == "" {
				a.fault(key, "there is no %s%s/resource beside it", id, externalSuffix)
			}
		}
	}
	return out
}

func (a *annotations) external(key, id string) External {
	kind, name, _ := strings.Cut(a.text(key), "/")
	e := External{ID: id, Name: name, Namespace: a.text(id + externalSuffix + "/namespace")}
	if other := a.text(id + externalSuffix + "/name"); other != "" {
		e.Name = other
	}
	parts := strings.SplitN(kind, ".", 3)
	e.Kind = parts[0]
	if len(parts) > 1 {
		e.Version = parts[1]
	}
	if len(parts) > 2 {
		e.Group = parts[2]
	}
	if e.Kind == "" || e.Name == "" || strings.Contains(e.Name, "/") {
		a.fault(key, "wanted KIND[.VERSION.GROUP]/NAME; found %q", a.text(key))
	}
	return e
}

// describe names an object in errors.
func describe(o object.Object) string {
	if place := o.Origin.String(); place != "" {
		return place + ": " + o.Ref().String()
	}
	return o.Ref().String()
}

// faultsOf joins what is wrong with an object.
func faultsOf(o object.Object, faults []Note) error {
	if len(faults) == 0 {
		return nil
	}
	texts := make([]string, 0, len(faults))
	for _, f := range faults {
		texts = append(texts, "annotation "+f.Annotation+": "+f.Text)
	}
	return fmt.Errorf("%s: %s", describe(o), strings.Join(texts, "; "))
}
