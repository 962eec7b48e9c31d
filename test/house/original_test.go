package house

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// behaviour is one thing that the original tazuna does with a tazuna.yaml, a record or a
// generated Secret, with the tests that show it here: as it was, or as the documents say
// that it is different. What goes wrong with the original is in docs/original-tazuna.md.
type behaviour struct {
	// section is that of the project's description of the original.
	section string
	what    string
	// shown are tests as PACKAGE.TestName, and scripts of test/e2e as "script NAME".
	shown []string
}

// sections are those that must be covered, in order.
var sections = []string{
	"2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "4.1", "4.2", "4.3", "4.4", "4.5", "4.6",
	"4.7", "4.8", "4.9", "4.10", "5.1", "5.2", "5.3", "5.4", "5.5", "6", "7.1", "7.2", "7.3", "8", "9", "10.1", "10.2", "10.3", "10.4", "10.5", "10.6",
}

// behaviours are in the order of the sections; originalFile has those of files,
// originalRun those of runs, originalRecord those of records.
func behaviours() []behaviour {
	return slices.Concat(originalFile, originalRun, originalRecord, originalTypes, originalCommands)
}

// TestBehavioursOfTheOriginal holds the table to the tests that there are.
func TestBehavioursOfTheOriginal(t *testing.T) {
	files := textFiles(t)
	var found []string
	for _, b := range behaviours() {
		assert.NotEmpty(t, b.shown, "%s: %s is not shown", b.section, b.what)
		for _, shown := range b.shown {
			assert.True(t, isThere(files, shown), "%s: %s: there is no %s", b.section, b.what, shown)
		}
		if !slices.Contains(found, b.section) {
			found = append(found, b.section)
		}
	}
	assert.Equal(t, sections, found)
}
