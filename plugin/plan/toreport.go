package plan

import (
	"fmt"
	"strings"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Report returns the masked form of the plan. It is the only way from a plan
// to anything that leaves the process.
func (p *Plan) Report(mask object.Masker) *Report { return p.report(mask, false) }

// FullReport is Report with the whole live object against the server's dry-run,
// where it was asked, on the two sides of the text.
func (p *Plan) FullReport(mask object.Masker) *Report { return p.report(mask, true) }

func (p *Plan) report(mask object.Masker, full bool) *Report {
	r := &Report{
		APIVersion: APIVersion, Kind: ReportKind,
		Context: p.Context.Context, Server: p.Context.Server,
		Objects: []ObjectReport{}, Leftover: p.Leftover, Warnings: p.Warnings,
	}
	for _, o := range p.Objects {
		r.Objects = append(r.Objects, o.report(mask, full))
	}
	for _, m := range p.Manifests {
		if m.Repair != "" {
			r.RecordOnly = append(r.RecordOnly, RecordOnly{Manifest: m.Name, Reason: m.Repair})
		}
	}
	r.Summary = summarise(r)
	return r
}

func (o *Object) report(mask object.Masker, full bool) ObjectReport {
	out := ObjectReport{
		Manifest: o.Manifest, Kind: o.Ref.Kind, Namespace: o.Ref.Namespace, Name: o.Ref.Name,
		APIVersion: apiVersion(o.Key.Group, o.Key.Version), Op: o.Op, Created: o.Created,
		Unverified: o.Unverified, Reason: o.Reason, Notes: o.Notes,
	}
	out.Labels = labelsOf(o.Live)
	if o.Desired.Body != nil {
		out.Origin, out.Labels = o.Desired.Origin.String(), labelsOf(o.Desired.Body)
	}
	if o.Err != nil {
		out.Reason = o.Err.Error()
	}
	out.OpStrategy, out.WaitTo = o.strategy(), o.waitTo()
	if o.Op != OpNone && o.UID != "" {
		out.State, out.Info = readiness(o.Live)
	}
	before, after := o.before, o.after
	if full && o.result != nil {
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
	switch {
	case o.Op == OpReplace:
		return "always replace"
	case o.Op == OpUpdate && len(o.Overridden) > 0:
		return "force conflicts"
	default:
		return ""
	}
}

func (o *Object) waitTo() string {
	switch o.Op {
	case OpCreate, OpUpdate, OpReplace, OpAdopt:
		return "reconcile"
	case OpDelete:
		return "delete"
	default:
		return ""
	}
}

// readiness gives kapp's words for what the raw live copy says of itself.
func readiness(live map[string]any) (state, info string) {
	res, err := status.Compute(&unstructured.Unstructured{Object: live})
	if err != nil {
		return "error", err.Error()
	}
	switch res.Status {
	case status.CurrentStatus:
		return "ok", ""
	case status.FailedStatus:
		return "fail", res.Message
	default:
		return "ongoing", res.Message
	}
}

// NotReady names the objects that are as wanted and yet not ready, with the
// reason. Objects whose metadata alone was read are not known and left out.
func (p *Plan) NotReady() []string {
	var out []string
	for _, o := range p.Objects {
		if o.Op != OpNone || o.UID == "" || onlyMetadata(o.Live) {
			continue
		}
		if state, info := readiness(o.Live); state != "ok" {
			out = append(out, strings.TrimSuffix(fmt.Sprintf("%s: %s", o.Ref, info), ": "))
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
	if before == nil && after == nil {
		before, after = mask.Pair(o.Live, o.Desired.Body)
	}
	out := make([]Difference, 0, len(list))
	for _, d := range list {
		live, want := lookup(before, d.at), lookup(after, d.at)
		d.Live, d.Desired = live.v, want.v
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil
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
