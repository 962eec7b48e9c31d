package schema

import "strings"

// Published returns the schema as catalogues have it: standard keywords and
// x-deckhouse-… extensions, with x-extend done and closed objects said to be so.
func (s *Schema) Published() map[string]any {
	published, _ := publish(s.source.raw, false, false).(map[string]any)
	if published["additionalProperties"] == nil && published["$ref"] == nil {
		published["additionalProperties"] = false
	}
	return published
}

func publish(value any, branch, loose bool) any {
	raw, isMap := value.(map[string]any)
	if !isMap {
		return value
	}
	c := closer{}
	out := map[string]any{}
	for key, v := range raw {
		if strings.HasPrefix(key, "x-") && !strings.HasPrefix(key, "x-deckhouse-") {
			continue
		}
		out[key] = publishKeyword(key, v, branch)
	}
	if _, said := out["additionalProperties"]; !said && !loose && c.closes(raw, branch) {
		out["additionalProperties"] = false
	}
	return out
}

func publishKeyword(key string, value any, branch bool) any {
	each := func(loose bool) any {
		of, isMap := value.(map[string]any)
		if !isMap {
			return value
		}
		out := make(map[string]any, len(of))
		for name, v := range of {
			out[name] = publish(v, branch, loose)
		}
		return out
	}
	switch key {
	case "properties", "definitions":
		return each(false)
	case "patternProperties":
		return each(true)
	case "additionalProperties", "additionalItems":
		return publish(value, branch, true)
	case "not":
		return publish(value, true, false)
	case "items", "allOf", "anyOf", "oneOf":
		of, isList := value.([]any)
		if !isList {
			return publish(value, branch || key != "items", false)
		}
		out := make([]any, len(of))
		for i, v := range of {
			out[i] = publish(v, branch || key != "items", false)
		}
		return out
	}
	return copyOf(value)
}
