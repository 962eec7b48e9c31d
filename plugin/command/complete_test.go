package command

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

const completionFile = `
spec:
  environments:
    prod: {context_matches: [^prod$]}
  manifests:
    - {name: cni, description: the network, type: yaml, path: cni, tags: [base]}
    - {name: shop, type: yaml, path: "shop/{{ .Environment }}", tags: [base, apps]}
`

const completionKubeconfig = `
apiVersion: v1
kind: Config
contexts:
  - {name: two, context: {cluster: c, user: u}}
  - {name: one, context: {cluster: c, user: u}}
`

func TestCompletionOfValues(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"tazuna.yaml": completionFile, "config": completionKubeconfig, "other.yaml": strings.ReplaceAll(completionFile, "shop", "blog"), "broken.yaml": "spec: [",
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	tests := map[string]struct {
		line string
		want []string
	}{
		"contexts":                         {"diff --kubeconfig config --context ", []string{"one", "two"}},
		"contexts without a kubeconfig":    {"diff --kubeconfig none --context ", nil},
		"tags":                             {"apply -t ", []string{"apps\tshop", "base\tcni, shop"}},
		"manifests":                        {"diff --manifest ", []string{"cni\tthe network", "shop"}},
		"manifests of another file":        {"diff -f other.yaml --manifest ", []string{"cni\tthe network", "blog"}},
		"of a file that can't be read":     {"diff -f broken.yaml -t ", nil},
		"environments":                     {"plan -e ", []string{"prod"}},
		"manifests of an environment":      {"plan -e prod --manifest ", []string{"cni\tthe network", "shop"}},
		"no record without a cluster":      {"state show --kubeconfig none ", nil},
		"nothing behind the record's name": {"state unlock web ", nil},
		"views":                            {"diff --view ", []string{"text", "fields", "server"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(output(t, append([]string{"__complete"}, strings.Split(test.line, " ")...)...), "\n")
			assert.ElementsMatch(t, append(test.want, ":4", ""), lines)
		})
	}
}

// A server that takes the connection and says nothing must not hold a shell up.
func TestCompletionOfASilentServer(t *testing.T) {
	var config net.ListenConfig
	silent, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	server := "--server=http://" + silent.Addr().String()
	t.Setenv("HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, line := range []string{"diff SERVER -n ", "packages status SERVER "} {
		t.Run(line, func(t *testing.T) {
			words := strings.Split(strings.ReplaceAll(line, "SERVER", server), " ")
			assert.Equal(t, ":4\n", output(t, append([]string{"__complete"}, words...)...), "nothing, and no error")
		})
	}
}

// powershellRequest is what PowerShell's script makes of a line and runs as a command:
// the line behind its first word, and an empty argument where the line ends with a
// space, unless a flag with an equal sign is completed.
var powershellRequest = regexp.MustCompile(`(?s)\$Program,\$Arguments = \$Command\.Split\(" ",2\)\s+\$RequestComp="\$Program __complete \$Arguments"` +
	`.*if \( \$WordToComplete -eq "" -And \( -Not \$IsEqualFlag \)\) \{.*\$RequestComp="\$RequestComp" \+ ' ""'` +
	`.*Invoke-Expression -OutVariable out "\$RequestComp" 2>&1 \| Out-Null\s+# get directive from last line\s+\[int\]\$Directive = \$Out\[-1\]\.TrimStart\(':'\)`)

// TestCompletionForPowerShell asks as the script for PowerShell does, and wants answers
// that it understands: a value a line, a description behind a tab, and in the last line
// of standard output a colon and a number. There is no PowerShell among the tests.
func TestCompletionForPowerShell(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("tazuna.yaml", []byte(completionFile), 0o600))
	require.NoError(t, os.WriteFile("config", []byte(completionKubeconfig), 0o600))
	script := output(t, "completion", "powershell")
	assert.Regexp(t, `(?m)^Register-ArgumentCompleter -CommandName 'kubectl-tazuna' -ScriptBlock`, script)
	require.Regexp(t, powershellRequest, script, "the script asks in another way: so must this test")

	tests := map[string]struct {
		line string
		want []string
	}{
		"a command":                {"kubectl-tazuna dif", []string{"diff"}},
		"a flag":                   {"kubectl-tazuna diff --contex", []string{"--context", "--context-lines"}},
		"the value of a flag":      {"kubectl-tazuna diff --kubeconfig config --context ", []string{"one", "two"}},
		"behind an equal sign":     {"kubectl-tazuna diff --kubeconfig config --context=", []string{"one", "two"}},
		"the beginning of a value": {"kubectl-tazuna diff --kubeconfig config --context=o", []string{"one"}},
		"with descriptions":        {"kubectl-tazuna apply -t ", []string{"apps", "base"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, arguments, _ := strings.Cut(test.line, " ")
			words := strings.Split(arguments, " ") // a line that ends with a space has an empty one at its end
			word := words[len(words)-1]
			if flag, value, is := strings.Cut(word, "="); is && strings.HasPrefix(flag, "--") {
				word = value
			}
			lines := strings.Split(strings.TrimSuffix(output(t, append([]string{"__complete"}, words...)...), "\n"), "\n")
			assert.Regexp(t, `^:\d+$`, lines[len(lines)-1])
			var names []string
			for _, line := range lines[:len(lines)-1] {
				if name, _, _ := strings.Cut(line, "\t"); strings.HasPrefix(name, word) {
					names = append(names, name)
				}
			}
			assert.ElementsMatch(t, test.want, names)
		})
	}
}

func TestCompletionForKubectl(t *testing.T) {
	assert.Equal(t, completionScript, output(t, "completion", "kubectl"))

	elsewhere, dir := t.TempDir(), t.TempDir()
	program := filepath.Join(elsewhere, pluginName)
	require.NoError(t, os.WriteFile(program, nil, 0o600))
	require.NoError(t, os.Symlink(program, filepath.Join(dir, pluginName)))
	install := func(path string, args ...string) (string, error) {
		var out bytes.Buffer
		root := NewRoot(&Env{
			Name: "kubectl tazuna", IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard},
			Getenv: func(string) string { return path },
		})
		root.SetArgs(append([]string{"completion", "kubectl", "--install"}, args...))
		err := root.ExecuteContext(t.Context())
		return out.String(), err
	}
	file := filepath.Join(dir, completionProgram)
	path := strings.Join([]string{t.TempDir(), "relative", dir}, string(os.PathListSeparator))
	for range 2 { // the second finds its own
		out, err := install(path)
		require.NoError(t, err)
		assert.Equal(t, "installed: "+file+"\n", out)
	}
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, completionScript, string(written))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o755), info.Mode().Perm())

	require.NoError(t, os.WriteFile(file, []byte("theirs"), 0o600))
	_, err = install(path)
	assert.ErrorContains(t, err, file+" is there already and is another; --force overwrites it")
	_, err = install(path, "--force")
	require.NoError(t, err)
	_, err = install("relative")
	assert.ErrorContains(t, err, "is in no directory of PATH")
}
