package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// decideUpdate compares an object that exists.
func (p Planner) decideUpdate(ctx context.Context, w *wanted, ready prepared) error {
	o := w.out
	e, err := p.gather(ctx, w, &ready)
	if err != nil {
		return err
	}
	o.evidence = &e
	claimant := ""
	if !w.recorded {
		if claimant, err = p.claimedBy(ctx, o.Live, w.label, w.run, o.Ref); err != nil {
			return err
		}
	}
	if claimant == "" {
		o.Notes = append(o.Notes, untracked(w, e.ownership)...)
	}
	defer func() { o.refuseClaimed(claimant, p.Policy.ForceConflicts) }()
	if e.adopts = w.tracked && !o.Mapping.OnlyPut() && takesOver(o, e); len(e.cmp.findings) == 0 && !e.cmp.suspect && !e.adopts {
		o.Hidden = e.hiddenByRules()
		return nil
	}
	if o.Mapping.OnlyPut() {
		o.Send = putOver(o.Live, o.Send, e)
		o.Notes = append(o.Notes, "its kind takes no patch: the whole object is sent")
	} else if unserved := p.unservedOwners(ctx, o); len(unserved) > 0 {
		return o.decideUnserved(e, ready, unserved)
	}
	e.result, err = p.dryRun(ctx, o, e)
	if apierrors.IsConflict(err) {
		return fmt.Errorf("%w: %s", errMoved, o.scrub(err))
	}
	e.cmp.findings = withoutGuesses(e)
	o.conclude(decide(e), e)
	if err != nil {
		return p.dryRunFailed(ctx, o, ready, err)
	}
	o.Status = statusPatch(e, ready)
	return o.adopt(e)
}

// gather collects the evidence about one existing object.
// In ready, what the cluster decides takes the live value.
func (p Planner) gather(ctx context.Context, w *wanted, ready *prepared) (evidence, error) {
	o := w.out
	entries, err := owners(o.Live)
	if err != nil {
		return evidence{}, fmt.Errorf("%s: %w", o.Ref, err)
	}
	own := ownership{manager: p.Policy.FieldManager, adopted: p.Policy.adopts, entries: entries, puts: o.Mapping.OnlyPut()}
	p.keepKappLabels(w.schema, ready, o.Live)
	a, basis := applied(*ready, o, w.entry, w.recorded, p.Hasher)
	if basis == BasisFields && !w.recorded {
		a, basis = p.appliedByHelm(ctx, w)
	}
	named := marksIn(ready.desired)
	if basis != BasisKapp {
		named = marksIn(ready.desired, a)
	}
	live := withoutMarks(comparable(o.Live), named)
	if a != nil {
		a = withInjected(w.schema, withoutMarks(a, named), live)
	}
	files := ready.desired
	byRules := rebase(p.Policy.Rules, w.schema, ready.desired, live)
	for _, path := range byRules.removed {
		ready.desired, ready.send = without(ready.desired, path), without(ready.send, path)
	}
	left := p.leftToCluster(w, *ready, own, byRules.left)
	last := a
	if len(left) > 0 {
		ready.desired, ready.send = leave(ready.desired, live, own, left), leave(ready.send, live, own, left)
		if a != nil {
			a = leave(a, live, own, left)
		}
	}
	o.Send = ready.send
	e := evidence{
		ownership: own,
		live:      live, schema: w.schema, custom: !object.BuiltIn(o.Ref.Group),
		desired: ready.desired, applied: a, policy: p.policyFor(o), basis: basis, left: left, marks: named,
		files: files, last: last, byRules: byRules,
	}
	e.excluded = p.excludedFor(w, *ready, a, live)
	e.cmp = compare(ready.desired, a, live, w.schema, e.custom, e.excluded)
	if basis == BasisFields {
		e.cmp.findings = append(e.cmp.findings, ownedFindings(ready.desired, live, e.ownership)...)
	}
	return e, nil
}

// excludedFor is the policy's list. An object without a last applied body has
// nothing to judge a wanted status by, so that the live one serves.
func (p Planner) excludedFor(w *wanted, ready prepared, a, live map[string]any) []fieldpath.Path {
	if a == nil && ready.desired["status"] != nil {
		return nil
	}
	return append(excludedPaths(p.Policy.Rules, w.schema, ready.desired, a, live), p.Policy.Excluded...)
}

// conclude writes the decision into the object together with its text.
func (o *Object) conclude(d decision, e evidence) {
	o.Op, o.Force, o.Differences, o.Hidden = d.op, d.force, d.shown, append(d.hidden, e.hiddenByRules()...)
	o.Overridden = d.overridden
	if o.Op == OpNone {
		return
	}
	o.live, o.result = e.live, e.result
	after, verified := e.result, e.result != nil
	if !verified {
		after = e.desired
	}
	o.before, o.after = restrict(withoutStatus(e.live), withoutStatus(after), e.desired, e.applied, e.schema, verified)
	showStatus(o.before, e.applied)
	showStatus(o.after, e.desired)
}

func withoutStatus(body map[string]any) map[string]any {
	out := copyMap(body)
	delete(out, "status")
	return out
}

// showStatus puts the status of the files on one side of the text: it is judged
// by what was asked, never by what controllers wrote since.
func showStatus(side, from map[string]any) {
	if status, ok := from["status"]; ok {
		side["status"] = status
	}
}

// statusPatch is sent when the asked status changed.
func statusPatch(e evidence, ready prepared) map[string]any {
	if ready.status == nil || object.Equal(ready.status, e.applied["status"]) {
		return nil
	}
	return ready.status
}

// dryRunFailed turns the server's refusal into a verdict; what the plan can't
// know it says.
func (p Planner) dryRunFailed(ctx context.Context, o *Object, ready prepared, err error) error {
	switch {
	case o.Live == nil && o.again != nil && o.again.newNamespace && apierrors.IsNotFound(err):
		o.Unverified = "its namespace is created by the same run: the server can't be asked before"
	case errors.Is(err, errNotRehearsed):
		o.Unverified = err.Error()
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case apierrors.IsInvalid(err) && o.Live != nil && p.onlyAsUpdate(ctx, o, err):
		p.blocked(ctx, o, ready, err)
	case apierrors.IsInvalid(err):
		o.Op, o.Err = OpError, fmt.Errorf("%s: the server finds it invalid: %s", o.Desired.Origin, o.reason(err, causesOf(err)))
	case noDryRun(err):
		o.Unverified = "a webhook of the kind doesn't support dry-run"
	case apierrors.IsForbidden(err) && lacksRights(err):
		o.Unverified = "no permission for a dry-run: " + o.scrub(err)
	default:
		o.Op, o.Err = OpError, fmt.Errorf("%s: %s%s", o.Desired.Origin, o.scrub(err), Oversized(err, o.Send))
	}
	return nil
}

func noDryRun(err error) bool {
	return apierrors.IsBadRequest(err) && strings.Contains(err.Error(), "dry run")
}

// lacksRights tells a user without the right to ask from a request that admission
// refuses: both are 403.
func lacksRights(err error) bool { return strings.Contains(err.Error(), " cannot ") }

// scrub takes secret values out of what the server said about the object.
func (o *Object) scrub(err error) string { return o.scrubText(err.Error()) }

// scrubText hides the values of the files and the live ones alike: an admission
// policy may quote either.
func (o *Object) scrubText(text string) string {
	return object.Scrub(text, o.Desired.Body, o.Live)
}

// policyFor is the policy for one object.
func (p Planner) policyFor(o *Object) Policy {
	policy := p.Policy
	policy.ForceConflicts = policy.ForceConflicts || o.Strategy.Authoritative
	return policy
}
