package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// Report returns the masked form of the plan. It is the only way from a plan
// to anything that leaves the process. The mask rules of kapp's configuration are
// added for each object that they match.
func (p *Plan) Report(mask object.Masker) *Report {
	return p.report(reporting{mask: mask, rules: p.rules})
}

// FullReport is Report with the whole live object against the server's dry-run,
// where it was asked, on the two sides of the text.
func (p *Plan) FullReport(mask object.Masker) *Report {
	return p.report(reporting{mask: mask, rules: p.rules, full: true})
}

// reporting is how objects are turned into their masked form.
type reporting struct {
	mask  object.Masker
	rules *config.KappConfig
	// full: the whole live object against the server's dry-run, where there is one.
	full bool
}

// maskFor adds the configured rules that match the object to the masker.
func (r reporting) maskFor(o *Object) object.Masker {
	out := r.mask
	out.Rules = slices.Concat(r.mask.Rules, MaskRulesFor(r.rules, o.Desired.Body, o.Live, o.before), object.HidePaths(o.Ref, o.hidden))
	return out
}

func (p *Plan) report(how reporting) *Report {
	r := &Report{
		APIVersion: APIVersion, Kind: ReportKind,
		Context: p.Context.Context, Server: p.Context.Server,
		Objects: []ObjectReport{}, Leftover: p.Leftover, Warnings: p.Warnings, Notes: p.Notes,
	}
	for _, o := range p.Objects {
		r.Objects = append(r.Objects, how.object(o))
	}
	for _, m := range p.Manifests {
		if m.Repair != "" {
			r.RecordOnly = append(r.RecordOnly, RecordOnly{Manifest: m.Name, Reason: m.Repair})
		}
	}
	r.Summary = summarise(r)
	return r
}

func (r reporting) object(o *Object) ObjectReport {
	mask := r.maskFor(o)
	out := ObjectReport{
		Manifest: o.Manifest, Kind: o.Ref.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name,
		APIVersion: apiVersion(o.Key.Group, o.Key.Version), Op: o.Op, Created: o.Created,
		Unverified: o.Unverified, Reason: o.Reason, Notes: o.Notes,
	}
	out.Labels, out.names = labelsOf(o.Live), o.Mapping.Names
	if o.Desired.Body != nil {
		out.Origin, out.Labels = o.Desired.Origin.String(), labelsOf(o.Desired.Body)
	}
	if o.Err != nil {
		out.Reason = o.Err.Error()
		out.ScopeUnknown = o.Ref.Namespace == "" && Unserved(o.Err)
	}
	out.OpStrategy, out.WaitTo = o.strategy(), o.waitTo(r.rules)
	out.State, out.Info = r.state(o)
	before, after := o.before, o.after
	if r.full && o.result != nil {
		before, after = o.live, o.result
	}
	out.Before, out.After = mask.Pair(before, after)
	out.Differences = maskDifferences(o.Differences, out.Before, out.After, mask, o)
	out.Hidden = maskDifferences(o.Hidden, nil, nil, mask, o)
	return out
}

func labelsOf(body map[string]any) map[string]string {
	all, _, _ := unstructured.NestedStringMap(body, "metadata", "labels")
	return all
}

func (o *Object) strategy() string {
	if o.Op == OpUpdate && len(o.Overridden) > 0 {
		return "force conflicts"
	}
	return o.Strategy.words(o.Op)
}

func (o *Object) waitTo(rules *config.KappConfig) string {
	switch o.Op {
	case OpCreate, OpUpdate, OpReplace, OpAdopt, OpExists:
		if o.Strategy.NoWait {
			return ""
		}
		return "reconcile"
	case OpDelete:
		return "delete"
	case OpNone:
		if o.goesOnWaiting(rules) {
			return "reconcile"
		}
		return ""
	default:
		return ""
	}
}

// goesOnWaiting reports whether an object that is as wanted is waited for because the
// run that wrote it ended before it was ready.
func (o *Object) goesOnWaiting(rules *config.KappConfig) bool {
	if !o.Awaited || o.Op != OpNone || o.UID == "" || o.Strategy.NoWait || o.Strategy.Noop {
		return false
	}
	state, _ := stateOf(o, o.Live, rules)
	return state != stateOK
}

// stateOf gives kapp's words for how far an object has come as it is live.
func stateOf(o *Object, live map[string]any, rules *config.KappConfig) (state, info string) {
	var wait []config.WaitRule
	if rules != nil {
		wait = rules.WaitRules
	}
	switch verdict := Readiness(o.Strategy, wait, &unstructured.Unstructured{Object: live}); verdict.State {
	case readiness.Ready:
		return stateOK, ""
	case readiness.Failed:
		return stateFail, verdict.Reason
	default:
		return stateOngoing, verdict.Reason
	}
}

