package apply

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// outdated tells that the object is not the one the plan looked at: it has
// changed, is gone, is another one, or is there although it should be new.
func (a attempt) outdated(o *plan.Object, err error) bool {
	switch {
	case isQuotaConflict(err):
		return false
	case isFieldConflict(err):
		// The plan saw no conflict, so the owner has come since; and nobody could own a
		// field of an object that is not there.
		return a.creates(o) || a.exec.Replan != nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), o.Adopt != nil && isFailedTest(err):
		return true
	default:
		return !a.creates(o) && isGoneItself(err, o)
	}
}

// isFailedTest knows the refusal of a JSON patch whose test found another
// resourceVersion.
func isFailedTest(err error) bool {
	return apierrors.IsInvalid(err) && strings.Contains(err.Error(), "testing")
}

// isGoneItself tells a missing object from a missing namespace or kind.
func isGoneItself(err error, o *plan.Object) bool {
	if !apierrors.IsNotFound(err) || isUnserved(err) {
		return false
	}
	details := statusOf(err).Details
	return details == nil || details.Name == o.Ref.Name && details.Kind != "namespaces"
}

// replan makes a new plan of an object that somebody else has changed. It
// returns true when the attempt is over, with rep filled in.
func (a attempt) replan(rep *report, conflict error) bool {
	if a.stopping.Load() {
		rep.done = doneStopped
		return true
	}
	if a.exec.Replan == nil || a.step == stepCreate {
		rep.done, rep.err, rep.reason = doneFailed, conflict, "changed since the diff: "+a.text(rep.planned, conflict)
		return true
	}
	next, err := a.exec.Replan(a.requests, rep.planned)
	if errors.Is(err, errStopped) {
		rep.done = doneStopped
		return true
	}
	if err != nil {
		rep.done, rep.err = doneFailed, fmt.Errorf("changed since the diff, and planning it again failed: %w", err)
		return true
	}
	return a.accept(rep, next)
}

// accept decides whether what came out of planning again may be done. Nothing
// goes out that was not shown, unless the user allowed it beforehand; a
// replacement never does that way.
func (a attempt) accept(rep *report, next *plan.Object) bool {
	before := rep.planned
	switch {
	case next.Op == plan.OpNone:
		// Somebody else made the same change: the object is as wanted.
		rep.planned, rep.done = next, doneUnchanged
		rep.notes = append(rep.notes, "somebody else made the same change in the meantime")
		return true
	case sameChange(before, next):
		rep.planned = next
		return false
	case before.Op == plan.OpCreate && before.Strategy.Create != plan.CreateUsual && mayReplan(next.Op):
		rep.planned = next
		rep.notes = append(rep.notes, "somebody made it in the meantime; it is updated, as its create strategy says")
		return false
	case a.exec.Policy.Replan && mayReplan(next.Op):
		rep.planned = next
		// What is written now, nobody was shown.
		rep.warnings = append(rep.warnings, "changed since the diff and planned again: "+difference(before, next))
		return false
	default:
		rep.done, rep.reason = doneFailed, "changed since the diff: "+difference(before, next)
		if next.Op == plan.OpRefuse || next.Op == plan.OpBlocked {
			rep.done = doneRefused
		}
		return true
	}
}

func mayReplan(op plan.Op) bool {
	return op == plan.OpCreate || op == plan.OpUpdate || op == plan.OpAdopt
}

// difference words what is new, without values.
func difference(before, after *plan.Object) string {
	switch {
	case before.Op == plan.OpCreate:
		return "it was to be created and is there now"
	case after.Op == plan.OpCreate:
		return "it is gone"
	case after.Op != before.Op && after.Reason != "":
		return fmt.Sprintf("it would be %s now (%s)", opWord(after.Op), after.Reason)
	case after.Op == plan.OpRefuse:
		return "it would be refused now" + ownersOf(after)
	case after.Op != before.Op:
		return fmt.Sprintf("it would be %s now", opWord(after.Op))
	default:
		return "its differences are no longer those that were shown"
	}
}

// Refusal says why a plan refuses an object: what it says itself, or, for a conflict, the
// fields with their owners. No values.
func Refusal(o *plan.Object) string {
	if owners := ownersOf(o); o.Reason == "" && owners != "" {
		return "conflict" + owners
	}
	return o.Reason
}

// ownersOf names the fields that are in conflict, with their managers.
func ownersOf(o *plan.Object) string {
	var fields []string
	for _, d := range o.Differences {
		if d.Verdict != plan.VerdictConflict {
			continue
		}
		managers := make([]string, 0, len(d.Authors))
		for _, a := range d.Authors {
			managers = append(managers, strconv.Quote(a.Manager))
		}
		fields = append(fields, strings.TrimPrefix(d.Path, ".")+" is owned by "+strings.Join(managers, ", "))
	}
	if len(fields) == 0 {
		return ""
	}
	return " (" + strings.Join(fields, "; ") + ")"
}

func opWord(op plan.Op) string {
	switch op {
	case plan.OpCreate:
		return "created"
	case plan.OpUpdate:
		return "updated"
	case plan.OpAdopt:
		return "adopted"
	case plan.OpReplace:
		return "replaced"
	case plan.OpDelete:
		return "deleted"
	case plan.OpRefuse:
		return "refused"
	case plan.OpBlocked:
		return "blocked"
	default:
		return "left alone"
	}
}

// sameChange tells whether two plans of an object would do, and have shown, the
// same.
func sameChange(a, b *plan.Object) bool {
	// What is sent as a whole holds what others put into the object.
	whole := a.Mapping.OnlyPut() && b.Mapping.OnlyPut()
	return a.Op == b.Op && a.Force == b.Force &&
		(whole || object.Equal(a.Send, b.Send)) && object.Equal(a.Status, b.Status) &&
		sameDifferences(a, b)
}

func sameDifferences(a, b *plan.Object) bool {
	if len(a.Differences) != len(b.Differences) {
		return false
	}
	for i := range a.Differences {
		x, y := a.Differences[i], b.Differences[i]
		if x.Path != y.Path || x.Verdict != y.Verdict || x.HasLive != y.HasLive || x.HasDesired != y.HasDesired ||
			!sameShown(x.Live, y.Live) || !sameShown(x.Desired, y.Desired) {
			return false
		}
		if object.IsMark(x.Live) && !sameRoot(a, b, x.Path) {
			return false
		}
	}
	return true
}

func sameShown(x, y any) bool { return object.Equal(x, y) || reflect.DeepEqual(x, y) }

// sameRoot compares the top-level field that a hidden difference is in.
func sameRoot(a, b *plan.Object, path string) bool {
	root, _, _ := strings.Cut(strings.TrimPrefix(path, "."), ".")
	root, _, _ = strings.Cut(root, "[")
	if root == "stringData" {
		root = "data"
	}
	return object.Equal(a.Live[root], b.Live[root])
}
