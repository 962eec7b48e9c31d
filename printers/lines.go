package printers

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// edit replaces the lines [a0,a1) of the old text by the lines [b0,b1) of the
// new one.
type edit struct{ a0, a1, b0, b1 int }

// maxAnchorDepth bounds how often a stretch between anchors is searched for new
// anchors, which keeps texts made of repeated lines from costing quadratic time.
const maxAnchorDepth = 8

// diffLines compares two texts by lines. The edits are in order, neither touch
// nor overlap, and their lines differ at both ends.
//
// Lines that occur once on both sides are anchors; between them the library's
// bidirectional search fills in. The library alone looks at no more than a
// hundred edits and then calls the whole middle changed, which would paint equal
// lines red and green in a large file. Space is linear.
func diffLines(a, b []string) []edit {
	d := newDiffer(a, b)
	d.search(0, len(a), 0, len(b), 0)
	d.settle(a, b)
	return d.edits
}

type differ struct {
	a, b []rune // one number a distinct line: cheap to compare
	// How often a line occurs in the stretch looked at, and where last.
	seenA, seenB []int32
	lastB        []int32
	edits        []edit
}

// match says that line x of the old text is line y of the new one.
type match struct{ x, y int }

func newDiffer(a, b []string) *differ {
	ids := make(map[string]rune, max(len(a), len(b)))
	number := func(lines []string) []rune {
		out := make([]rune, len(lines))
		for i, line := range lines {
			id, ok := ids[line]
			if !ok {
				id = rune(len(ids))
				ids[line] = id
			}
			out[i] = id
		}
		return out
	}
	d := &differ{a: number(a), b: number(b)}
	d.seenA, d.seenB = make([]int32, len(ids)), make([]int32, len(ids))
	d.lastB = make([]int32, len(ids))
	return d
}

func (d *differ) search(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && d.a[a0] == d.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && d.a[a1-1] == d.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 {
		d.emit(a0, a1, b0, b1)
		return
	}
	d.count(a0, a1, b0, b1)
	var anchors []match
	if depth < maxAnchorDepth {
		anchors = d.anchors(a0, a1)
	}
	left, right := d.shared(a0, a1, d.a, d.seenB), d.shared(b0, b1, d.b, d.seenA)
	d.forget(a0, a1, b0, b1)

	if len(anchors) == 0 {
		d.fill(left, right, match{a0, b0}, match{a1, b1})
		return
	}
	for _, m := range anchors {
		d.search(a0, m.x, b0, m.y, depth+1)
		a0, b0 = m.x+1, m.y+1
	}
	d.search(a0, a1, b0, b1, depth+1)
}

func (d *differ) count(a0, a1, b0, b1 int) {
	for i := a0; i < a1; i++ {
		d.seenA[d.a[i]]++
	}
	for i := b0; i < b1; i++ {
		d.seenB[d.b[i]]++
		d.lastB[d.b[i]] = int32(i)
	}
}

// forget resets only what count touched, so that small stretches stay cheap.
func (d *differ) forget(a0, a1, b0, b1 int) {
	for i := a0; i < a1; i++ {
		d.seenA[d.a[i]] = 0
	}
	for i := b0; i < b1; i++ {
		d.seenB[d.b[i]] = 0
	}
}

// anchors gives the longest run of lines, in the order of both texts, that occur
// exactly once on either side of the counted stretch.
func (d *differ) anchors(a0, a1 int) []match {
	var unique []match
	for i := a0; i < a1; i++ {
		id := d.a[i]
		if d.seenA[id] == 1 && d.seenB[id] == 1 {
			unique = append(unique, match{i, int(d.lastB[id])})
		}
	}
	return longestRising(unique)
}

