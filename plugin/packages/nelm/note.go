package nelm

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Note is something that an author should know of an annotation.
type Note struct {
	Annotation string
	// Text is a sentence without the annotation's name; of a fault it quotes the value.
	Text string
	// Fault: the object can't be deployed with it. Otherwise it just has no effect.
	Fault bool
}

const unknownText = "it is not known and has no effect"

// Notes lists what is to be said of the annotations of an object, by their names: values
// that can't be understood, annotations that nobody knows, and those without effect.
func Notes(o object.Object) []Note {
	a := read(o)
	a.rules()
	out := a.faults
	for _, key := range a.keys() {
		entry, ok := entryOf(key)
		switch {
		case ok && entry.Without != "":
			out = append(out, Note{Annotation: key, Text: "it has no effect: " + entry.Without})
		case !ok && isNelms(key):
			out = append(out, Note{Annotation: key, Text: unknownText})
		}
	}
	slices.SortStableFunc(out, func(a, b Note) int { return cmp.Compare(a.Annotation, b.Annotation) })
	return out
}

// entryOf finds an annotation in the catalogue: one with that name, else one of which a
// part is the author's choice.
func entryOf(key string) (Entry, bool) {
	all := Catalogue()
	if i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == key }); i >= 0 {
		return all[i], true
	}
	i := slices.IndexFunc(all, func(e Entry) bool {
		before, behind, open := strings.Cut(e.Name, "*")
		return open && strings.HasPrefix(key, before) && strings.HasSuffix(key, behind) && len(key) > len(before)+len(behind)
	})
	if i < 0 {
		return Entry{}, false
	}
	return all[i], true
}
