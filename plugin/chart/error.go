package chart

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// TemplateError is a fault of a template: it can't be read, or it failed.
type TemplateError struct {
	File   string // CHART/templates/x.yaml; "" where the engine doesn't say
	Line   int    // of the template, counted from 1; 0 is unknown
	Column int    // counted from 1; 0 is unknown
	Text   string // what is wrong, and the expression; may quote what the template says
	// Callers are the places that led there, the nearest first, as FILE:LINE:COLUMN.
	Callers []string
}

func (e *TemplateError) Error() string {
	text := e.Text
	if e.File != "" {
		text = e.place() + ": " + text
	}
	if len(e.Callers) > 0 {
		text += " (called from " + strings.Join(e.Callers, ", ") + ")"
	}
	return text
}

func (e *TemplateError) place() string {
	place := e.File
	for _, n := range []int{e.Line, e.Column} {
		if n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	return place
}

// OutputError says that what templates printed is no object. It names template,
// document and line of the output, and no value.
type OutputError struct {
	Findings []object.Finding // at least one
}

func (e *OutputError) Error() string {
	return "output of templates: " + (&object.LoadError{Findings: e.Findings}).Error()
}

// inParentheses is how the engine names a place in one-line errors.
var inParentheses = regexp.MustCompile(`(?s)^(?:parse|execution) error (?:at|in) \(([^()\n]*)\): (.*)$`)

// tplText is the template text that the engine quotes after a failed tpl: it is
// made of values and may hold anything.
var tplText = regexp.MustCompile(`((?:cannot parse template|error during tpl function execution for)) "(?:[^"\\]|\\.)*"`)

// templateError understands the engine's error. files are the known templates.
func templateError(err error, files map[string]bool) error {
	text := tplText.ReplaceAllString(err.Error(), "$1 a text")
	if m := inParentheses.FindStringSubmatch(text); m != nil {
		e := &TemplateError{Text: strings.TrimSpace(m[2])}
		e.File, e.Line, e.Column = splitPlace(m[1])
		return e
	}
	frames := readFrames(text)
	for len(frames) > 0 {
		last := frames[len(frames)-1]
		file, line, column := splitPlace(last.place)
		if !files[file] && len(frames) > 1 {
			// Inside of a text that was given to tpl: the frame before is in a file.
			frames[len(frames)-2].text = last.text
			frames = frames[:len(frames)-1]
			continue
		}
		e := &TemplateError{File: file, Line: line, Column: column, Text: last.text}
		for i := len(frames) - 2; i >= 0; i-- {
			e.Callers = append(e.Callers, frames[i].place)
		}
		return e
	}
	return &TemplateError{Text: text}
}

// frame is one step of the engine's trace.
type frame struct{ place, text string }

// readFrames reads the engine's trace: a line with a place, one with the
// expression that is indented by two, one with the message that is indented by four.
func readFrames(text string) []frame {
	var frames []frame
	var expression string
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		switch indent := len(line) - len(trimmed); {
		case indent == 0 && isPlace(line):
			frames = append(frames, frame{place: line})
			expression = ""
		case len(frames) == 0 || trimmed == "":
		case indent == 2 && strings.HasPrefix(trimmed, "executing "):
			_, expression, _ = strings.Cut(strings.TrimSuffix(trimmed, ":"), " at ")
		default:
			last := &frames[len(frames)-1]
			last.text = joinText(last.text, trimmed, expression)
			expression = ""
		}
	}
	return frames
}

func joinText(text, more, expression string) string {
	if expression != "" {
		more = fmt.Sprintf("%s, in %s", more, expression)
	}
	if text == "" {
		return more
	}
	return text + " " + more
}

// isPlace tells FILE:LINE or FILE:LINE:COLUMN from a message.
func isPlace(text string) bool {
	_, line, _ := splitPlace(text)
	return line > 0 && !strings.Contains(text, " ")
}

// splitPlace takes FILE:LINE:COLUMN apart; missing numbers are 0.
func splitPlace(place string) (file string, line, column int) {
	file = place
	var numbers []int
	for len(numbers) < 2 {
		head, tail, found := cutLast(file, ":")
		n, err := strconv.Atoi(tail)
		if !found || err != nil {
			break
		}
		file, numbers = head, append(numbers, n)
	}
	switch len(numbers) {
	case 1:
		return file, numbers[0], 0
	case 2:
		return file, numbers[1], numbers[0]
	default:
		return file, 0, 0
	}
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}
