package chart

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	helm "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const schemaFile = "values.schema.json"

// checkSchemas holds the values of a chart and its sub-charts against their
// values.schema.json, as Helm does, but without network or files: a schema that
// refers to another place is a warning and not used.
func checkSchemas(c *helm.Chart, values map[string]any) ([]object.Finding, []object.Warning) {
	var findings []object.Finding
	var warnings []object.Warning
	if c.Schema != nil {
		origin := object.Origin{File: c.ChartFullPath() + "/" + schemaFile}
		found, warning := checkSchema(c.Schema, values, origin)
		findings = append(findings, found...)
		warnings = append(warnings, warning...)
	}
	for _, child := range c.Dependencies() {
		sub, isMap := values[child.Name()].(map[string]any)
		if !isMap {
			continue
		}
		found, warning := checkSchemas(child, sub)
		findings = append(findings, found...)
		warnings = append(warnings, warning...)
	}
	return findings, warnings
}

func checkSchema(schema []byte, values map[string]any, origin object.Origin) ([]object.Finding, []object.Warning) {
	compiled, err := compileSchema(schema)
	var reference *jsonschema.LoadURLError
	switch {
	case errors.As(err, &reference):
		return nil, []object.Warning{{
			Origin: origin,
			Text:   "it refers to " + reference.URL + ", which is not fetched: the values are not checked",
		}}
	case err != nil:
		return []object.Finding{{Origin: origin, Text: "no JSON schema: " + err.Error()}}, nil
	}
	var invalid *jsonschema.ValidationError
	err = compiled.Validate(values)
	switch {
	case err == nil:
		return nil, nil
	case !errors.As(err, &invalid):
		return []object.Finding{{Origin: origin, Text: "the values can't be checked"}}, nil
	}
	return leaves(invalid, origin), nil
}

func compileSchema(schema []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	const name = "chart:///" + schemaFile
	if err := compiler.AddResource(name, document); err != nil {
		return nil, err
	}
	return compiler.Compile(name)
}

// leaves lists the innermost faults, in order of their paths.
func leaves(e *jsonschema.ValidationError, origin object.Origin) []object.Finding {
	if len(e.Causes) == 0 {
		return []object.Finding{{Origin: origin, Key: keyPath(e.InstanceLocation), Text: schemaText(e.ErrorKind)}}
	}
	var findings []object.Finding
	for _, cause := range e.Causes {
		findings = append(findings, leaves(cause, origin)...)
	}
	slices.SortStableFunc(findings, func(a, b object.Finding) int { return strings.Compare(a.Key+a.Text, b.Key+b.Text) })
	return slices.Compact(findings)
}

// schemaText says what the schema wants. The library's own texts hold values.
func schemaText(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("wanted %s, found %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Required:
		return "missing: " + strings.Join(k.Missing, ", ")
	case *kind.AdditionalProperties:
		return "not known to the schema: " + strings.Join(k.Properties, ", ")
	case *kind.Enum:
		return fmt.Sprintf("wanted one of %v", k.Want)
	case *kind.Const:
		return fmt.Sprintf("wanted %v", k.Want)
	case *kind.Pattern:
		return "wanted text that matches " + k.Want
	case *kind.Format:
		return "wanted a text of the format " + k.Want
	case *kind.Minimum:
		return "wanted at least " + k.Want.RatString()
	case *kind.Maximum:
		return "wanted at most " + k.Want.RatString()
	case *kind.MinLength:
		return fmt.Sprintf("wanted at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("wanted at most %d characters", k.Want)
	case *kind.FalseSchema:
		return "not allowed here"
	default:
		return "does not hold: " + strings.Join(k.KeywordPath(), "/")
	}
}

// keyPath writes a path as "a.b[0].c".
func keyPath(parts []string) string {
	var path strings.Builder
	for _, part := range parts {
		switch _, err := strconv.Atoi(part); {
		case err == nil:
			path.WriteString("[" + part + "]")
		case path.Len() > 0:
			path.WriteString("." + part)
		default:
			path.WriteString(part)
		}
	}
	return path.String()
}
