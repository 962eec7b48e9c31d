package plan

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// Against compares built objects with other built objects, without a cluster:
// base stands where the live objects and the last apply stand otherwise. There
// is no schema then, so lists are compared by position, and nobody's ownership. Of
// the rules, which may be nil, those that hide values count.
func Against(desired, base []object.Object, rules *config.KappConfig) *Plan {
	out := &Plan{rules: rules}
	old := make(map[object.Ref]object.Object, len(base))
	for _, o := range base {
		old[o.Ref()] = o
	}
	wanted := map[object.Ref]bool{}
	for _, o := range desired {
		wanted[o.Ref()] = true
		before, exists := old[o.Ref()]
		out.Objects = append(out.Objects, againstOne(o, before, exists))
	}
	for _, o := range base {
		if !wanted[o.Ref()] {
			out.Objects = append(out.Objects, &Object{
				Ref: o.Ref(), Key: state.KeyOf("", o), Op: OpDelete, Live: o.Body, before: comparable(o.Body),
			})
		}
	}
	return out
}

func againstOne(o, base object.Object, exists bool) *Object {
	out := &Object{Ref: o.Ref(), Key: state.KeyOf("", o), Desired: o, after: comparable(o.Body)}
	if !exists {
		out.Op = OpCreate
		return out
	}
	out.Live, out.before = base.Body, comparable(base.Body)
	// Between two sets of files a null or an empty list is what somebody wrote.
	for _, f := range (&comparer{exact: true, custom: true}).both(out.after, out.before) {
		v := VerdictChange
		if !f.d.ok {
			v = VerdictRemove
		}
		out.Differences = append(out.Differences, difference(f, v, ownership{adopted: func(Author) bool { return false }}))
	}
	if len(out.Differences) > 0 {
		out.Op = OpUpdate
	}
	return out
}

// both walks two bodies, the status included.
func (c *comparer) both(want, have map[string]any) []finding {
	c.files = true
	c.walk(scope{}, some(want), value{}, some(have))
	return c.out.findings
}
