package chart

import (
	"errors"
	"strconv"
	"strings"

	"helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// document is one document of a template's output.
type document struct {
	file   string
	text   string
	number int // counted from 1
	line   int // where it begins in the output, counted from 1
}

// documents splits output as Helm does, which is not quite YAML's way: text may
// follow "---" on the same line, and a document loses the blanks it begins with.
func documents(file, text string) []document {
	parts := util.SplitManifests(text)
	var all []document
	position := 0
	for i := range len(parts) {
		part := parts["manifest-"+strconv.Itoa(i)]
		if at := strings.Index(text[position:], part); at >= 0 {
			position += at
		}
		all = append(all, document{
			file: file, text: part, number: i + 1,
			line: 1 + strings.Count(text[:position], "\n"),
		})
		position = min(position+len(part), len(text))
	}
	return all
}

// load reads the objects of the document. The places of objects, warnings and
// findings are those in the whole output.
func (d document) load(strictKeys bool) (object.Set, []object.Finding) {
	set, err := object.Load(strings.NewReader(d.text), d.file)
	var fault *object.LoadError
	switch {
	case err == nil:
	case !errors.As(err, &fault):
		return object.Set{}, []object.Finding{{Origin: d.place(object.Origin{File: d.file}), Text: err.Error()}}
	case !strictKeys && onlyRepeated(fault.Findings):
		return d.loadLastWins(fault.Findings)
	default:
		return object.Set{}, d.placed(fault.Findings)
	}
	for i := range set.Objects {
		set.Objects[i].Origin = d.place(set.Objects[i].Origin)
	}
	for i := range set.Warnings {
		set.Warnings[i].Origin = d.place(set.Warnings[i].Origin)
	}
	return set, nil
}

// loadLastWins reads a document that gives keys twice as Helm and kubectl do: the
// last one counts. Many charts rely on it without knowing.
func (d document) loadLastWins(repeated []object.Finding) (object.Set, []object.Finding) {
	json, err := yaml.YAMLToJSON([]byte(d.text))
	if err != nil {
		return object.Set{}, d.placed(repeated)
	}
	once := d
	once.text = string(json)
	set, findings := once.load(true)
	for i := range set.Objects {
		set.Objects[i].Origin.Line = d.line
	}
	for _, f := range d.placed(repeated) {
		set.Warnings = append(set.Warnings, object.Warning{Origin: f.Origin, Text: f.Text + "; the last one is used"})
	}
	return set, findings
}

func onlyRepeated(findings []object.Finding) bool {
	for _, f := range findings {
		if !f.Repeated {
			return false
		}
	}
	return len(findings) > 0
}

// place moves a place in the document to the whole output.
func (d document) place(o object.Origin) object.Origin {
	o.Document = d.number
	o.Line = d.line + max(o.Line, 1) - 1
	return o
}

func (d document) placed(findings []object.Finding) []object.Finding {
	lines := strings.Split(d.text, "\n")
	for i, f := range findings {
		if shown := shownLine(lines, f.Origin.Line); shown != "" {
			findings[i].Text += ", at " + strconv.Quote(shown)
		}
		findings[i].Origin = d.place(f.Origin)
	}
	return findings
}

// shownLine returns the key of a rendered line, without its value: rendered text
// may hold a secret, and the key is enough to find the line in a template.
func shownLine(lines []string, line int) string {
	if line < 1 || line > len(lines) {
		return ""
	}
	text := lines[line-1]
	key, _, found := strings.Cut(text, ": ")
	if !found {
		key, found = strings.CutSuffix(strings.TrimRight(text, " \r"), ":")
	}
	if !found || len(key) > 100 {
		return ""
	}
	return key + ":"
}
