package printers

// rowKind says what a row of a diff is.
type rowKind byte

const (
	rowCommon  rowKind = ' '
	rowRemoved rowKind = '-'
	rowAdded   rowKind = '+'
	rowGap     rowKind = '.' // hidden common lines
)

// row is one printed line of a diff. left and right are line numbers counted
// from zero; the one that a kind lacks is meaningless.
type row struct {
	kind        rowKind
	left, right int
	text        string
	comments    []string
	// from and to are the bytes of text that differ from the line it replaces;
	// equal when nothing is known.
	from, to int
}

// rows lays a diff out: changed lines, removed before added, with context
// unchanged lines on both sides, and a gap row wherever lines are left out
// before a shown one.
func rows(a, b []string, edits []edit, context int) []row {
	var out []row
	x, y := 0, 0 // next lines that are not laid out yet
	common := func(from, to int) {
		if from > x {
			out = append(out, row{kind: rowGap})
		}
		for i := from; i < to; i++ {
			out = append(out, row{kind: rowCommon, left: i, right: y + i - x, text: a[i]})
		}
		x, y = to, y+to-x
	}
	for i, e := range edits {
		common(max(x, first(e.a0, context)), e.a0)
		for ; x < e.a1; x++ {
			out = append(out, row{kind: rowRemoved, left: x, text: a[x]})
		}
		for ; y < e.b1; y++ {
			out = append(out, row{kind: rowAdded, right: y, text: b[y]})
		}
		end := len(a)
		if i+1 < len(edits) {
			end = edits[i+1].a0
		}
		if context >= 0 {
			end = min(end, x+context)
		}
		common(x, end)
	}
	return out
}

// first is the first line of the context before a change at line n.
func first(n, context int) int {
	if context < 0 {
		return 0
	}
	return max(0, n-context)
}