// longestRising keeps the longest subsequence whose y rises; x rises already.
func longestRising(ms []match) []match {
	tails := make([]int, 0, len(ms)) // tails[k]: index of the end of the best run of k+1
	before := make([]int, len(ms))
	for i, m := range ms {
		k := sort.Search(len(tails), func(k int) bool { return ms[tails[k]].y >= m.y })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	out := make([]match, len(tails))
	if len(tails) > 0 {
		for i, k := tails[len(tails)-1], len(tails)-1; k >= 0; i, k = before[i], k-1 {
			out[k] = ms[i]
		}
	}
	return out
}

// shared lists the lines of a stretch that occur on the other side too. The rest
// can't match anything, so leaving it out changes no result and much time.
func (d *differ) shared(from, to int, lines []rune, other []int32) []int {
	var out []int
	for i := from; i < to; i++ {
		if other[lines[i]] > 0 {
			out = append(out, i)
		}
	}
	return out
}

// fill matches a stretch without anchors and emits its edits. from and to are
// the corners of the stretch.
func (d *differ) fill(left, right []int, from, to match) {
	matches := d.matches(left, right)
	at := from
	for _, m := range matches {
		d.emit(at.x, m.x, at.y, m.y)
		at = match{m.x + 1, m.y + 1}
	}
	d.emit(at.x, to.x, at.y, to.y)
}

// matches asks the library, and asks again for the middle that it gave up on as
// long as that finds something.
func (d *differ) matches(left, right []int) []match {
	var out []match
	type stretch struct{ l0, l1, r0, r1 int }
	todo := []stretch{{0, len(left), 0, len(right)}}
	pick := func(ids []rune, at []int) []rune {
		out := make([]rune, len(at))
		for i, n := range at {
			out[i] = ids[n]
		}
		return out
	}
	la, rb := pick(d.a, left), pick(d.b, right)
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s.l0 == s.l1 || s.r0 == s.r1 {
			continue
		}
		x, y := s.l0, s.r0
		equal := func(n int) {
			for ; n > 0; n, x, y = n-1, x+1, y+1 {
				out = append(out, match{left[x], right[y]})
			}
		}
		var gaps []stretch
		for _, g := range lcs.DiffRunes(la[s.l0:s.l1], rb[s.r0:s.r1]) {
			equal(s.l0 + g.Start - x)
			x, y = s.l0+g.End, s.r0+g.ReplEnd
			gaps = append(gaps, stretch{s.l0 + g.Start, x, s.r0 + g.ReplStart, y})
		}
		equal(s.l1 - x)
		if len(gaps) != 1 || gaps[0] != s {
			todo = append(todo, gaps...)
		}
	}
	slices.SortFunc(out, func(m, n match) int { return m.x - n.x })
	return out
}

// emit adds an edit, joined with the last one where they touch.
func (d *differ) emit(a0, a1, b0, b1 int) {
	if a0 == a1 && b0 == b1 {
		return
	}
	if n := len(d.edits); n > 0 && d.edits[n-1].a1 == a0 && d.edits[n-1].b1 == b0 {
		d.edits[n-1].a1, d.edits[n-1].b1 = a1, b1
		return
	}
	d.edits = append(d.edits, edit{a0, a1, b0, b1})
}

// settle moves added or removed blocks that fit in several places to where they
// read best: "- name: c / port: 80" rather than "port: 80 / - name: c".
func (d *differ) settle(a, b []string) {
	for i := range d.edits {
		e := &d.edits[i]
		low, high := edit{}, edit{a0: len(a), b0: len(b)}
		if i > 0 {
			low = d.edits[i-1]
		}
		if i+1 < len(d.edits) {
			high = d.edits[i+1]
		}
		// One line must stay between two edits: they would become one otherwise.
		room := min(e.a0-low.a1, e.b0-low.b1)
		after := min(high.a0-e.a1, high.b0-e.b1)
		if i > 0 {
			room--
		}
		if i+1 < len(d.edits) {
			after--
		}
		shift := 0
		switch {
		case e.a0 == e.a1:
			shift = bestShift(b, e.b0, e.b1, room, after)
		case e.b0 == e.b1:
			shift = bestShift(a, e.a0, e.a1, room, after)
		}
		*e = edit{e.a0 + shift, e.a1 + shift, e.b0 + shift, e.b1 + shift}
	}
}

// bestShift looks at all places where the block lines[from:to] could stand and
// prefers the one whose first line is indented least, the last of equal ones.
func bestShift(lines []string, from, to, room, after int) int {
	up := 0
	for up < room && lines[from-up-1] == lines[to-up-1] {
		up++
	}
	down := 0
	for down < after && lines[from+down] == lines[to+down] {
		down++
	}
	best, least := 0, math.MaxInt
	for shift := -up; shift <= down; shift++ {
		if n := indentation(lines[from+shift]); n <= least {
			best, least = shift, n
		}
	}
	return best
}

func indentation(line string) int {
	rest := strings.TrimLeft(line, " ")
	if rest == "" {
		return math.MaxInt // a block that starts with a blank line reads badly
	}
	return len(line) - len(rest)
}
