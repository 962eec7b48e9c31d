package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
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
