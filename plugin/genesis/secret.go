package genesis

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Secret is a GenesisSecret file: where values come from and where they go.
type Secret struct {
	// Path is the file.
	Path string
	// Provider is the name of one of the providers; never empty.
	Provider string
	// Sources are asked in order; a later one wins where both have a key.
	Sources []Source
	// Static are values that need no provider, by key.
	Static map[string]string
	// Outputs has at least one element.
	Outputs []Output
}

// Source is what to take from one item of a provider.
type Source struct {
	// URI names the item: op://HOST/VAULT/ITEM. Other providers don't read it.
	URI string
	// PreferLabel names fields by their labels instead of their ids.
	PreferLabel bool
	// Items are in the order of the file.
	Items []Item
	// Line is where it stands in the file.
	Line int
}

// Item says under which key a field of the source is kept.
type Item struct {
	Field, MapTo string
	Line         int
}

// Output is one place where the values go: a Secret in the cluster, or, if
// Stdout, lines of text.
type Output struct {
	Stdout bool
	// Namespace is empty for that of the run.
	Namespace, Name string
	// Type is never empty for a Secret.
	Type                string
	Labels, Annotations map[string]string
	Line                int
}

// Values are secret values by key.
type Values map[string]string

// Objects makes the Secrets of the outputs, in their order. Only the labels and
// annotations of the file are in them: those of others stay.
func (s *Secret) Objects(values Values) []object.Object {
	var all []object.Object
	for _, o := range s.Outputs {
		if !o.Stdout {
			all = append(all, object.Object{
				Body:   o.body(values),
				Origin: object.Origin{File: s.Path, Document: 1, Line: o.Line},
			})
		}
	}
	return all
}

func (o Output) body(values Values) map[string]any {
	metadata := map[string]any{"name": o.Name}
	if o.Namespace != "" {
		metadata["namespace"] = o.Namespace
	}
	if len(o.Labels) > 0 {
		metadata["labels"] = asJSON(o.Labels)
	}
	if len(o.Annotations) > 0 {
		metadata["annotations"] = asJSON(o.Annotations)
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Secret", "type": o.Type,
		"metadata": metadata, "stringData": asJSON(values),
	}
}

func asJSON(texts map[string]string) map[string]any {
	out := make(map[string]any, len(texts))
	for k, v := range texts {
		out[k] = v
	}
	return out
}

// Text is what outputs to stdout print: KEY=VALUE lines in the order of the keys,
// once an output. A value that could be taken for something else is quoted, so
// that every line is one value. Empty without such outputs.
func (s *Secret) Text(values Values) string {
	var b strings.Builder
	for _, o := range s.Outputs {
		if !o.Stdout {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(values)) {
			fmt.Fprintf(&b, "%s=%s\n", key, lineValue(values[key]))
		}
	}
	return b.String()
}

func lineValue(value string) string {
	if strings.TrimSpace(value) != value || strings.ContainsAny(value, "\n\r\"'\\") {
		return strconv.Quote(value)
	}
	return value
}
