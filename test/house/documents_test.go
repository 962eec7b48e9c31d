package house

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	fence   = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	target  = regexp.MustCompile(`\bmake ([a-z][a-z-]+)`)
	defined = regexp.MustCompile(`(?m)^([a-z][a-z-]+):.*## `)
)

// TestLinks follows every link of the documents that stays in the repository,
// to the heading.
func TestLinks(t *testing.T) {
	files := textFiles(t)
	followed := 0
	for _, name := range namesOf(files, ".md") {
		prose := fence.ReplaceAllString(files[name], "")
		for _, match := range link.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(match[1], "://") {
				continue
			}
			followed++
			file, anchor, _ := strings.Cut(match[1], "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			content, ok := files[to]
			if !ok && anchor == "" && isDirectory(files, to) {
				continue
			}
			if assert.True(t, ok, "%s: %s leads nowhere", name, match[1]) && anchor != "" {
				assert.Contains(t, anchors(content), anchor, "%s: %s has no such heading", name, match[1])
			}
		}
	}
	require.NotZero(t, followed)
}

func isDirectory(files map[string]string, name string) bool {
	for file := range files {
		if strings.HasPrefix(file, name+"/") {
			return true
		}
	}
	return false
}

// anchors returns the fragments of the headings of a document.
func anchors(content string) []string {
	var out []string
	for _, match := range heading.FindAllStringSubmatch(fence.ReplaceAllString(content, ""), -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(match[1]), "")
		out = append(out, strings.ReplaceAll(slug, " ", "-"))
	}
	return out
}

// TestMakeTargets keeps the documents from naming targets that don't exist.
func TestMakeTargets(t *testing.T) {
	files := textFiles(t)
	targets := map[string]bool{}
	for _, match := range defined.FindAllStringSubmatch(files["Makefile"], -1) {
		targets[match[1]] = true
	}
	require.NotEmpty(t, targets)
	code := regexp.MustCompile("`[^`]*`|(?ms)^ *```.*?^ *```$")
	for _, name := range namesOf(files, ".md") {
		for _, quoted := range code.FindAllString(files[name], -1) {
			for _, match := range target.FindAllStringSubmatch(quoted, -1) {
				assert.True(t, targets[match[1]], "%s: there is no `make %s`", name, match[1])
			}
		}
	}
}
