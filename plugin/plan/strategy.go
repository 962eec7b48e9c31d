package plan

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// LeftAlone reports whether the object is never compared, written or recorded.
func (s Strategy) LeftAlone() bool { return s.Exists || s.Noop }

// words are how the table names a strategy that bears on an operation.
func (s Strategy) words(op Op) string {
	switch {
	case op == OpCreate && s.Create == CreateOrUpdate:
		return "fallback on update"
	case op == OpCreate && s.Create == CreateOrUpdateOrNothing:
		return "fallback on update or noop"
	case op == OpUpdate && s.Update == UpdateReplace:
		return "fallback on replace"
	case op == OpReplace && s.Update == UpdateReplace:
		return "fallback on replace"
	case op == OpReplace:
		return "always replace"
	case op == OpSkip:
		return "skip"
	default:
		return ""
	}
}

// decideLeftAlone plans an object that somebody else makes, or that is left as it
// is. Only one that has to be there and isn't is anything to do: it is waited for.
func (o *Object) decideLeftAlone(live *unstructured.Unstructured) {
	switch {
	case live != nil:
		setLive(o, live)
	case !o.Strategy.Noop:
		o.Op, o.Reason = OpExists, "it isn't there yet: somebody else has to make it (kapp.k14s.io/exists)"
	}
}

// byStrategy turns the operation of an object that differs into the one that its
// update strategy asks for. What the server refuses as an update was turned into a
// replacement before, see blocked.
func (p Planner) byStrategy(ctx context.Context, o *Object, ready prepared) {
	switch {
	case o.Strategy.Update == UpdateSkip && (o.Op.Writes() && o.Op != OpAdopt || o.Op == OpRefuse || o.Op == OpBlocked):
		o.Op, o.Adopt, o.Status = OpSkip, nil, nil
		o.Notes = append(o.Notes, "it is never updated: kapp.k14s.io/update-strategy is skip")
	case o.Strategy.Update == AlwaysReplace && o.Op == OpUpdate:
		p.replaceAlways(ctx, o, ready)
	}
}

// replaceAlways plans a replacement, unless the server wouldn't take the new
// object: then the old one had better stay.
func (p Planner) replaceAlways(ctx context.Context, o *Object, ready prepared) {
	if refused := p.probe(ctx, o); refused != nil {
		o.Op, o.Adopt, o.Status = OpBlocked, nil, nil
		o.Reason = "not replaced, since the server refuses the new object: " + o.reason(refused, causesOf(refused))
		return
	}
	o.Op, o.Adopt, o.Status = OpReplace, nil, ready.status
	if o.evidence != nil {
		o.after = o.evidence.desired
	}
}

// forget takes objects out of the record that the files now leave to somebody else;
// nothing happens to the objects.
func forget(out *Plan, list []*wanted, gone map[string][]state.Key) {
	for _, w := range list {
		if w.recorded && w.out.Strategy.Exists && w.out.Err == nil {
			gone[w.out.Manifest] = append(gone[w.out.Manifest], w.entry.Key)
			out.Warnings = append(out.Warnings, fmt.Sprintf("%s is somebody else's by its annotation %s: it leaves the record", w.out.Ref, config.KappExists))
		}
	}
}
