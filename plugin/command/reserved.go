package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// refuseReserved refuses objects that would be written over one of our own
// records: with its record a manifest loses what it knows to be its own.
func refuseReserved(results []build.Result) error {
	var found []error
	for _, r := range results {
		for _, o := range r.Objects {
			if reserved(o.Ref()) {
				found = append(found, fmt.Errorf("%s: %s is a name for the records of this tool: choose another name or namespace", o.Origin, o.Ref()))
			}
		}
	}
	return errors.Join(found...)
}

// reserved reports whether an object is, or could be, part of a record.
func reserved(ref object.Ref) bool {
	if ref.Namespace != state.Namespace {
		return false
	}
	switch (object.Ref{Group: ref.Group, Kind: ref.Kind}) {
	case object.Ref{Kind: "ConfigMap"}:
		return strings.HasPrefix(ref.Name, state.StateName(""))
	case object.Ref{Kind: "Secret"}:
		return strings.HasPrefix(ref.Name, state.BodiesName("")) || ref.Name == state.HashKeyName
	case object.Ref{Group: "coordination.k8s.io", Kind: "Lease"}:
		return strings.HasPrefix(ref.Name, state.LockName(""))
	default:
		return false
	}
}

// disputed says of the objects that an earlier manifest has with another content why
// they are refused.
func disputed(r build.Result) map[object.Ref]string {
	out := map[object.Ref]string{}
	for _, o := range r.Objects {
		first, ok := r.Claimed[o.Ref()]
		if !ok {
			continue
		}
		as := ""
		if theirs, ours := first.Object.GVK().GroupVersion(), o.GVK().GroupVersion(); theirs != ours {
			as = fmt.Sprintf(", as %s instead of %s,", theirs, ours)
		}
		out[o.Ref()] = fmt.Sprintf("manifest %s has it%s with another content (%s, here %s) and stands first in the file: take it out of one of the two",
			first.Manifest, as, first.Object.Origin, o.Origin)
	}
	return out
}

// disputes joins the errors of objects that two manifests have, where no plan refuses
// them.
func disputes(results []build.Result) error {
	var all []error
	for _, r := range results {
		all = append(all, r.Disputes())
	}
	return errors.Join(all...)
}
