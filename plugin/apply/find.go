package apply

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// errNotMade is what an attempt meets as long as nobody has made the object.
var errNotMade = errors.New("it doesn't exist yet: somebody else has to make it (kapp.k14s.io/exists)")

// find looks for an object that somebody else makes. It writes nothing.
func (a attempt) find() report {
	rep := report{planned: a.planned, step: a.step}
	if err := a.resolve(&rep); err != nil {
		return a.refusal(rep, err)
	}
	o := rep.planned
	live, err := a.exec.Client.Get(a.work, o.Mapping, o.Ref.Namespace, o.Ref.Name)
	switch {
	case err == nil:
		rep.done, rep.answer = doneFound, live
	case a.missing(o, err):
		rep.done, rep.err = donePassing, errNotMade
	default:
		return a.refusal(rep, err)
	}
	return rep
}

// found goes on with an object that somebody else has made: it is waited for like
// one of ours, and is in no record.
func (r *run) found(n *node, live *unstructured.Unstructured) {
	if dying := readiness.Dying(live.Object); dying != "" {
		r.fail(n, because{reason: dying})
		return
	}
	n.uid, n.version, n.applied = live.GetUID(), live.GetResourceVersion(), r.clock.Now()
	r.arrive(n, plan.NeedApplied)
	r.waitReady(n, live)
}
