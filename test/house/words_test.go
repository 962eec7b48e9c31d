package house

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// forbidden are texts that tie the repository to one place: directories of a machine,
// the hosts of package registries, which everybody configures for himself, and papers
// that only some have read.
// They are written so that this file doesn't match itself.
var forbidden = []*regexp.Regexp{
	regexp.MustCompile(`(^|[\s"'=:(])/(root|work)(/|\b)[a-z.]`),
	regexp.MustCompile(`(proxy|sum)\.golang` + `\.org`),
	regexp.MustCompile(`registry\.npmjs` + `\.org`),
	regexp.MustCompile(`deb\.debian` + `\.org`),
	// Papers that are not part of it.
	regexp.MustCompile(`\b(design|spec|field)( [a-z.-]+)? ` + `\x{a7}`),
	regexp.MustCompile(`\b[Ss]eed 00` + `\d`),
}

func TestNothingOfThisMachine(t *testing.T) {
	for name, content := range textFiles(t) {
		for number, line := range strings.Split(content, "\n") {
			for _, pattern := range forbidden {
				assert.False(t, pattern.MatchString(line), "%s:%d: %s", name, number+1, strings.TrimSpace(line))
			}
		}
	}
}
