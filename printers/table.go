package printers

import (
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
)

// cell is one field of a table. Text is clean already; colours don't count for
// its width.
type cell struct {
	text  string
	color *color.Color
}

// table is a list of rows in columns, two blanks apart.
type table struct {
	header []string
	rows   [][]cell
	// wrap gives columns a width at which their text goes on in the next line.
	wrap map[int]int
}

// add puts a row behind the others. An empty cell prints a dash.
func (t *table) add(cells ...cell) {
	for i := range cells {
		if cells[i].text == "" {
			cells[i].text = "-"
		}
	}
	t.rows = append(t.rows, cells)
}

// ditto replaces repeats in the first column by ^, as kapp does.
func (t *table) ditto() {
	last := ""
	for _, cells := range t.rows {
		if text := cells[0].text; text == last {
			cells[0].text = "^"
		} else {
			last = text
		}
	}
}

func (t *table) print(p *printer) {
	lines := [][]cell{t.headerCells()}
	for _, cells := range t.rows {
		lines = append(lines, t.wrapped(cells)...)
	}
	widths := make([]int, len(t.header))
	for _, cells := range lines {
		for i, c := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(c.text))
		}
	}
	for _, cells := range lines {
		p.line(tableLine(cells, widths))
	}
}

func (t *table) headerCells() []cell {
	cells := make([]cell, len(t.header))
	for i, text := range t.header {
		cells[i].text = text
	}
	return cells
}

// wrapped gives the lines of one row: more than one when a cell is too long for
// its column.
func (t *table) wrapped(cells []cell) [][]cell {
	out := [][]cell{make([]cell, len(cells))}
	copy(out[0], cells)
	for i, width := range t.wrap {
		for n, text := range wrapText(cells[i].text, width) {
			if n == len(out) {
				out = append(out, make([]cell, len(cells)))
			}
			out[n][i] = cell{text, cells[i].color}
		}
	}
	return out
}

// tableLine pads all cells but leaves no blanks at the end of the line.
func tableLine(cells []cell, widths []int) string {
	var b strings.Builder
	pending := 0
	for i, c := range cells {
		if c.text != "" {
			b.WriteString(strings.Repeat(" ", pending))
			b.WriteString(painted(c.color, c.text))
			pending = 0
		}
		pending += widths[i] - utf8.RuneCountInString(c.text) + 2
	}
	return b.String()
}

// wrapText breaks a text at blanks; a word longer than the width is broken.
func wrapText(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > width {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			end := forward(word, 0, width)
			lines, word = append(lines, word[:end]), word[end:]
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}
