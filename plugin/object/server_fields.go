package object

// serverFields returns the fields of metadata that the server owns. A value
// for them in a file comes from an export and means nothing.
func serverFields() []string {
	return []string{
		"resourceVersion", "uid", "creationTimestamp",
		"generation", "managedFields", "selfLink",
	}
}

// StripServerFields returns a copy without the metadata that the server owns
// (resourceVersion, uid, creationTimestamp, generation, managedFields,
// selfLink). The copy shares everything but the top level and metadata with
// body. status stays: what becomes of it depends on the kind.
func StripServerFields(body map[string]any) map[string]any {
	if body == nil {
		return nil
	}
	out := shallow(body)
	metadata, ok := out["metadata"].(map[string]any)
	if !ok {
		return out
	}
	metadata = shallow(metadata)
	for _, key := range serverFields() {
		delete(metadata, key)
	}
	out["metadata"] = metadata
	return out
}
