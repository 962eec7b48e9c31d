package saved

import (
	"fmt"
	"slices"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// About is what Make is told beside the plan itself.
type About struct {
	Created     time.Time
	ToolVersion string
	ClusterUID  string
	Flags       map[string][]string
	KeyedBy     KeySource
	// Hooks are the objects of charts' hooks in their order, each behind a map that
	// says when it is made; see Digester for what is secret in them.
	Hooks []map[string]any
}

// Make binds a plan. The error is an ErrNoKey with the object's name.
func Make(p *plan.Plan, d Digester, about About) (*File, error) {
	mask := d.Masker
	mask.Show = false
	f := &File{
		APIVersion: plan.APIVersion, Kind: Kind, Created: about.Created.UTC().Truncate(time.Second),
		ToolVersion: about.ToolVersion, Flags: about.Flags, KeyedBy: about.KeyedBy,
		Cluster:   ClusterOf(p, about.ClusterUID),
		Manifests: []Manifest{}, Objects: []Object{},
		Report: p.Report(mask),
	}
	if len(about.Hooks) > 0 {
		parts := make([]any, len(about.Hooks))
		for i, h := range about.Hooks {
			parts[i] = h
		}
		var err error
		if f.Hooks, err = d.digest(parts...); err != nil {
			return nil, fmt.Errorf("a hook of a chart: %w", err)
		}
	}
	for _, m := range p.Manifests {
		f.Manifests = append(f.Manifests, manifest(m))
	}
	// With the values that are masked elsewhere: they enter the digests and stay here.
	open := p.Report(object.Masker{Show: true})
	for i, o := range p.Objects {
		bound, err := bind(o, open.Objects[i], d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Ref, err)
		}
		f.Objects = append(f.Objects, bound)
	}
	return f, nil
}

// ClusterOf names the cluster that a plan was made for; uid may be empty.
func ClusterOf(p *plan.Plan, uid string) Cluster {
	return Cluster{UID: uid, Server: p.Context.Server, Context: p.Context.Context}
}

func manifest(m plan.Manifest) Manifest {
	out := Manifest{Name: m.Name, Repair: m.Repair}
	for _, key := range m.Gone {
		out.Gone = append(out.Gone, key.String())
	}
	slices.Sort(out.Gone)
	return out
}

// bind digests one object.
func bind(o *plan.Object, shown plan.ObjectReport, d Digester) (Object, error) {
	out := Object{
		Manifest: o.Manifest, Group: o.Ref.Group, Kind: o.Ref.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name, Op: o.Op,
	}
	var err error
	if o.Desired.Body != nil {
		if out.Input, err = d.digest(o.Desired.Body); err != nil {
			return out, err
		}
	}
	if o.Op == plan.OpNone {
		return out, nil
	}
	if o.Live != nil {
		// The uid stands for all that isn't compared: another object of the same
		// name is another object.
		if out.Seen, err = d.digest(string(o.UID), withKind(shown.Before, o), paths(shown.Differences)); err != nil {
			return out, err
		}
	}
	if o.Op.Writes() {
		out.Intent, err = d.digest(string(o.Op), o.Force, o.Adopt != nil, withKind(o.Send, o), withKind(o.Status, o))
	}
	return out, err
}

// withKind gives a part of an object its kind back, by which it is known what is
// secret in it.
func withKind(body map[string]any, o *plan.Object) map[string]any {
	if body == nil {
		return nil
	}
	out := make(map[string]any, len(body)+2)
	for key, value := range body {
		out[key] = value
	}
	out["kind"] = o.Ref.Kind
	out["apiVersion"] = o.Key.Version
	if o.Ref.Group != "" {
		out["apiVersion"] = o.Ref.Group + "/" + o.Key.Version
	}
	return out
}

// paths are what a report says of differences beside their values.
func paths(list []plan.Difference) []string {
	out := make([]string, 0, len(list))
	for _, d := range list {
		out = append(out, string(d.Verdict)+" "+d.Path)
	}
	return out
}
