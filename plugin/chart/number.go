package chart

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Numbers copies values with the numbers that templates are written for, which are
// those of Helm: float64. An integer that would lose digits by it stays an int64.
func Numbers(values map[string]any) map[string]any {
	out := make(map[string]any, len(values))
	for key, value := range values {
		out[key] = numbers(value)
	}
	return out
}

func numbers(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return Numbers(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = numbers(v[i])
		}
		return out
	case int64:
		if exact := float64(v); exact < 1<<63 && int64(exact) == v {
			return exact
		}
		return v
	case int:
		return numbers(int64(v))
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	}
	return value
}

// ReadInline reads values that are written into another file. Unlike ReadValues it
// loses no digit of an integer: that is Helm's way with values files, and not ours
// with what is ours.
func ReadInline(data []byte, where string) (map[string]any, error) {
	text, err := yaml.YAMLToJSON(data)
	if err != nil {
		return nil, fmt.Errorf("read values %s: %w", where, err)
	}
	if string(text) == "null" {
		return map[string]any{}, nil
	}
	values, err := object.DecodeJSON(text)
	if err != nil {
		return nil, fmt.Errorf("read values %s: %w", where, err)
	}
	return Numbers(values), nil
}
