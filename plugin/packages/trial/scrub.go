package trial

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"

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
