package trial

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
)

// Secrets lists what the schemas of a package mark as secret in its settings or
// values, whichever of the two has the mark.
func Secrets(of schema.Set, values map[string]any) []any {
	var all []any
	for _, s := range []*schema.Schema{of.Settings, of.Values} {
		if s != nil {
			all = append(all, s.Secrets(values)...)
		}
	}
	return all
}

// Mask copies settings or values without what the schemas of a package mark as secret.
func Mask(of schema.Set, values map[string]any) map[string]any {
	for _, s := range []*schema.Schema{of.Settings, of.Values} {
		if s != nil {
			values = s.Mask(values)
		}
	}
	return values
}

// Scrub copies a body and hides in all of its texts, keys aside, what is in these
// secrets. A masker that shows everything gives the body itself.
func Scrub(m object.Masker, body map[string]any, secrets ...map[string]any) map[string]any {
	if body == nil || m.Show || len(secrets) == 0 {
		return body
	}
	clean, _ := scrub(m, body, secrets).(map[string]any)
	return clean
}

func scrub(m object.Masker, value any, secrets []map[string]any) any {
	switch v := value.(type) {
	case string:
		return m.Scrub(v, secrets...)
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key, inner := range v {
			copied[key] = scrub(m, inner, secrets)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, inner := range v {
			copied[i] = scrub(m, inner, secrets)
		}
		return copied
	}
	return value
}
