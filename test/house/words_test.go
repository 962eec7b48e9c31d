package house

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// forbidden are texts that tie the repository to one machine: its directories,
// and the hosts of package registries, which everybody configures for himself.
// They are written so that this file doesn't match itself.
var forbidden = []*regexp.Regexp{
	regexp.MustCompile(`(^|[\s"'=:(])/(root|work)(/|\b)[a-z.]`),
	regexp.MustCompile(`(proxy|sum)\.golang` + `\.org`),
	regexp.MustCompile(`registry\.npmjs` + `\.org`),
	regexp.MustCompile(`deb\.debian` + `\.org`),
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
