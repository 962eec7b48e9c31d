package printers

import (
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
)

// strong gives the colour of the part of a line that differs from the line it
// faces.
func (p *printer) strong(k rowKind) *color.Color {
	switch k {
	case rowRemoved:
		return p.paint.removedStrong
	case rowAdded:
		return p.paint.addedStrong
	}
	return nil
}

// rowText colours a line and, where it faces another one that is mostly the
// same, the part that differs more strongly.
func (p *printer) rowText(r row) string {
	width, plain := p.o.width(), p.rowColor(r.kind)
	if !p.o.Color || !worthHighlighting(r) || utf8.RuneCountInString(r.text) > width {
		return painted(plain, p.gutter(r)+shortened(r, width))
	}
	return painted(plain, p.gutter(r)+clean(r.text[:r.from])) +
		painted(p.strong(r.kind), clean(r.text[r.from:r.to])) +
		painted(plain, clean(r.text[r.to:]))
}

// worthHighlighting: lines with different keys are different lines, not one
// that changed. A line has its key in common where the difference starts behind
// it, or behind the dash of a list.
func worthHighlighting(r row) bool {
	if r.from >= r.to {
		return false
	}
	common := strings.TrimLeft(r.text[:r.from], " ")
	return strings.Contains(common, ": ") || strings.HasPrefix(common, "- ") && !strings.Contains(r.text, ": ")
}
