package chart

import (
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

	cause error
}

// Unwrap returns the engine's error, and through it what Request.Lookup returned.
func (e *TemplateError) Unwrap() error { return e.cause }

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
		e := &TemplateError{Text: strings.TrimSpace(m[2]), cause: err}
		e.File, e.Line, e.Column = splitPlace(m[1])
		return e
	}
	frames := readTrace(text)
	if len(frames) == 0 {
		frames = readChain(text)
	}
	return fromFrames(frames, text, files, err)
}

// frame is one step from the rendered file to the fault.
type frame struct{ place, expression, text string }

// fromFrames takes the innermost place that lies in a file. What lies deeper is in
// a text that was given to tpl.
func fromFrames(frames []frame, text string, files map[string]bool, cause error) error {
	innermost := len(frames) - 1
	for innermost > 0 {
		if file, _, _ := splitPlace(frames[innermost].place); files[file] {
			break
		}
		innermost--
	}
	if innermost < 0 {
		return &TemplateError{Text: text, cause: cause}
	}
	last := frames[len(frames)-1]
	e := &TemplateError{Text: strings.TrimSpace(last.text), cause: cause}
	if last.expression != "" {
		e.Text += ", in " + last.expression
	}
	if innermost < len(frames)-1 {
		e.Text += ", in a text given to tpl"
	}
	e.File, e.Line, e.Column = splitPlace(frames[innermost].place)
	for i := innermost - 1; i >= 0; i-- {
		e.Callers = append(e.Callers, frames[i].place)
	}
	return e
}

// readTrace reads the form of several lines: one with a place, one with the
// expression that is indented by two, one with the message that is indented by four.
func readTrace(text string) []frame {
	var frames []frame
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimLeft(line, " ")
		switch indent := len(line) - len(trimmed); {
		case indent == 0 && isPlace(line):
			frames = append(frames, frame{place: line})
		case len(frames) == 0 || trimmed == "":
		case indent == 2 && strings.HasPrefix(trimmed, "executing "):
			_, frames[len(frames)-1].expression, _ = strings.Cut(strings.TrimSuffix(trimmed, ":"), " at ")
		default:
			frames[len(frames)-1].text += trimmed + " "
		}
	}
	return frames
}

// step is one link of the form of one line, as text/template writes it.
var step = regexp.MustCompile(`template: (\S+:\d+): (?:executing "[^"]*" at (<[^>]*>): )?`)

// readChain reads the form of one line: each step is followed by what it called,
// the last one by the fault.
func readChain(text string) []frame {
	var frames []frame
	for _, at := range step.FindAllStringSubmatchIndex(text, -1) {
		f := frame{place: text[at[2]:at[3]], text: text[at[1]:]}
		if at[4] >= 0 {
			f.expression = text[at[4]:at[5]]
		}
		frames = append(frames, f)
	}
	return frames
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
