package printers

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	pieceHead   = 40  // characters of the line's start, which holds its key
	pieceBefore = 40  // characters of context before a change
	pieceChange = 100 // characters of the change itself
	pieceAfter  = 20  // characters of context behind it
)

// markChanges notes in removed and added rows where they differ from the line
// they face.
func markChanges(rows []row) {
	for i := 0; i < len(rows); {
		removed := run(rows, i, rowRemoved)
		added := run(rows, i+removed, rowAdded)
		for k := range min(removed, added) {
			markPair(&rows[i+k], &rows[i+removed+k])
		}
		i += max(1, removed+added)
	}
}

// run counts the rows of one kind from i on.
func run(rows []row, i int, kind rowKind) int {
	n := 0
	for i+n < len(rows) && rows[i+n].kind == kind {
		n++
	}
	return n
}

func markPair(l, r *row) {
	a, b := l.text, r.text
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	tail := 0
	for tail < len(a)-from && tail < len(b)-from && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	l.from, l.to = runeStart(a, from), runeEnd(a, len(a)-tail)
	r.from, r.to = runeStart(b, from), runeEnd(b, len(b)-tail)
}

// runeStart moves an offset back and runeEnd forward to the edge of a character,
// so that a piece never starts or ends within one.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func runeEnd(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

// shortened gives the text of a row as it is printed: whole, or for a line of
// more than width characters its start and a piece around the change, with the
// length and the place, so that nothing is left out in silence.
func shortened(r row, width int) string {
	if len(r.text) <= width || utf8.RuneCountInString(r.text) <= width {
		return clean(r.text)
	}
	s := r.text
	length := utf8.RuneCountInString(s)
	if r.from == r.to && r.from == 0 {
		end := forward(s, 0, pieceHead+pieceBefore+pieceChange)
		return fmt.Sprintf("%s… (%d characters)", clean(s[:end]), length)
	}
	head := min(forward(s, 0, pieceHead), r.from)
	start := max(head, backward(s, r.from, pieceBefore))
	middle := min(r.to, forward(s, r.from, pieceChange))
	end := middle
	if middle == r.to {
		end = forward(s, middle, pieceAfter)
	}
	at := utf8.RuneCountInString(s[:r.from])
	changed := utf8.RuneCountInString(s[r.from:r.to])
	return clean(s[:head]) + ellipsis(start > head) + clean(s[start:end]) + ellipsis(end < len(s)) +
		fmt.Sprintf(" (%d characters, %s)", length, place(at, changed))
}

func ellipsis(cut bool) string {
	if cut {
		return "…"
	}
	return ""
}

// place tells which characters of a line differ, counted from one.
func place(at, changed int) string {
	if changed <= 1 {
		return fmt.Sprintf("differs at %d", at+1)
	}
	return fmt.Sprintf("differs at %d to %d", at+1, at+changed)
}

// forward gives the offset n characters behind offset i, backward n before it.
func forward(s string, i, n int) int {
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func backward(s string, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return i
}

// oneLine prints a value of a field on one line: compact JSON, cut to a readable
// length.
func oneLine(has bool, value any) string {
	if !has {
		return "nothing"
	}
	text := compactJSON(value)
	const limit = 100
	if utf8.RuneCountInString(text) <= limit {
		return clean(text)
	}
	return clean(text[:forward(text, 0, limit)]) + fmt.Sprintf("… (%d characters)", utf8.RuneCountInString(text))
}

func compactJSON(value any) string {
	var b strings.Builder
	if err := encodeJSON(&b, value, ""); err != nil {
		return fmt.Sprintf("<%v>", err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
