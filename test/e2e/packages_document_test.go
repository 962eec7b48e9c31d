package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fence is a block of code in a document: its info string and its text.
var fence = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")

// TestPackagesDocument does what docs/packages.md shows: a block with a file name is
// written, a console block is run and its output compared. In an output, "..." stands
// for any text.
func TestPackagesDocument(t *testing.T) {
	s := newSite(t)
	document, err := os.ReadFile("../../docs/packages.md")
	require.NoError(t, err)
	dir, commands := t.TempDir(), 0
	t.Chdir(dir)
	for _, block := range fence.FindAllStringSubmatch(string(document), -1) {
		kind, name, _ := strings.Cut(block[1], " ")
		switch {
		case name != "":
			writeExample(t, filepath.Join(dir, filepath.FromSlash(name)), block[2])
		case kind == "console":
			for _, step := range strings.Split("\n"+block[2], "\n$ ")[1:] {
				command, want, _ := strings.Cut(step, "\n")
				commands++
				checkExample(t, s, command, want)
			}
		}
	}
	assert.Greater(t, commands, 8, "the blocks are not found any more")
}

func writeExample(t *testing.T, path, text string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), mode))
}

// checkExample runs a command and compares what it prints, errors included where the
// document shows one.
func checkExample(t *testing.T, s site, command, want string) {
	t.Helper()
	args, ours := strings.CutPrefix(command, "kubectl tazuna ")
	require.True(t, ours, "%s: only our own commands can be run here", command)
	home := t.TempDir()
	got := s.run(t, []string{"KUBECONFIG=/dev/null", "HOME=" + home, "XDG_CACHE_HOME="}, "kubectl-tazuna", strings.Fields(args)...)
	text := got.stdout
	if strings.HasPrefix(want, "error: ") {
		text = got.stderr[max(0, strings.Index(got.stderr, "error: ")):]
	}
	parts := strings.Split(strings.TrimRight(want, "\n"), "...")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	assert.Regexp(t, "(?s)^"+strings.Join(parts, ".*")+"\n*$", text, "%s\n%s", command, got.stderr)
}

// TestPackagesTroubleshooting does what docs/packages-troubleshooting.md shows, with a
// controller that runs meanwhile. Pods that can't pull their image there, can't here
// because the node is told so; what a command shows after a while is waited for.
func TestPackagesTroubleshooting(t *testing.T) {
	t.Parallel()
	s := newSite(t).startOwn(t)
	const name = "docs/packages-troubleshooting.md"
	text, err := os.ReadFile(filepath.Join(repository(t), name))
	require.NoError(t, err)
	document := strings.ReplaceAll(string(text),
		"metadata: {labels: {app: d8a-{{ .Application.Instance.Name }}-migrate}}",
		"metadata: {labels: {app: d8a-{{ .Application.Instance.Name }}-migrate}, annotations: {standin.tazuna.dev/waiting: ImagePullBackOff}}")
	require.NotEqual(t, string(text), document)
	w := newPackagesMasking(t, s, 1) // whose controller is what is needed
	w.more = []string{"XDG_RUNTIME_DIR=" + filepath.Dir(w.socket)}
	w.socket = ""
	defer w.controller(t)()
	w.follow(t, reader{patience: patienceOfPackages}, document)
}
