package plan

import (
	"context"
	"errors"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// RecreateAnnotation on an object allows its replacement where the server
// refuses an update in place.
const RecreateAnnotation = "tazuna.pepabo.com/recreate"

// reasonLimit keeps a refusal readable: the server may quote whole pod specs.
const reasonLimit = 240

// blocked marks an object whose update the server refuses. It becomes a
// replacement only where the user asked for that.
func (p Planner) blocked(ctx context.Context, o *Object, ready prepared, err error) {
	causes := causesOf(err)
	o.Op, o.Reason = OpBlocked, o.reason(err, causes)
	if !o.markImmutable(causes, saysImmutable(err)) {
		o.Notes = append(o.Notes, inTheWay)
	}
	if !p.mayReplace(o) {
		return
	}
	// A replacement deletes first: the server must be willing to take the new one.
	if refused := p.probe(ctx, o); refused != nil {
		o.Reason += "; not replaced, since the server refuses the new object as well: " + o.reason(refused, causesOf(refused))
		return
	}
	o.Op, o.after, o.Status = OpReplace, ready.desired, ready.status
}

// inTheWay explains a refusal of a change that speaks of no field of the files. The
// live object may have another choice in the place of theirs, by a default or from
// somebody else, and both would stand there.
const inTheWay = "the server would take the files as a new object, but not as a change of this one: either it never changes in this, " +
	"or what it has beside the files, by default or from somebody else, is in the way; " +
	"then change that once in the cluster (kubectl edit), and apply"

// markImmutable gives the verdict to the differences that the server refuses, and
// reports whether there is one. Without its word for it only a difference at which it
// points is one: a refusal of the whole spec may have any reason.
func (o *Object) markImmutable(causes []metav1.StatusCause, said bool) bool {
	marked := false
	for i, d := range o.Differences {
		if d.Verdict == VerdictIneffective || d.Verdict == VerdictRelease {
			continue
		}
		if said && named(d.Path, causes) || pointedAt(d.Path, causes) {
			o.Differences[i].Verdict, marked = VerdictImmutable, true
		}
	}
	return marked
}

// saysImmutable knows the usual words.
func saysImmutable(err error) bool {
	for _, words := range []string{"immutable", "updates to ", "may not be changed", "may not change", "cannot be changed", "cannot change"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

// onlyAsUpdate reports whether the server refuses the body as a change of this
// object and not as such: a replacement would help then. The usual words say
// so; where they don't (a CEL rule may say anything), the server is asked
// whether it would take the same body under another name.
func (p Planner) onlyAsUpdate(ctx context.Context, o *Object, err error) bool {
	text := err.Error()
	if strings.Contains(text, "ValidatingAdmissionPolicy") || strings.Contains(text, "admission webhook") {
		return false // a rule of the cluster, which a replacement would only get round
	}
	return saysImmutable(err) || p.probe(ctx, o) == nil
}

// probe asks the server whether it would take the body as a new object, under a
// name that nothing has.
func (p Planner) probe(ctx context.Context, o *Object) error {
	body := copyMap(o.Send)
	meta, _ := body["metadata"].(map[string]any)
	meta = copyMap(meta)
	meta["name"], body["metadata"] = probeName, meta
	_, err := p.rehearseCreate(ctx, o, body)
	return err
}

// probeName is only ever sent with dryRun=All.
const probeName = "tazuna-dry-run-probe"

func (p Planner) mayReplace(o *Object) bool {
	if o.Desired.Annotation(RecreateAnnotation) == "true" {
		return true
	}
	if o.Strategy.Authoritative || o.Strategy.Update == UpdateReplace || o.Strategy.Update == AlwaysReplace {
		return true
	}
	gk := o.Ref.GroupKind()
	return p.Policy.Recreate && !neverRecreated(gk) || p.Policy.RecreateRuns && runsOnce(gk)
}

// runsOnce are the kinds that are done when they have run: replacing one runs
// its new version, which is what a change of it asks for.
func runsOnce(gk schema.GroupKind) bool {
	return gk == schema.GroupKind{Group: "batch", Kind: "Job"} || gk == schema.GroupKind{Kind: "Pod"}
}

// neverRecreated need the annotation on the object itself: replacing them
// loses data or everything inside.
func neverRecreated(gk schema.GroupKind) bool {
	switch gk {
	case crdKind, schema.GroupKind{Group: "apps", Kind: "StatefulSet"}:
		return true
	case schema.GroupKind{Kind: "PersistentVolumeClaim"}, schema.GroupKind{Kind: "PersistentVolume"}, schema.GroupKind{Kind: "Namespace"}:
		return true
	default:
		return false
	}
}

func causesOf(err error) []metav1.StatusCause {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return nil
	}
	return status.Status().Details.Causes
}

// reason says field and refusal in short, without the values that the server quotes.
func (o *Object) reason(err error, causes []metav1.StatusCause) string {
	if len(causes) == 0 {
		return shorten(o.scrub(err))
	}
	var parts []string
	for _, c := range causes {
		text := shorten(o.scrubText(withoutValue(c.Message)))
		if !WholeObject(c.Field) {
			text = c.Field + ": " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + Oversized(err, o.Send)
}

// withoutValue cuts the quoted value out of `Invalid value: …: reason`.
func withoutValue(msg string) string {
	if !strings.HasPrefix(msg, "Invalid value:") {
		return msg
	}
	if i := strings.LastIndex(msg, ": "); i > len("Invalid value") {
		return msg[i+2:]
	}
	return msg
}

func shorten(s string) string {
	if len(s) <= reasonLimit {
		return s
	}
	return strings.ToValidUTF8(s[:reasonLimit], "") + " …"
}

// named reports whether one of the server's causes speaks of the path.
func named(path string, causes []metav1.StatusCause) bool {
	plain := strings.TrimPrefix(path, ".")
	for _, c := range causes {
		if c.Field != "" && (strings.HasPrefix(plain, c.Field) || strings.HasPrefix(c.Field, plain)) {
			return true
		}
	}
	return len(causes) == 0
}

// pointedAt reports whether one of the causes speaks of the path or of something in it.
func pointedAt(path string, causes []metav1.StatusCause) bool {
	plain := strings.TrimPrefix(path, ".")
	return slices.ContainsFunc(causes, func(c metav1.StatusCause) bool {
		rest, ok := strings.CutPrefix(c.Field, plain)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}
