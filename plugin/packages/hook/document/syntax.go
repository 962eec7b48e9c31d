package document

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says where a text stops being JSON or YAML.
type SyntaxError struct {
	// Line and Column count from 1 over the whole text; 0 is unknown.
	Line, Column int
	// Text says what is wrong.
	Text string
}

// Error gives "line 3, column 7: text".
func (e *SyntaxError) Error() string {
	switch {
	case e.Line == 0:
		return e.Text
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// syntaxAt places an error at a byte of data.
func syntaxAt(data []byte, offset int64, text string) *SyntaxError {
	before := data[:min(max(offset, 0), int64(len(data)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Line:   bytes.Count(before, []byte("\n")) + 1,
		Column: utf8.RuneCount(before[start:]) + 1,
		Text:   text,
	}
}

// checkText refuses what no reader would take as it stands: decoders replace
// broken UTF-8 silently, and a value would not be the one that was written.
func checkText(data []byte) error {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return syntaxAt(data, int64(i), "not UTF-8")
		}
		if r == 0 {
			return syntaxAt(data, int64(i), "a NUL byte")
		}
		i += size
	}
	return nil
}

// withoutMark drops the byte order mark that some editors and shells put first.
func withoutMark(data []byte) []byte {
	return bytes.TrimPrefix(data, []byte("\uFEFF"))
}

// isBlank tells whether nothing but white space is left.
func isBlank(data []byte) bool { return len(bytes.TrimSpace(data)) == 0 }

// yamlFault makes a *SyntaxError of an error of the YAML decoder, whose text may
// quote the input: only the place and the part that names no value are kept.
func yamlFault(err error, firstLine int) *SyntaxError {
	text := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "yaml: "), "unmarshal errors:\n  ")
	text, _, _ = strings.Cut(text, "\n")
	fault := &SyntaxError{Text: "not YAML: " + text}
	if found := yamlLine.FindStringSubmatch(text); found != nil {
		line, _ := strconv.Atoi(found[1])
		fault.Line = line + firstLine - 1
		fault.Text = "not YAML: " + found[2]
	}
	return fault
}

var yamlLine = regexp.MustCompile(`^line (\d+): (.*)$`)
