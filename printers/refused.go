package printers

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// refused prints an object that another manager keeps us from writing: a line
// for each contested field and the ways out. Its other differences are counted
// but not painted red and green, since nothing of the object is written.
func (p *printer) refused(o plan.ObjectReport) {
	p.heading(string(o.Op), o)
	p.reason(o.Reason)
	contested := 0
	for _, d := range o.Differences {
		if d.Verdict != plan.VerdictConflict {
			continue
		}
		contested++
		p.line("  ", painted(p.paint.bad, fmt.Sprintf("%s: %s has %s, the files have %s", clean(d.Path),
			owners(d.Authors), oneLine(d.HasLive, d.Live), oneLine(d.HasDesired, d.Desired))))
	}
	p.withheld(len(o.Differences) - contested)
	if contested > 0 {
		p.note("ways out: put the live value into the files; or take the fields with --force-conflicts;")
		p.note("or remove the fields from the files and leave them to their manager")
	}
}

// blocked prints an object that can't be changed in place.
func (p *printer) blocked(o plan.ObjectReport) {
	p.heading(string(o.Op), o)
	p.reason(o.Reason)
	immutable := 0
	for _, d := range o.Differences {
		if d.Verdict != plan.VerdictImmutable {
			continue
		}
		immutable++
		p.line("  ", painted(p.paint.bad, fmt.Sprintf("%s: immutable: live %s, the files have %s", clean(d.Path),
			oneLine(d.HasLive, d.Live), oneLine(d.HasDesired, d.Desired))))
	}
	p.withheld(len(o.Differences) - immutable)
	if immutable > 0 {
		p.note(recreateNote(o.Kind))
	}
}

// recreateNote tells how to get a new object. Kinds whose deletion loses data or
// takes other objects along are never recreated by a flag (docs/concepts.md).
func recreateNote(kind string) string {
	switch kind {
	case "PersistentVolumeClaim", "PersistentVolume", "StatefulSet", "Namespace", "CustomResourceDefinition":
		return `way out: restore the live value in the files, or delete and create the object again ` +
			`with the annotation tazuna.pepabo.com/recreate: "true" (no flag does this for a ` + kind + `)`
	}
	return "way out: restore the live value in the files, or delete and create the object again with --recreate"
}

func (p *printer) reason(text string) {
	if text != "" {
		p.line("  ", painted(p.paint.bad, cleanParagraph(text, "    ")))
	}
}

func (p *printer) withheld(n int) {
	if n > 0 {
		p.note("not applied either: " + count(n, "other difference") + " of this object")
	}
}

// ignored lists the differences of an object that the server undoes, and those that
// a rule leaves to the cluster.
func (p *printer) ignored(o plan.ObjectReport) {
	p.heading("ignored", o)
	for _, d := range o.Hidden {
		if d.Verdict == plan.VerdictLeft {
			p.line("  ", clean(d.Path), ": live ", oneLine(d.HasLive, d.Live), " stays, the files have ", oneLine(d.HasDesired, d.Desired))
			p.note("  " + cleanParagraph(d.Because, "      "))
			continue
		}
		p.line("  ", clean(d.Path), ": the server keeps ", oneLine(d.HasLive, d.Live),
			", the files have ", oneLine(d.HasDesired, d.Desired))
	}
}

// count words a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
