package printers

import (
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// annotate puts what is known about a difference behind the line that shows it
// and returns the rest as notes: differences whose line isn't changed, isn't
// shown or can't be found.
func annotate(rs []row, before, after encoded, differences []plan.Difference, o Options) []string {
	var notes []string
	var index *lineIndex
	for _, d := range differences {
		comment := o.comment(d)
		if comment == "" {
			continue
		}
		if index == nil {
			index = newLineIndex(rs, before, after)
		}
		if r := index.row(d); r != nil {
			r.comment(comment)
			continue
		}
		notes = append(notes, clean(d.Path)+": "+comment)
	}
	return notes
}

func (r *row) comment(text string) {
	for _, c := range r.comments {
		if c == text {
			return
		}
	}
	r.comments = append(r.comments, text)
}

// lineIndex finds the row that shows a path.
type lineIndex struct {
	before, after  *locator
	removed, added map[int]*row
}

func newLineIndex(rs []row, before, after encoded) *lineIndex {
	x := &lineIndex{
		before:  &locator{body: before},
		after:   &locator{body: after},
		removed: map[int]*row{},
		added:   map[int]*row{},
	}
	for i := range rs {
		switch rs[i].kind {
		case rowRemoved:
			x.removed[rs[i].left] = &rs[i]
		case rowAdded:
			x.added[rs[i].right] = &rs[i]
		}
	}
	return x
}

// row prefers the line that somebody made as it is: the live one, except for
// what the server will add. Where only one side has the path, that side's line
// tells it: the other may have an element that looks like it, with a key left out.
func (x *lineIndex) row(d plan.Difference) *row {
	old := func() *row { return firstIn(x.before, d.Path, x.removed) }
	next := func() *row { return firstIn(x.after, d.Path, x.added) }
	if d.Verdict == plan.VerdictServer || !d.HasLive {
		old, next = next, old
	}
	if r := old(); r != nil {
		return r
	}
	return next()
}

func firstIn(l *locator, path string, changed map[int]*row) *row {
	at, ok := l.find(path)
	if !ok {
		return nil
	}
	for i := at.from; i < at.to; i++ {
		if r := changed[i]; r != nil {
			return r
		}
	}
	return nil
}

// comment words what a difference is beside plainly visible; empty when the red
// and green lines say it all.
func (o Options) comment(d plan.Difference) string {
	switch d.Verdict {
	case plan.VerdictDrift:
		return "drift: " + driftAuthors(d)
	case plan.VerdictConflict:
		return "conflict with " + owners(d.Authors)
	case plan.VerdictServer:
		return "by the server"
	case plan.VerdictRelease:
		return "released (kept by " + managers(d.Authors) + ")"
	case plan.VerdictIneffective:
		return "the server undoes this value"
	case plan.VerdictImmutable:
		return "immutable"
	case plan.VerdictChange:
		return o.foreignAuthors(d)
	}
	return ""
}

func driftAuthors(d plan.Difference) string {
	if d.AuthorUnknown || len(d.Authors) == 0 {
		return "author unknown"
	}
	return "changed by " + bounded(d.Authors)
}

// foreignAuthors tells who wrote the value that a change overwrites, when it
// wasn't us: without a last applied body the table can't call it drift.
func (o Options) foreignAuthors(d plan.Difference) string {
	var foreign []plan.Author
	for _, a := range d.Authors {
		if a.Manager != o.fieldManager() {
			foreign = append(foreign, a)
		}
	}
	if len(foreign) == 0 {
		return ""
	}
	return "live value by " + bounded(foreign)
}

// bounded names authors with the bound that managedFields gives: an entry's time
// is its last write, so the change was made at or before it.
func bounded(authors []plan.Author) string {
	parts := make([]string, len(authors))
	for i, a := range authors {
		parts[i] = managerName(a.Manager)
		if a.Subresource != "" {
			parts[i] += " (" + clean(a.Subresource) + ")"
		}
		if a.Time != nil {
			parts[i] += ", at or before " + a.Time.UTC().Format(time.RFC3339)
		}
	}
	return strings.Join(parts, "; ")
}

// owners names managers with their operation, which decides how ownership can
// be taken.
func owners(authors []plan.Author) string {
	if len(authors) == 0 {
		return "another manager"
	}
	parts := make([]string, len(authors))
	for i, a := range authors {
		parts[i] = strconv.Quote(a.Manager)
		if a.Operation != "" {
			parts[i] += " (" + clean(a.Operation) + ")"
		}
	}
	return strings.Join(parts, ", ")
}

func managers(authors []plan.Author) string {
	if len(authors) == 0 {
		return "another manager"
	}
	parts := make([]string, len(authors))
	for i, a := range authors {
		parts[i] = managerName(a.Manager)
	}
	return strings.Join(parts, ", ")
}

// managerName quotes a name that could be read as part of the sentence: anybody
// who may write an object chooses the name that stands in managedFields.
func managerName(name string) string {
	const plain = "-._/:@abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if name != "" && strings.Trim(name, plain) == "" {
		return name
	}
	return strconv.Quote(name)
}
