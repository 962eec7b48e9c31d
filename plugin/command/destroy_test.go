package command

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

const twoManifests = `apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
  - {name: base, type: yaml, path: base, tags: [one]}
  - {name: web, type: yaml, path: web}
`

func TestWhatIsDestroyed(t *testing.T) {
	for name, c := range map[string]struct {
		file  string // tazuna.yaml of the directory, empty for none
		from  sourceOptions
		want  []string
		fails string
	}{
		"all of the file":                   {file: twoManifests, want: []string{"base", "web"}},
		"one of the file":                   {file: twoManifests, from: sourceOptions{manifests: []string{"web"}}, want: []string{"web"}},
		"those with a tag":                  {file: twoManifests, from: sourceOptions{tags: []string{"one"}}, want: []string{"base"}},
		"one that left the file":            {file: twoManifests, from: sourceOptions{manifests: []string{"old"}}, want: []string{"old"}},
		"a file that can't be read":         {file: "spec: {", from: sourceOptions{manifests: []string{"old"}}, fails: "tazuna.yaml"},
		"no file and a name":                {from: sourceOptions{manifests: []string{"old"}}, want: []string{"old"}},
		"no file and no name":               {fails: "--manifest NAME"},
		"a name that is none":               {from: sourceOptions{manifests: []string{"a/b"}}, fails: "a/b"},
		"plain objects, by their record":    {from: sourceOptions{files: []string{"objects.yaml"}, manifests: []string{"m"}}, want: []string{"m"}},
		"plain objects that have no record": {from: sourceOptions{files: []string{"objects.yaml"}}, fails: "--manifest NAME"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("objects.yaml", []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"), 0o600))
			if c.file != "" {
				require.NoError(t, os.WriteFile(defaultFile, []byte(c.file), 0o600))
			}
			o := &destroyOptions{run: applyOptions{source: c.from}}
			env := &Env{Version: "v1.0.0", Getenv: func(string) string { return "" }}
			env.ErrOut = os.Stderr
			got, _, err := o.manifests(env)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestDestroyOfAFileNeedsTheVariable(t *testing.T) {
	fromFile := &source{file: &config.File{Path: "tazuna.yaml"}}
	for value, allowed := range map[string]bool{"true": true, "1": true, "T": true, "": false, "false": false, "yes": false, "0": false} {
		env := &Env{Getenv: func(string) string { return value }}
		err := mayDestroy(env, fromFile)
		assert.Equal(t, allowed, err == nil, value)
		if err != nil {
			code, _ := ExitCode(t.Context(), err)
			assert.Equal(t, ExitRefused, code, "the original ends with 0 here")
		}
		assert.NoError(t, mayDestroy(env, &source{}), "a name is wish enough")
	}
}
