package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// pickEntries finds the entries that words name: KIND/NAME, KIND.GROUP/NAME or a
// state key without its manifest, as state list prints it. namespace narrows the
// first two; empty is any. No words are all entries.
func pickEntries(rec *state.Record, words []string, namespace string) ([]state.Entry, error) {
	if len(words) == 0 {
		return rec.Entries, nil
	}
	var out []state.Entry
	for _, word := range words {
		found := 0
		for _, e := range rec.Entries {
			if !names(word, e.Key, namespace) {
				continue
			}
			found++
			if !slices.ContainsFunc(out, func(o state.Entry) bool { return o.Key == e.Key }) {
				out = append(out, e)
			}
		}
		if found == 0 {
			return nil, fmt.Errorf("the record of manifest %s lists no %q: wanted KIND/NAME, or a line of `state list`", rec.Manifest, word)
		}
	}
	return out, nil
}

// names tells whether a word means an entry.
func names(word string, k state.Key, namespace string) bool {
	if word == strings.TrimPrefix(k.String(), k.Manifest+"/") {
		return true
	}
	kind, name, ok := strings.Cut(word, "/")
	if !ok || name != k.Name || namespace != "" && k.Namespace != "" && k.Namespace != namespace {
		return false
	}
	kind = strings.ToLower(kind)
	have := strings.ToLower(k.Kind)
	return kind == have || kind == have+"."+k.Group
}
