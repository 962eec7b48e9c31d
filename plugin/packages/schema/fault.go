package schema

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// faults takes the library's tree of errors apart.
func (s *Schema) faults(e *jsonschema.ValidationError) []Fault {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return []Fault{s.fault(e, "fits none of the alternatives: "+s.alternatives(e))}
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return []Fault{s.fault(e, fmt.Sprintf("fits alternatives %d and %d, wanted exactly one", k.Subschemas[0]+1, k.Subschemas[1]+1))}
		}
		return []Fault{s.fault(e, "fits none of the alternatives: "+s.alternatives(e))}
	case *kind.AdditionalProperties:
		return s.forbidden(e, k.Properties)
	case *kind.Required:
		return s.missing(e, k.Missing)
	}
	if len(e.Causes) == 0 {
		return []Fault{s.fault(e, faultText(e.ErrorKind))}
	}
	var all []Fault
	for _, cause := range e.Causes {
		all = append(all, s.faults(cause)...)
	}
	return all
}

// fault is one at the place of the library's error.
func (s *Schema) fault(e *jsonschema.ValidationError, text string) Fault {
	at := s.placeOf(e)
	return Fault{Path: keyOf(e.InstanceLocation), Text: text, File: at.file, Line: at.line}
}

// placeOf finds the line of the schema that an error is about.
func (s *Schema) placeOf(e *jsonschema.ValidationError) place {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	return s.source.placeOf(parsePointer(unescape(fragment)).to(e.ErrorKind.KeywordPath()...))
}

// forbidden names each property that is not declared, and the one that may be meant.
func (s *Schema) forbidden(e *jsonschema.ValidationError, names []string) []Fault {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	_, declared, _ := s.source.resolve("#" + unescape(fragment))
	raw, _ := declared.(map[string]any)
	properties, _ := raw["properties"].(map[string]any)
	var all []Fault
	for _, name := range names {
		f := s.fault(e, "forbidden property: it is not declared in the "+string(s.kind)+" schema")
		f.Path = keyOf(append(e.InstanceLocation[:len(e.InstanceLocation):len(e.InstanceLocation)], name))
		if _, isSetting := s.besides[name]; isSetting && len(e.InstanceLocation) == 0 {
			f.Text += ", which doesn't extend that of the settings (x-extend)"
		} else if meant := nearest(name, properties); meant != "" {
			f.Text += "; did you mean " + meant + "?"
		}
		all = append(all, f)
	}
	return all
}

func (s *Schema) missing(e *jsonschema.ValidationError, names []string) []Fault {
	_, fragment, _ := strings.Cut(e.SchemaURL, "#")
	at, declared, _ := s.source.resolve("#" + unescape(fragment))
	raw, _ := declared.(map[string]any)
	always, _ := raw["required"].([]any)
	var all []Fault
	for _, name := range names {
		f := s.fault(e, "is required")
		f.Path = keyOf(append(e.InstanceLocation[:len(e.InstanceLocation):len(e.InstanceLocation)], name))
		if raw[helmKey] != nil && !slices.Contains(always, any(name)) {
			found := s.source.placeOf(at.to(helmKey))
			f.File, f.Line = found.file, found.line
		}
		all = append(all, f)
	}
	return all
}

// alternatives says of each branch why it doesn't fit.
func (s *Schema) alternatives(e *jsonschema.ValidationError) string {
	var reasons []string
	for i, cause := range e.Causes {
		reason := "doesn't fit"
		if faults := s.faults(cause); len(faults) > 0 {
			reason = faults[0].Text
			if inner := faults[0].Path; inner != keyOf(e.InstanceLocation) {
				reason = inner + " " + reason
			}
		}
		reasons = append(reasons, fmt.Sprintf("(%d) %s", i+1, reason))
	}
	return strings.Join(reasons, ", ")
}

// faultText says what the schema wants. The library's texts hold values.
func faultText(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("wanted %s, found %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return "wanted one of " + list(k.Want)
	case *kind.Pattern:
		return "wanted text that matches " + k.Want
	case *kind.Format:
		return "wanted text of the format " + k.Want
	case *kind.Minimum:
		return cmp.Or(integerText(k.Want), "wanted at least "+number(k.Want))
	case *kind.ExclusiveMinimum:
		return "wanted more than " + number(k.Want)
	case *kind.Maximum:
		return cmp.Or(integerText(k.Want), "wanted at most "+number(k.Want))
	case *kind.ExclusiveMaximum:
		return "wanted less than " + number(k.Want)
	case *kind.MultipleOf:
		return "wanted a multiple of " + number(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("wanted at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("wanted at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("wanted at least %d items, found %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("wanted at most %d items, found %d", k.Want, k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("wanted at least %d properties, found %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("wanted at most %d properties, found %d", k.Want, k.Got)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are the same", k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.Not:
		return "is what the schema excludes"
	default:
		return "doesn't hold: " + strings.Join(k.KeywordPath(), "/")
	}
}

func number(n *big.Rat) string {
	if n.IsInt() {
		return n.RatString()
	}
	return strings.TrimRight(n.FloatString(6), "0")
}

// list writes the values of an enum as the schema has them.
func list(values []any) string {
	var words []string
	for _, v := range values {
		if text, isText := v.(string); isText {
			words = append(words, text)
			continue
		}
		text, err := object.EncodeJSON(v)
		if err != nil {
			text = []byte("?")
		}
		words = append(words, strings.TrimSpace(string(text)))
	}
	return strings.Join(words, ", ")
}
