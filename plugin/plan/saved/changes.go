package saved

import (
	"fmt"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Changes says, a sentence each, in what a plan made now differs from the saved
// one. Both were made with the same key. None: what was saved may be applied.
//
// What is done already is no change, whoever did it: a job that was cut off goes on
// with the same plan.
func Changes(was, now *File) []string {
	var out []string
	if text := was.Cluster.Other(now.Cluster); text != "" {
		return []string{text} // all else would be about another world
	}
	found := map[object.Ref]Object{}
	for _, o := range now.Objects {
		found[o.ref()] = o
	}
	for _, o := range was.Objects {
		current, ok := found[o.ref()]
		delete(found, o.ref())
		if text := o.changed(current, ok); text != "" {
			out = append(out, o.ref().String()+": "+text)
		}
	}
	for _, o := range now.Objects {
		if _, added := found[o.ref()]; added {
			out = append(out, o.ref().String()+": it is not in the saved plan")
		}
	}
	if was.Hooks != now.Hooks {
		out = append(out, "the hooks of charts changed")
	}
	return append(out, records(was, now)...)
}

// Other says that the clusters differ; empty if they are one.
func (c Cluster) Other(now Cluster) string {
	switch {
	case c.UID != "" && now.UID != "":
		if c.UID != now.UID {
			return fmt.Sprintf("the plan was made for another cluster (context %q, %s), this is context %q, %s", c.Context, c.Server, now.Context, now.Server)
		}
	case c.Server != now.Server:
		return fmt.Sprintf("the plan was made for %s, this is %s; whether they are one cluster can't be told without reading namespace kube-system", c.Server, now.Server)
	}
	return ""
}

func (o Object) ref() object.Ref {
	return object.Ref{Group: o.Group, Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

// changed says what is no longer as it was saved; empty for nothing.
func (o Object) changed(now Object, found bool) string {
	switch {
	case !found && o.Op == plan.OpDelete:
		return "" // it is gone
	case !found:
		return "it was to be " + past(o.Op) + " and is no longer part of the plan"
	case o.Input != now.Input:
		return "its files changed"
	case o.Manifest != now.Manifest:
		return fmt.Sprintf("it was of manifest %q and is of manifest %q", o.Manifest, now.Manifest)
	case now.Op == plan.OpNone:
		return "" // it is as wanted
	case o.Op != now.Op:
		return fmt.Sprintf("it was to be %s and would now be %s", past(o.Op), past(now.Op))
	case o.Seen != now.Seen:
		return "it was changed in the cluster"
	case o.Intent != now.Intent:
		return "what would be sent is not what was saved"
	default:
		return ""
	}
}

// past words an operation as what happens to the object.
func past(op plan.Op) string {
	switch op {
	case plan.OpNone:
		return "left as it is"
	case plan.OpCreate, plan.OpUpdate, plan.OpDelete, plan.OpReplace, plan.OpRefuse:
		return string(op) + "d"
	case plan.OpAdopt:
		return "adopted"
	default:
		return string(op)
	}
}

// records says which records would be written otherwise. That an entry leaves its
// record because the plan's deletion is done is no change.
func records(was, now *File) []string {
	var out []string
	current, deleted := map[string]Manifest{}, map[object.Ref]bool{}
	for _, m := range now.Manifests {
		current[m.Name] = m
	}
	for _, o := range was.Objects {
		deleted[o.ref()] = o.Op == plan.OpDelete
	}
	for _, m := range was.Manifests {
		n, ok := current[m.Name]
		delete(current, m.Name)
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("manifest %q: it is no longer part of the plan", m.Name))
		case !m.covers(n, deleted):
			out = append(out, fmt.Sprintf("manifest %q: its record changed", m.Name))
		}
	}
	for _, m := range now.Manifests {
		if _, added := current[m.Name]; added {
			out = append(out, fmt.Sprintf("manifest %q: it is not in the saved plan", m.Name))
		}
	}
	return out
}

// covers tells whether every entry that leaves the record now was to leave it.
func (m Manifest) covers(now Manifest, deleted map[object.Ref]bool) bool {
	return !slices.ContainsFunc(now.Gone, func(text string) bool {
		key, err := state.ParseKey(text)
		return !slices.Contains(m.Gone, text) && (err != nil || !deleted[key.Ref()])
	})
}
