package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// standard are the keywords of OpenAPI v3 that are read or may be there. Others
// would silently check nothing.
var standard = []string{
	"$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "default", "definitions",
	"dependencies", "deprecated", "description", "discriminator", "enum", "example", "exclusiveMaximum",
	"exclusiveMinimum", "externalDocs", "format", "items", "maxItems", "maxLength", "maxProperties",
	"maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable",
	"oneOf", "pattern", "patternProperties", "properties", "readOnly", "required", "title", "type",
	"uniqueItems", "writeOnly", "xml",
}

// The extensions that are read here.
const (
	rulesKey       = "x-deckhouse-validations"
	kubeRulesKey   = "x-kubernetes-validations"
	immutableKey   = "x-deckhouse-immutable"
	grantKey       = "x-deckhouse-grantable-resource"
	legacyGrantKey = "x-deckhouse-grant"
	exampleKey     = "x-example"
	examplesKey    = "x-examples"
	helmKey        = "x-required-for-helm"
	secretKey      = "x-secret"
)

// keywords reads the standard keywords that we need ourselves.
func (b *builder) keywords(n *node) {
	for _, key := range slices.Sorted(maps.Keys(n.raw)) {
		if !strings.HasPrefix(key, "x-") && !slices.Contains(standard, key) {
			b.warn(n.at.to(key), "unknown keyword, which checks nothing")
		}
	}
	switch types := n.raw["type"].(type) {
	case string:
		n.types = []string{types}
	case []any:
		n.types = nil
		for _, t := range types {
			if text, isText := t.(string); isText {
				n.types = append(n.types, text)
			}
		}
	}
	if value, given := n.raw["default"]; given {
		n.fallback = value
	}
	if list, isList := n.raw["enum"].([]any); isList {
		n.enum = list
	}
	if list, isList := n.raw["required"].([]any); isList {
		n.required = append(slices.Clone(n.required), texts(list)...)
	}
	if nullable, isBool := n.raw["nullable"].(bool); isBool {
		n.nullable = nullable
	}
	if example, given := n.raw["example"]; given {
		n.examples = append(n.examples, example)
	}
	if n.raw["format"] == "password" || n.raw["writeOnly"] == true {
		n.secret = true
	}
}

// extensions reads what the platform and we add to OpenAPI.
func (b *builder) extensions(n *node) {
	b.checkExtensions(n)
	if n.raw[immutableKey] == true { // nothing else counts
		n.immutable = true
	} else if value, given := n.raw[immutableKey]; given && value != false {
		b.warn(n.at.to(immutableKey), "only true counts: the field can be changed")
	}
	n.secret = n.secret || n.raw[secretKey] == true
	b.grantOf(n)
	if list, isList := n.raw[examplesKey].([]any); isList {
		n.examples = append(slices.Clone(list), n.examples...)
	} else if value, given := n.raw[examplesKey]; given {
		b.warn(n.at.to(examplesKey), "wanted a list of examples, found %s", document.KindOf(value))
	}
	if example, given := n.raw[exampleKey]; given {
		n.examples = append([]any{example}, n.examples...)
	}
	switch names := n.raw[helmKey].(type) {
	case nil:
	case string:
		n.requiredForHelm = []string{names}
	case []any:
		n.requiredForHelm = texts(names)
	default:
		b.fault(n.at.to(helmKey), "wanted the name of a property or a list of them")
	}
	b.requiredForHelm = b.requiredForHelm || len(n.requiredForHelm) > 0
	b.rulesOf(n)
}

func (b *builder) grantOf(n *node) {
	switch value := n.raw[grantKey].(type) {
	case nil:
		if legacy, isMap := n.raw[legacyGrantKey].(map[string]any); isMap {
			n.grant, _ = legacy["resource"].(string)
		}
	case string:
		n.grant = value
	default:
		b.fault(n.at.to(grantKey), "wanted the name of a resource, found %s", document.KindOf(value))
	}
	if n.grant != "" && !slices.Equal(n.types, []string{"string"}) {
		b.fault(n.at, "a field with %s must have the type string", grantKey)
	}
}

func texts(list []any) []string {
	var all []string
	for _, item := range list {
		if text, isText := item.(string); isText {
			all = append(all, text)
		}
	}
	return all
}