// WasReady reports whether an object was there and ready when the plan was made.
func (p *Plan) WasReady(o *Object) bool {
	if o.Live == nil {
		return false
	}
	state, _ := stateOf(o, o.Live, p.rules)
	return state == stateOK
}

// The words of the column Rs.
const (
	stateOK      = "ok"
	stateFail    = "fail"
	stateOngoing = "ongoing"
)

// Unready is an object that is as wanted and yet not ready.
type Unready struct {
	Ref object.Ref
	// Failed: it won't become ready by waiting.
	Failed bool
	// Awaited: the run that wrote it ended while it waited for it.
	Awaited bool
	// Reason is what the object says; may be empty.
	Reason string
}

// String names the object and the reason.
func (u Unready) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%s: %s", u.Ref, u.Reason), ": ")
}

// state says how an object is that changes, or that has failed while it is as wanted,
// or is still waited for.
func (r reporting) state(o *Object) (state, info string) {
	waits := o.goesOnWaiting(r.rules)
	if o.UID == "" || o.Strategy.Noop || o.Op == OpNone && !waits && !saysHowItIs(o, r.rules) {
		return "", ""
	}
	state, info = stateOf(o, o.Live, r.rules)
	if leaving := readiness.Leaving(o.Live); leaving != "" && o.Leaves() {
		state, info = stateOngoing, leaving // nobody wants it again
	}
	if o.Op == OpNone && state != stateFail && !waits {
		return "", ""
	}
	return state, o.scrubText(info)
}

// saysHowItIs reports whether an object may have failed: most have no status, and in
// a large set that is not worth looking into for each.
func saysHowItIs(o *Object, rules *config.KappConfig) bool {
	if onlyMetadata(o.Live) {
		return false
	}
	return o.Live["status"] != nil || rules != nil && IsRuled(o.Strategy, rules.WaitRules, o.Live)
}

// NotReady lists the objects that are as wanted and yet not ready. Objects whose
// metadata alone was read were ready when they were seen last, or have nothing to
// be ready with, and are left out; so are those that nobody is to wait for.
func (p *Plan) NotReady() []Unready {
	var out []Unready
	for _, o := range p.Objects {
		if o.Op != OpNone || o.UID == "" || o.Strategy.NoWait || o.Strategy.Noop || onlyMetadata(o.Live) && !o.Awaited {
			continue
		}
		if state, info := stateOf(o, o.Live, p.rules); state != stateOK {
			out = append(out, Unready{Ref: o.Ref, Failed: state == stateFail, Awaited: o.Awaited, Reason: o.scrubText(info)})
		}
	}
	return out
}

func onlyMetadata(body map[string]any) bool {
	for key := range body {
		if key != "apiVersion" && key != "kind" && key != "metadata" {
			return false
		}
	}
	return true
}

// maskDifferences takes the values of a path from the masked bodies, so that
// there is one masking point; a value that can't be found there is left out.
func maskDifferences(list []Difference, before, after map[string]any, mask object.Masker, o *Object) []Difference {
	if len(list) == 0 {
		return nil // of most objects of a large set: bodies are not masked for nothing
	}
	if before == nil && after == nil {
		before, after = mask.Pair(o.Live, o.Desired.Body)
	}
	out := make([]Difference, 0, len(list))
	for _, d := range list {
		live, want := lookup(before, d.at), lookup(after, d.at)
		d.Live, d.Desired = live.v, want.v
		out = append(out, d)
	}
	return out
}

func summarise(r *Report) Summary {
	var s Summary
	for _, o := range r.Objects {
		s.countOp(o.Op)
		switch o.WaitTo {
		case "reconcile":
			s.Reconcile++
		case "delete":
			s.WaitGone++
		default:
			s.WaitNoop++
		}
		s.Hidden += len(o.Hidden)
	}
	s.Leftover, s.RecordOnly = len(r.Leftover), len(r.RecordOnly)
	return s
}

func (s *Summary) countOp(op Op) {
	switch op {
	case OpCreate:
		s.Create++
	case OpUpdate:
		s.Update++
	case OpDelete:
		s.Delete++
	case OpAdopt:
		s.Adopt++
	case OpReplace:
		s.Replace++
	case OpRefuse:
		s.Refused++
	case OpBlocked:
		s.Blocked++
	case OpExists:
		s.Exists++
	case OpSkip:
		s.Skip++
	case OpError:
		s.Failed++
	default:
		s.Noop++
	}
}

// Failed reports the objects that could not be planned.
func (p *Plan) Failed() []error {
	var out []error
	for _, o := range p.Objects {
		if o.Err != nil {
			out = append(out, fmt.Errorf("%s: %w", o.Ref, o.Err))
		}
	}
	return out
}
