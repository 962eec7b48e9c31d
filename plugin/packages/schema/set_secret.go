package schema

// Secrets lists what the schemas of a package mark as secret in its settings or
// values, whichever of the two has the mark.
func (s Set) Secrets(values map[string]any) []any {
	var all []any
	for _, one := range []*Schema{s.Settings, s.Values} {
		if one != nil && values != nil {
			all = append(all, one.Secrets(values)...)
		}
	}
	return all
}

// Mask copies settings or values without what the schemas of a package mark as secret.
func (s Set) Mask(values map[string]any) map[string]any {
	for _, one := range []*Schema{s.Settings, s.Values} {
		if one != nil && values != nil {
			values = one.Mask(values)
		}
	}
	return values
}
