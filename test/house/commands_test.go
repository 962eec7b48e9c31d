package house

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

var (
	quotedCode = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]+`")
	ourCommand = regexp.MustCompile(`kubectl[ -]tazuna((?: [a-z][a-z-]*)*)([^|;&>)#\n]*)`)
	flagOfLine = regexp.MustCompile(`(?:^|\s)(--[a-z][a-z-]*|-[a-zA-Z])\b`)
)

// TestCommandsOfDocuments looks every command of ours that a document shows, with
// its flags, up in the reference, which is generated from the program.
func TestCommandsOfDocuments(t *testing.T) {
	files := textFiles(t)
	looked := 0
	for _, name := range namesOf(files, ".md") {
		if strings.HasPrefix(name, "docs/reference/") {
			continue
		}
		for _, code := range quotedCode.FindAllString(files[name], -1) {
			for _, match := range ourCommand.FindAllStringSubmatch(code, -1) {
				looked++
				for _, wrong := range unknownWords(files, strings.Fields(match[1]), match[2]) {
					t.Errorf("%s: %s: %s", name, match[0], wrong)
				}
			}
		}
	}
	assert.Greater(t, looked, 60, "the commands are not found any more")
}

func TestUnknownWords(t *testing.T) {
	files := textFiles(t)
	assert.Empty(t, unknownWords(files, []string{"state", "show", "web"}, " deployment/api -o yaml --context one"))
	assert.Equal(t, []string{"there is no command aply"}, unknownWords(files, []string{"aply"}, " -f x --yes"))
	assert.Equal(t, []string{"apply has no flag --atomically", "apply has no flag -x"}, unknownWords(files, []string{"apply"}, " --yes --atomically -x"))
	assert.Equal(t, []string{"there is no command state drft"}, unknownWords(files, []string{"state", "drft"}, ""))
}

// unknownWords says what of a command line the reference doesn't have. words are
// commands and then perhaps arguments, rest is what follows them.
func unknownWords(files map[string]string, words []string, rest string) []string {
	if len(words) == 0 || words[0] == "help" {
		return nil
	}
	page, depth := "", 0
	for depth < len(words) {
		content, ok := files[path.Join("docs/reference", strings.Join(words[:depth+1], "_")+".md")]
		if !ok {
			break
		}
		page, depth = content, depth+1
	}
	takesCommand := depth > 0 && depth < len(words) && strings.Contains(page, "| command | what it does |")
	if depth == 0 || takesCommand {
		return []string{"there is no command " + strings.Join(words[:depth+1], " ")}
	}
	var wrong []string
	global := files["docs/reference/README.md"]
	for _, flag := range flagOfLine.FindAllStringSubmatch(rest, -1) {
		row := "`" + flag[1] + "`"
		if !strings.Contains(page, row) && !strings.Contains(global, row) && flag[1] != "--help" && flag[1] != "-h" {
			wrong = append(wrong, fmt.Sprintf("%s has no flag %s", strings.Join(words[:depth], " "), flag[1]))
		}
	}
	return wrong
}
