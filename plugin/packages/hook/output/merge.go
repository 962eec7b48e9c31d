package output

// Merge applies a merge patch (RFC 7396) to a copy: null removes a key, mappings
// are merged, everything else replaces what is there.
func Merge(value, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	current, _ := value.(map[string]any)
	out := make(map[string]any, len(current)+len(changes))
	for key, item := range current {
		out[key] = item
	}
	for key, item := range changes {
		if item == nil {
			delete(out, key)
			continue
		}
		out[key] = Merge(out[key], item)
	}
	return out
}
