package values

import "github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"

// Guess makes up settings from the examples and defaults of their schema, for
// trying out a package. They may not pass it: a pattern without an example can't be
// guessed.
func (s *Sources) Guess() map[string]any {
	if s.Schemas.Settings == nil {
		return map[string]any{}
	}
	return s.Schemas.Settings.Example()
}

// Complete makes up what values lack and hooks would have set: properties of the
// values schema that are no settings. What is there is kept.
func (s *Sources) Complete(values map[string]any) map[string]any {
	if s.Schemas.Values == nil {
		return merge(nil, values)
	}
	made := s.Schemas.Values.Example()
	if s.Schemas.Settings != nil {
		for _, name := range s.Schemas.Settings.Properties() {
			delete(made, name)
		}
	}
	return complete(made, values)
}

// complete lays values upon what was made up. An empty list is a value; a map is
// completed.
func complete(made, values map[string]any) map[string]any {
	out := object.Object{Body: values}.DeepCopy().Body
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range made {
		current, given := out[key]
		below, isMap := current.(map[string]any)
		above, bothMaps := value.(map[string]any)
		switch {
		case !given:
			out[key] = value
		case isMap && bothMaps:
			out[key] = complete(above, below)
		}
	}
	return out
}
