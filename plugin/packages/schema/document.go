package schema

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// documentURL names the schema for the library. Nothing is fetched.
const documentURL = "schema:///schema.json"

// compileDocuments makes the library's form of the schema.
func (s *Schema) compileDocuments(helm bool) []bundle.Finding {
	var findings []bundle.Finding
	s.always, findings = s.compileDocument(closer{})
	if helm && len(findings) == 0 {
		s.rendering, findings = s.compileDocument(closer{rendering: true})
	}
	return findings
}

func (s *Schema) compileDocument(c closer) (*jsonschema.Schema, []bundle.Finding) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft4)
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	compiler.RegisterFormat(&jsonschema.Format{Name: "duration", Validate: checkDuration})
	if err := compiler.AddResource(documentURL, c.schema(s.source.raw, false, false)); err != nil {
		return nil, []bundle.Finding{s.source.finding(bundle.Error, nil, "%v", err)}
	}
	compiled, err := compiler.Compile(documentURL)
	if err == nil {
		return compiled, nil
	}
	return nil, s.schemaFaults(err)
}

// schemaFaults says where the schema is none.
func (s *Schema) schemaFaults(err error) []bundle.Finding {
	var invalid *jsonschema.SchemaValidationError
	var tree *jsonschema.ValidationError
	if !errors.As(err, &invalid) || !errors.As(invalid.Err, &tree) {
		return []bundle.Finding{s.source.finding(bundle.Error, nil, "%s", strings.ReplaceAll(err.Error(), documentURL, ""))}
	}
	_, fragment, _ := strings.Cut(invalid.URL, "#")
	base := parsePointer(unescape(fragment))
	var findings []bundle.Finding
	var leaves func(*jsonschema.ValidationError)
	leaves = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			at := base.to(e.InstanceLocation...)
			findings = append(findings, s.source.finding(bundle.Error, at, "%s", faultText(e.ErrorKind)))
		}
		for _, cause := range e.Causes {
			leaves(cause)
		}
	}
	leaves(tree)
	return findings
}

// checkDuration accepts what the platform's library does: Go's durations, and
// "3 days".
func checkDuration(v any) error {
	text, isText := v.(string)
	if !isText {
		return nil
	}
	if _, err := time.ParseDuration(text); err == nil || wordyDuration.MatchString(text) {
		return nil
	}
	return errors.New("no duration")
}

var wordyDuration = regexp.MustCompile(`^\s*\d+(\.\d+)?\s*(ns|nano\w*|us|µs|micro\w*|ms|milli\w*|s|sec\w*|m|min\w*|h|hr\w*|hour\w*|d|day\w*|w|wk\w*|week\w*)\s*$`)

func unescape(fragment string) string {
	if plain, err := url.PathUnescape(fragment); err == nil {
		return plain
	}
	return fragment
}

// nearest is the declared name that a word is a slip of, "" if there is none: a
// letter or two more, less or other.
func nearest(word string, declared map[string]any) string {
	best, least := "", 3
	for name := range declared {
		d := distance(strings.ToLower(word), strings.ToLower(name))
		if d < least && 2*d < len(name) || d == least && best != "" && name < best {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, drop or change to get from a to b.
func distance(a, b string) int {
	if max(len(a), len(b)) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := slices.Clone(row)
		row[0] = i + 1
		for j := range len(b) {
			change := before[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, before[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
