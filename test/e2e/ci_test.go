package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shellBlocks are the commands of a document.
var shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")

// TestRecipesOfCI runs every block of commands of docs/ci.md, in order, in a
// directory with a tazuna.yaml, as a job without a terminal.
func TestRecipesOfCI(t *testing.T) {
	t.Parallel()
	b := newSite(t).newSandbox(t, "recipes")
	document, err := os.ReadFile(filepath.Join(repository(t), "docs", "ci.md"))
	require.NoError(t, err)
	blocks := shellBlocks.FindAllStringSubmatch(string(document), -1)
	require.NotEmpty(t, blocks)

	b.file(t, "tazuna.yaml", strings.ReplaceAll(`
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
  - {name: NAME, type: yaml, path: objects.yaml}
`, "NAME", b.namespace))
	const first = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {mode: fast}\n"
	const login = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: kKq7vexlorcNt}\n"
	b.file(t, "objects.yaml", first+login)
	b.inHome(t, "kubectl tazuna apply --yes")
	b.kubectl(t, "patch", "configmap/settings", "--type=merge", "-p", `{"data":{"mode":"odd"}}`)

	for _, block := range blocks {
		code := b.inHome(t, block[1])
		switch {
		case strings.Contains(block[1], "drift.txt"):
			assert.Equal(t, 1, code, "drift is exit code 1")
			assert.Contains(t, b.read(t, "drift.txt"), "# drift: changed by kubectl-patch")
		default:
			assert.Zero(t, code, block[1])
		}
	}
	assert.True(t, json.Valid([]byte(b.read(t, "drift.json"))))
	assert.Contains(t, b.read(t, "drift.json"), `"verdict": "drift"`)
	assert.Contains(t, b.read(t, "comment.md"), "```diff\n@@ update configmap/settings")
	for _, name := range []string{"drift.txt", "drift.json", "plan.txt", "comment.md", "plan.json", "other.json"} {
		assert.NotContains(t, b.read(t, name), "kKq7vexlorcNt", name)
	}
	gone := b.run(t, b.env(), "kubectl", "get", "configmap/settings")
	assert.NotZero(t, gone.code, "the last block takes everything away")
}

// inHome runs a shell in the home directory, with our programs on its PATH, and
// returns its exit code.
func (b *sandbox) inHome(t *testing.T, script string) int {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "sh", "-euc", script)
	shell.Dir = b.home
	shell.Env = append(os.Environ(), append(b.env(), "PATH="+b.bin+string(os.PathListSeparator)+os.Getenv("PATH"))...)
	out, err := shell.CombinedOutput()
	code, err := exitCode(err)
	require.NoError(t, err)
	t.Logf("%s\n%s", script, out)
	return code
}

func (b *sandbox) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.home, name))
	require.NoError(t, err)
	return string(data)
}
