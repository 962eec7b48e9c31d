package apply

import (
	"errors"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// write applies one object, planning it again as often as somebody else is
// faster.
func (a attempt) write() report {
	rep := report{planned: a.planned, step: a.step}
	if dying := readiness.Dying(a.planned.Live); dying != "" && a.step == stepWrite {
		rep.done, rep.reason = doneFailed, dying
		return rep
	}
	if err := a.resolve(&rep); err != nil {
		return a.refusal(rep, err)
	}
	for again := 0; ; again++ {
		answer, err := a.apply(rep.planned)
		if err == nil {
			return a.written(rep, answer)
		}
		if !a.outdated(rep.planned, err) {
			return a.refusal(rep, err)
		}
		if again == maxReplans {
			rep.done, rep.err = doneFailed, err
			rep.reason = "others kept changing it while it was being applied"
			return rep
		}
		seen := rep.planned.ResourceVersion
		if stop := a.replan(&rep, err); stop {
			return rep
		}
		if isFieldConflict(err) && seen != "" && rep.planned.ResourceVersion == seen {
			return a.refusal(rep, err) // nothing has changed: the server knows an owner that we don't
		}
	}
}

// apply sends the one request that the plan stands for, or two where another
// tool's bookkeeping becomes ours first.
func (a attempt) apply(o *plan.Object) (*unstructured.Unstructured, error) {
	creates, version := a.creates(o), o.ResourceVersion
	if o.Adopt != nil && !creates {
		adopted, err := a.exec.Client.Patch(a.requests, o.Mapping, o.Ref.Namespace, o.Ref.Name, types.JSONPatchType, o.Adopt,
			cluster.WriteOptions{Manager: a.exec.Policy.FieldManager, Validation: a.exec.Policy.Validation})
		if err != nil {
			return nil, err
		}
		version = adopted.GetResourceVersion()
	}
	body := o.Send
	if !creates {
		body = withPreconditions(o.Send, string(o.UID), version)
	}
	if o.Mapping.OnlyPut() {
		return a.put(o, body, creates)
	}
	return a.exec.Client.Apply(a.requests, o.Mapping, body, cluster.ApplyOptions{
		Force:      o.Force && !creates,
		Manager:    a.exec.Policy.FieldManager,
		Validation: a.exec.Policy.Validation,
	})
}

// put writes an object of a kind that takes no patch.
func (a attempt) put(o *plan.Object, body map[string]any, creates bool) (*unstructured.Unstructured, error) {
	options := cluster.WriteOptions{Manager: a.exec.Policy.FieldManager, Validation: a.exec.Policy.Validation}
	if creates {
		return a.exec.Client.Create(a.requests, o.Mapping, body, options)
	}
	return a.exec.Client.Update(a.requests, o.Mapping, body, options)
}

// creates tells whether nothing may be there yet.
func (a attempt) creates(o *plan.Object) bool {
	return o.Op == plan.OpCreate || a.step == stepCreate
}

// withPreconditions returns the body with the uid and resourceVersion that the
// write insists on; resourceVersion alone would make a deleted object anew. The
// body itself stays as it is.
func withPreconditions(body map[string]any, uid, version string) map[string]any {
	body = maps.Clone(body)
	meta, _ := body["metadata"].(map[string]any)
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["uid"], meta["resourceVersion"] = uid, version
	body["metadata"] = meta
	return body
}

// written follows a write up with the status and makes the record's entry.
func (a attempt) written(rep report, answer *unstructured.Unstructured) report {
	rep.done, rep.answer = doneWritten, answer
	if a.creates(rep.planned) {
		rep.notes = append(rep.notes, foundNote(answer, a.exec.Policy.FieldManager)...)
	}
	if rep.planned.Status != nil {
		a.patchStatus(&rep)
	}
	rep.entry = a.entry(rep.planned, rep.answer)
	return rep
}

// foundNote says that a create met an object which had come since the plan: a
// fresh one has no other managers. It did no harm, or there would have been a
// conflict.
func foundNote(answer *unstructured.Unstructured, ours string) []string {
	var others []string
	for _, entry := range answer.GetManagedFields() {
		own := entry.Operation == metav1.ManagedFieldsOperationApply && (ours == "" || entry.Manager == ours)
		if entry.Subresource == "" && !own && !slices.Contains(others, entry.Manager) {
			others = append(others, entry.Manager)
		}
	}
	if len(others) == 0 {
		return nil
	}
	return []string{"somebody created it after the plan was made (" + strings.Join(others, ", ") + "); the two agree and were merged"}
}

// refusal sorts a failed request.
func (a attempt) refusal(rep report, err error) report {
	rep.err = err
	if errors.Is(err, errStopped) {
		return unanswered(rep)
	}
	switch a.classify(rep.planned, err) {
	case failurePassing:
		rep.done = donePassing
	case failureConflict:
		rep.done = doneRefused
	default:
		rep.done = doneFailed
	}
	return rep
}

// unanswered tells a write that was not made from one whose answer did not come
// before the end.
func unanswered(rep report) report {
	var unknown *cluster.ErrOutcomeUnknown
	if !errors.As(rep.err, &unknown) {
		rep.done = doneStopped
		return rep
	}
	rep.done, rep.reason = doneFailed, "no answer before the end of the run; it may have been written all the same"
	return rep
}
