package apply

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// maxDeletes bounds how often a deletion insists on the version that the guards
// have seen. After that the uid alone must do, for objects that never rest.
const maxDeletes = 5

// remove deletes one object, for good or as the first half of a replacement. The
// request carries the uid and the version that was looked at, so that nothing is
// deleted which has changed hands in the meantime.
func (a attempt) remove() report {
	rep := report{planned: a.planned, step: a.step}
	o := a.planned
	if !o.MappingKnown {
		rep.done = doneGone // without its kind there is no object
		return rep
	}
	version := o.ResourceVersion
	for try := 1; ; try++ {
		gone, err := a.exec.Client.Remove(a.requests, o.Mapping, o.Ref.Namespace, o.Ref.Name, cluster.DeleteOptions{
			UID: o.UID, ResourceVersion: version, Propagation: a.propagation(),
		})
		switch {
		case gone, a.missing(o, err):
			rep.done = doneGone
			return a.removed(rep)
		case isUnserved(err):
			return a.misled(rep, err)
		case err != nil && !apierrors.IsConflict(err):
			return a.refusal(rep, err)
		}
		live, readErr := a.exec.Client.Get(a.work, o.Mapping, o.Ref.Namespace, o.Ref.Name)
		switch {
		case a.missing(o, readErr):
			rep.done = doneGone
			return a.removed(rep)
		case isUnserved(readErr):
			return a.misled(rep, readErr)
		case readErr != nil:
			return a.refusal(rep, fmt.Errorf("look whether it is gone: %w", readErr))
		case live.GetUID() != o.UID:
			rep.done = doneGone
			rep.notes = append(rep.notes, "it was gone already; another object has its name now and was not touched")
			return a.removed(rep)
		case err == nil:
			rep.done, rep.step, rep.answer = doneDeleting, stepGone, live
			return rep
		}
		if stop := a.lookAgain(&rep, live, try); stop {
			return rep
		}
		if version = live.GetResourceVersion(); try >= maxDeletes {
			version = ""
		}
	}
}

// lookAgain asks the guards about an object that has changed since they saw it.
func (a attempt) lookAgain(rep *report, live *unstructured.Unstructured, try int) bool {
	o := a.planned
	switch {
	case a.stopping.Load():
		rep.done = doneStopped
		return true
	case try > maxDeletes:
		rep.done, rep.reason = doneFailed, "others kept changing it while it was being deleted"
		return true
	case o.Op == plan.OpDelete:
		rep.kept = a.guards.ask(prune.Candidate{Ref: o.Ref, UID: o.UID, Live: live.Object})
		rep.done = doneKept
		return rep.kept != nil
	default:
		return false
	}
}

// removed goes on with the second half of a replacement, if it is one.
func (a attempt) removed(rep report) report {
	if a.planned.Op != plan.OpReplace {
		return rep
	}
	a.step, rep.step = stepCreate, stepCreate
	if a.stopping.Load() {
		rep.done = doneStopped
		return rep
	}
	next := a.write()
	next.notes = append(rep.notes, next.notes...)
	return next
}

func (a attempt) propagation() metav1.DeletionPropagation {
	if p := a.planned.Strategy.Propagation; p != "" {
		return p
	}
	if p := a.exec.Policy.Propagation; p != "" {
		return p
	}
	return metav1.DeletePropagationBackground
}

// missing tells that an object is not there, or that its kind isn't any more. A server
// that is just starting, or something in between, may answer 404 for the path of
// any kind: then the object would leave the record and stay in the cluster. So
// discovery has the last word.
func (r *run) missing(o *plan.Object, err error) bool {
	switch {
	case err == nil:
		return false
	case isUnserved(err):
		r.exec.Client.InvalidateDiscovery()
		_, err = r.exec.Client.Mapping(r.work, o.Ref.GroupKind(), o.Mapping.GVK.Version)
		return isUnserved(err)
	default:
		return apierrors.IsNotFound(err)
	}
}

// misled tries again later what met a 404 for a kind that is served.
func (a attempt) misled(rep report, err error) report {
	rep.err, rep.done = err, doneFailed
	if a.tries < maxHiccups {
		rep.done = donePassing
	}
	return rep
}

// deleting waits for the end of a deletion.
func (r *run) deleting(n *node, rep report) {
	n.written, n.applied = true, r.clock.Now()
	n.uid, n.version = n.planned.UID, ""
	r.wait(n, rep.answer, readiness.Held(rep.answer.Object))
}

// gone takes in that an object is no longer there.
func (r *run) gone(n *node) {
	if n.planned.Op == plan.OpReplace {
		if r.stopping.Load() {
			n.step = stepCreate
			r.settle(n, OutcomeLeft, because{reason: leftReason(n)})
			return
		}
		n.step, n.waitReason = stepCreate, ""
		r.enqueue(n)
		return
	}
	n.written, n.ready = true, true
	if s := r.exec.Sessions[n.planned.Manifest]; s != nil {
		s.Removed(n.planned.Key)
	}
	r.settle(n, OutcomeDeleted, because{})
}

// keep settles an object that a guard keeps.
func (r *run) keep(n *node, kept *prune.Kept) {
	if s := r.exec.Sessions[n.planned.Manifest]; s != nil && kept.Forget {
		s.Removed(n.planned.Key)
	}
	outcome := OutcomeKept
	if kept.Refused {
		outcome = OutcomeRefused
	}
	r.settle(n, outcome, because{reason: kept.Reason})
}

// uidOf is the uid of a body, for comparing.
func uidOf(body map[string]any) types.UID {
	return (&unstructured.Unstructured{Object: body}).GetUID()
}
