package bundle

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// nearest gives the known key that a word is a slip of: up to two letters more,
// less or other, and half of them right. "" if there is none.
func nearest(word string, fields []document.Field) string {
	best, least := "", 3
	for _, f := range fields {
		d := distance(strings.ToLower(word), strings.ToLower(f.Key))
		if d < least && 2*d < len(f.Key) {
			best, least = f.Key, d
		}
	}
	return best
}

// distance counts the letters to insert, drop or change to get from a to b.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
