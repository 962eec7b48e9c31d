package schema

import (
	"maps"
	"slices"
	"strings"
)

// closer writes the schema as plain JSON schema: objects closed, nullable as a
// type, without extensions. Places in it are those of the source.
type closer struct {
	rendering bool // with x-required-for-helm
}

// whole rewrites the schema of the whole, which is an object whether it says so or
// not.
func (c closer) whole(raw map[string]any) any {
	out := c.schema(raw, false, false)
	if of, isMap := out.(map[string]any); isMap && of["$ref"] == nil && of["additionalProperties"] == nil {
		of["additionalProperties"] = false
	}
	return out
}

// schema rewrites one schema. branch: it is, or lies in, a branch of allOf, anyOf,
// oneOf or not; loose: nothing says that this level is closed by itself.
func (c closer) schema(value any, branch, loose bool) any {
	raw, isMap := value.(map[string]any)
	if !isMap {
		return value // the library says what is wrong
	}
	out := map[string]any{}
	for key, v := range raw {
		switch {
		case strings.HasPrefix(key, "x-"), key == "nullable", key == "default", key == "example", key == "discriminator":
		case key == "required" && isEmptyList(v):
		default:
			out[key] = c.keyword(key, v, branch)
		}
	}
	if names, given := c.helm(raw); given {
		out["required"] = names
	}
	boundInteger(out)
	if raw["nullable"] == true {
		allowNull(out)
	}
	if _, said := out["additionalProperties"]; !said && !loose && c.closes(raw, branch) {
		out["additionalProperties"] = false
	}
	return withReference(out)
}

// closes tells whether an object that says nothing about other properties has
// none.
func (c closer) closes(raw map[string]any, branch bool) bool {
	if raw["$ref"] != nil {
		return false // what it refers to is closed
	}
	if raw["type"] == "object" {
		return true
	}
	return !branch && (raw["properties"] != nil || raw["patternProperties"] != nil)
}

func (c closer) keyword(key string, value any, branch bool) any {
	switch key {
	case "properties", "definitions":
		return c.each(value, branch, false)
	case "patternProperties":
		return c.each(value, branch, true)
	case "additionalProperties", "additionalItems":
		return c.schema(value, branch, true)
	case "not":
		return c.schema(value, true, false)
	case "items":
		if list, isList := value.([]any); isList {
			return c.list(list, branch)
		}
		return c.schema(value, branch, false)
	case "allOf", "anyOf", "oneOf":
		if list, isList := value.([]any); isList {
			return c.list(list, true)
		}
	}
	return value
}

func (c closer) each(value any, branch, loose bool) any {
	of, isMap := value.(map[string]any)
	if !isMap {
		return value
	}
	out := make(map[string]any, len(of))
	for name, v := range of {
		out[name] = c.schema(v, branch, loose)
	}
	return out
}

func (c closer) list(of []any, branch bool) []any {
	out := make([]any, len(of))
	for i, v := range of {
		out[i] = c.schema(v, branch, false)
	}
	return out
}

// helm returns what is required when templates are rendered.
func (c closer) helm(raw map[string]any) (names any, given bool) {
	if !c.rendering {
		return nil, false
	}
	switch more := raw[helmKey].(type) {
	case string:
		return union(raw["required"], []any{more}), true
	case []any:
		return union(raw["required"], more), true
	}
	return nil, false
}

func isEmptyList(v any) bool {
	list, isList := v.([]any)
	return isList && len(list) == 0
}

// allowNull turns nullable, which only OpenAPI knows, into a type.
func allowNull(schema map[string]any) {
	switch t := schema["type"].(type) {
	case string:
		schema["type"] = []any{t, "null"}
	case []any:
		if !slices.Contains(t, any("null")) {
			schema["type"] = append(slices.Clone(t), "null")
		}
	}
	if enum, isList := schema["enum"].([]any); isList && !slices.Contains(enum, nil) {
		schema["enum"] = append(slices.Clone(enum), nil)
	}
}

// withReference moves a reference that has restrictions beside it, which draft 4
// would ignore, into a branch.
func withReference(schema map[string]any) any {
	reference, given := schema["$ref"]
	if !given {
		return schema
	}
	rest := maps.Clone(schema)
	for _, key := range []string{"$ref", "title", "description", "deprecated", "readOnly", "writeOnly"} {
		delete(rest, key)
	}
	if len(rest) == 0 {
		return map[string]any{"$ref": reference}
	}
	branches, _ := rest["allOf"].([]any)
	rest["allOf"] = append(slices.Clone(branches), map[string]any{"$ref": reference})
	return rest
}
