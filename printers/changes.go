package printers

import (
	"fmt"
	"strings"

	"github.com/fatih/color"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// changes prints one block for each object with an operation, in the order of
// the plan.
func (p *printer) changes(r *plan.Report) error {
	for _, o := range r.Objects {
		if err := p.block(o); err != nil {
			return fmt.Errorf("print %s: %w", objectTitle(o), err)
		}
		if p.o.ShowIgnored && len(o.Hidden) > 0 {
			p.ignored(o)
		}
	}
	return nil
}

func (p *printer) block(o plan.ObjectReport) error {
	switch o.Op {
	case plan.OpNone:
		return nil
	case plan.OpRefuse:
		p.refused(o)
	case plan.OpBlocked:
		p.blocked(o)
	case plan.OpError, plan.OpExists:
		p.heading(string(o.Op), o)
		p.reason(o.Reason)
	default:
		if err := p.diff(o); err != nil {
			return err
		}
	}
	p.explained(o)
	for _, note := range o.Notes {
		p.note(cleanParagraph(note, "    "))
	}
	if o.Unverified != "" {
		p.note("not verified by the server: " + cleanParagraph(o.Unverified, "    "))
	}
	return nil
}

// explained says why each path of a block has its verdict.
func (p *printer) explained(o plan.ObjectReport) {
	if !p.o.Explain {
		return
	}
	for _, d := range o.Differences {
		if d.Because != "" {
			p.note(clean(d.Path) + " is " + string(d.Verdict) + ": " + cleanParagraph(d.Because, "    "))
		}
	}
}

func (p *printer) heading(word string, o plan.ObjectReport) {
	p.line(painted(p.paint.header, fmt.Sprintf("@@ %s %s @@", cleanCell(word), objectTitle(o))))
}

// note prints a line beneath a block. It stands behind two blanks and a mark
// that YAML of an encoder never has there.
func (p *printer) note(text string) {
	p.line("  ", painted(p.paint.comment, "# "+text))
}

// diff prints the text diff of an object. Equal texts print the heading with a
// note, since an operation without a visible reason would only puzzle.
func (p *printer) diff(o plan.ObjectReport) error {
	before, after, err := encodePair(o)
	if err != nil {
		return err
	}
	rs := rows(before.lines, after.lines, diffLines(before.lines, after.lines), p.o.Context)
	notes := annotate(rs, before, after, o.Differences, p.o)
	markChanges(rs)

	p.heading(string(o.Op), o)
	for _, r := range rs {
		p.row(r)
	}
	if len(rs) == 0 {
		p.note(unchangedNote(o))
	}
	for _, note := range notes {
		p.note(note)
	}
	return nil
}

// encodePair gives the two texts. When both exist they keep the empty line
// behind the last newline, as kapp does; a created or deleted object has only
// lines of one colour.
func encodePair(o plan.ObjectReport) (before, after encoded, err error) {
	if before, after, err = encodeWith(yamlText, o); err != nil {
		// An odd character that YAML can't hold must not hide a change.
		before, after, err = encodeWith(jsonText, o)
	}
	if err == nil && o.Before != nil && o.After != nil {
		before.lines, after.lines = append(before.lines, ""), append(after.lines, "")
	}
	return before, after, err
}

func encodeWith(encode func(map[string]any) (string, error), o plan.ObjectReport) (before, after encoded, err error) {
	if before, err = encodeBody(o.Before, encode); err != nil {
		return before, after, err
	}
	after, err = encodeBody(o.After, encode)
	return before, after, err
}

func unchangedNote(o plan.ObjectReport) string {
	switch {
	case o.Op == plan.OpAdopt:
		return "ownership moves to us; no value changes"
	case len(o.Differences) > 0:
		return "the compared values are equal apart from:"
	}
	return "the compared values are equal"
}

func (p *printer) row(r row) {
	if r.kind == rowGap {
		p.line("  ...")
		return
	}
	var comment string
	if len(r.comments) > 0 {
		comment = "  " + painted(p.paint.comment, "# "+strings.Join(r.comments, "; "))
	}
	p.line(p.rowText(r), comment)
}

func (p *printer) rowColor(kind rowKind) *color.Color {
	switch kind {
	case rowRemoved:
		return p.paint.removed
	case rowAdded:
		return p.paint.added
	}
	return nil
}

// gutter is what stands before the text: kapp's two number columns and the sign,
// ten characters wide, or the sign alone.
func (p *printer) gutter(r row) string {
	if !p.o.LineNumbers {
		return string(rune(r.kind)) + " "
	}
	switch r.kind {
	case rowRemoved:
		return fmt.Sprintf("%3d     - ", r.left)
	case rowAdded:
		return fmt.Sprintf("    %3d + ", r.right)
	}
	return fmt.Sprintf("%3d,%3d   ", r.left, r.right)
}
