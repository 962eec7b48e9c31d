package schema

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

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
	for _, name := range platformFormats {
		compiler.RegisterFormat(format(name))
	}
	if err := compiler.AddResource(documentURL, c.whole(s.source.raw)); err != nil {
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
		if _, isEither := e.ErrorKind.(*kind.AnyOf); isEither && len(e.Causes) > 0 {
			leaves(telling(e))
			return
		}
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

// telling picks the alternative that says most: one about the value rather than
// about its type.
func telling(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	for _, cause := range e.Causes {
		inner := cause
		for len(inner.Causes) == 1 {
			inner = inner.Causes[0]
		}
		if _, isType := inner.ErrorKind.(*kind.Type); !isType {
			return cause
		}
	}
	return e.Causes[0]
}

// platformFormats are the formats that the platform's library checks; the library
// here knows other ones, and some differently.
var platformFormats = []string{
	"bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time", "datetime", "duration", "email",
	"hexcolor", "hostname", "ipv4", "ipv6", "isbn", "isbn10", "isbn13", "mac", "rgbcolor", "ssn", "uri",
	"uuid", "uuid3", "uuid4", "uuid5",
}

// format makes one check of the platform's.
func format(name string) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if text, isText := v.(string); isText && !strfmt.Default.Validates(name, text) {
			return errors.New("another format")
		}
		return nil
	}}
}

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
