package printers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// infoWidth is the column width of the reconcile information, kapp's.
const infoWidth = 35

// summary prints kapp's table: objects with an operation or a wait, and those that
// have failed, sorted by namespace, name and kind, and the counts.
func (p *printer) summary(r *plan.Report) {
	t := &table{
		header: []string{"Namespace", "Name", "Kind", "Age", "Op", "Op st.", "Wait to", "Rs", "Ri"},
		wrap:   map[int]int{8: infoWidth},
	}
	for _, o := range listed(r.Objects) {
		t.add(p.summaryCells(o)...)
	}
	t.ditto()

	p.part()
	if len(t.rows) > 0 {
		p.line("Changes")
		p.line()
		t.print(p)
		p.line()
	}
	p.line("Op:      ", opCounts(r.Summary))
	p.line("Wait to: ", waitCounts(r.Summary))
}

// listed picks and sorts the rows of the table. An object that is as wanted has a
// state only if it has failed.
func listed(objects []plan.ObjectReport) []plan.ObjectReport {
	var out []plan.ObjectReport
	for _, o := range objects {
		if o.Op != plan.OpNone || o.WaitTo != "" || o.State != "" {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b plan.ObjectReport) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	return out
}

func (p *printer) summaryCells(o plan.ObjectReport) []cell {
	namespace := cleanCell(o.Namespace)
	if namespace == "" && !o.ScopeUnknown {
		namespace = "(cluster)"
	}
	age := ""
	if o.Created != nil {
		age = duration.HumanDuration(p.o.Now.Sub(*o.Created))
	}
	state := cell{text: cleanCell(o.State)}
	if o.State != "" && o.State != "ok" {
		state.color = p.paint.bad
	}
	return []cell{
		{text: namespace},
		{text: cleanCell(o.Name)},
		{text: cleanCell(o.Kind)},
		{text: age},
		{text: cleanCell(string(o.Op)), color: p.paint.op(o.Op)},
		{text: cleanCell(o.OpStrategy)},
		{text: cleanCell(o.WaitTo)},
		state,
		{text: cleanCell(o.Info)},
	}
}

// opCounts words the counts as kapp does; those that kapp doesn't know follow
// only when there is something to count.
func opCounts(s plan.Summary) string {
	text := fmt.Sprintf("%d create, %d delete, %d update, %d noop, %d exists",
		s.Create, s.Delete, s.Update, s.Noop, s.Exists)
	for _, more := range []struct {
		n    int
		word string
	}{
		{s.Adopt, "adopt"},
		{s.Replace, "replace"},
		{s.Refused, "refused"},
		{s.Blocked, "blocked"},
		{s.Skip, "skip"},
		{s.Failed, "failed"},
	} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.word)
		}
	}
	return text
}

func waitCounts(s plan.Summary) string {
	return fmt.Sprintf("%d reconcile, %d delete, %d noop", s.Reconcile, s.WaitGone, s.WaitNoop)
}

// notes prints what neither blocks nor table show: hidden differences, records
// that alone would change, and objects that are left over.
func (p *printer) notes(r *plan.Report) {
	lines := noteLines(r, p.o.ShowIgnored)
	if len(lines) == 0 {
		return
	}
	p.part()
	p.line(strings.Join(lines, "\n"))
}

func noteLines(r *plan.Report, showIgnored bool) []string {
	var lines []string
	byRules := hiddenByRules(r.Objects)
	for _, hidden := range []struct {
		n   int
		who string
	}{{r.Summary.Hidden - byRules, "the server undoes"}, {byRules, "rules leave to the cluster"}} {
		if hidden.n > 0 && !showIgnored {
			lines = append(lines, fmt.Sprintf("%s that %s %s hidden (--show-ignored)", count(hidden.n, "difference"), hidden.who, verbFor(hidden.n)))
		}
	}
	if n := unverified(r.Objects); n > 0 {
		lines = append(lines, fmt.Sprintf("not verified by the server: %s", count(n, "object")))
	}
	for _, only := range r.RecordOnly {
		lines = append(lines, fmt.Sprintf("record only: manifest %s: %s", cleanCell(only.Manifest), cleanParagraph(only.Reason, "    ")))
	}
	for _, l := range r.Leftover {
		lines = append(lines, leftoverLine(l))
	}
	return lines
}

func verbFor(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// hiddenByRules counts the hidden differences that no server, but a rule decided.
func hiddenByRules(objects []plan.ObjectReport) int {
	n := 0
	for _, o := range objects {
		for _, d := range o.Hidden {
			if d.Verdict == plan.VerdictLeft {
				n++
			}
		}
	}
	return n
}

func unverified(objects []plan.ObjectReport) int {
	n := 0
	for _, o := range objects {
		if o.Unverified != "" {
			n++
		}
	}
	return n
}

func leftoverLine(l plan.Leftover) string {
	why := "removed from the files; --prune deletes"
	if l.Reason != "" {
		why = "removed from the files; " + cleanParagraph(l.Reason, "    ")
	}
	if l.Destroy {
		why = cleanParagraph(l.Reason, "    ")
	}
	text := "left over: " + title(l.Kind, l.Name, l.APIVersion, l.Namespace)
	if l.Manifest != "" {
		text += " manifest: " + cleanCell(l.Manifest)
	}
	return text + " (" + why + ")"
}
