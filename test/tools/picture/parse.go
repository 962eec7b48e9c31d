package main

import (
	"fmt"
	"strconv"
	"strings"
)

// style is how a piece of text looks. The zero value is the terminal's default.
type style struct {
	bold, reverse bool
	// color is 1 to 16, the number of one of the terminal's colours plus one; 0 is
	// the default.
	color int
}

// span is text of one style in one line.
type span struct {
	style style
	text  string
}

// parse splits terminal output into lines of spans.
func parse(text string) ([][]span, error) {
	var lines [][]span
	var at style
	for number, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var spans []span
		for line != "" {
			plain, sequence, found := strings.Cut(line, "\x1b[")
			if plain != "" {
				spans = append(spans, span{at, plain})
			}
			if !found {
				break
			}
			codes, rest, ended := strings.Cut(sequence, "m")
			next, err := at.with(codes)
			if !ended || err != nil {
				return nil, fmt.Errorf("line %d: escape sequence %q: only colours and bold can be drawn", number+1, "ESC["+codes)
			}
			at, line = next, rest
		}
		lines = append(lines, spans)
	}
	return lines, nil
}

// with applies the codes of one SGR sequence.
func (s style) with(codes string) (style, error) {
	for _, text := range strings.Split(codes, ";") {
		if text == "" {
			text = "0"
		}
		code, err := strconv.Atoi(text)
		if err != nil {
			return s, err
		}
		switch {
		case code == 0:
			s = style{}
		case code == 1:
			s.bold = true
		case code == 22:
			s.bold = false
		case code == 7:
			s.reverse = true
		case code == 27:
			s.reverse = false
		case code == 39:
			s.color = 0
		case 30 <= code && code <= 37:
			s.color = code - 30 + 1
		case 90 <= code && code <= 97:
			s.color = code - 90 + 9
		default:
			return s, fmt.Errorf("unknown code %d", code)
		}
	}
	return s, nil
}
