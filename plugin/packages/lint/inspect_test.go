//go:build linux || darwin

package lint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
)

// Files of a package in which nothing is found.
const (
	definition = "apiVersion: v1\ntype: Application\nname: shop\n"
	server     = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d8a-test-web}\nspec: {replicas: 1}\n"
)

// inspected looks at a package of these files, beside those in which nothing is
// found. A file that begins with #! is made executable.
func inspected(t *testing.T, files map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"package.yaml": definition, "docs/README.md": "# shop\n", "templates/server.yaml": server} {
		if _, other := files[name]; !other {
			write(t, dir, name, content)
		}
	}
	for name, content := range files {
		write(t, dir, name, content)
	}
	found, err := inspect(t.Context(), t, dir)
	require.NoError(t, err)
	return found
}

func inspect(ctx context.Context, t *testing.T, dir string) ([]string, error) {
	t.Helper()
	root, err := os.OpenRoot(dir) // as package source does
	require.NoError(t, err)
	defer func() { assert.NoError(t, root.Close()) }()
	b, findings, err := bundle.Read(root.FS())
	require.NoError(t, err)
	all, err := Inspect(ctx, b, Inspection{
		Dir: dir, Findings: findings,
		Loader:     hook.Loader{Instance: hook.Instance{Namespace: "default", Name: "test"}, Env: hook.BaseEnv(os.Environ())},
		Request:    render.Request{Instance: render.Instance{Namespace: "default", Name: "test"}},
		Namespaced: func(schema.GroupKind) (bool, bool) { return true, true },
	})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, f := range all.Items {
		lines = append(lines, f.String())
	}
	return lines, nil
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path, mode := filepath.Join(dir, filepath.FromSlash(name)), fs.FileMode(0o644)
	if strings.HasPrefix(content, "#!") {
		mode = 0o755
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), mode))
}

func TestInspect(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing": {},
		"package.yaml": {
			files: map[string]string{"package.yaml": definition + "stages: x\n"},
			want:  []string{"package.yaml:4: error: stages: unknown key; did you mean stage? (package)"},
		},
		"package.yaml that is none": {
			files: map[string]string{
				"package.yaml": "name: [\n",
				"templates/server.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-test-web}
spec: {template: {metadata: {labels: {app: {{ .Application.Package.Name }}}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: d8a-test-web}
spec: {selector: {matchLabels: {app: {{ .Application.Package.Name }}}}}
`,
			},
			want: []string{"package.yaml:1: error: not YAML: did not find expected node content (package)"},
		},
		"a default of more than 64 bits": {
			files: map[string]string{"openapi/settings.yaml": "type: object\nproperties:\n  size: {type: integer, default: 99999999999999999999}\n"},
			want:  []string{"openapi/settings.yaml:3: error: size: wanted an integer of 64 bits, found a larger one (settings)"},
		},
		"settings that can't be guessed": {
			files: map[string]string{"openapi/settings.yaml": "type: object\nproperties:\n  size: {type: string, pattern: '^[0-9]+Gi$'}\n"},
			want:  []string{"openapi/settings.yaml:3: error: size: wanted text that matches ^[0-9]+Gi$ (settings)"},
		},
		"values that don't fit": {
			files: map[string]string{"openapi/values.yaml": "type: object\nproperties:\n  size:\n    type: integer\n    default: 3\n    minimum: 5\n"},
			want:  []string{"openapi/values.yaml:6: error: size: wanted at least 5 (values)"},
		},
		"a template that fails": {
			files: map[string]string{"templates/b.yaml": "a: b\n\nc: {{ fail \"not today\" }}\n"},
			want:  []string{"templates/b.yaml:3: error: "},
		},
		"output that is no YAML": {
			files: map[string]string{"templates/b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [}\n"},
			want:  []string{"templates/b.yaml: error: its output"},
		},
		"output that is no object": {
			files: map[string]string{"templates/b.yaml": "apiVersion: v1\nmetadata: {name: x}\n"},
			want:  []string{"templates/b.yaml: error: its output"},
		},
		"the same object twice": {
			files: map[string]string{"templates/b.yaml": server},
			want:  []string{"templates: error: render package shop: Deployment.apps d8a-test-web is there twice"},
		},
		"a key that is there twice": {
			files: map[string]string{"templates/server.yaml": "kind: Deployment\n" + server},
			want:  []string{"templates/server.yaml: warning: "},
		},
		"hooks": {
			files: map[string]string{
				"hooks/a.sh": "#!/bin/sh\nexit 1\n", "hooks/b.sh": "#!/bin/sh\necho '{\"configVersion\":\"v1\"}'\n", "hooks/c.sh": "no hook",
			},
			want: []string{
				"hooks/a.sh: error: --config: exit code 1 (hooks)",
				"hooks/b.sh: error: there is no binding in it, so nothing would ever call the hook (hooks)",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			found := inspected(t, c.files)
			if !assert.Len(t, found, len(c.want), "%v", found) {
				return
			}
			for i, want := range c.want {
				assert.True(t, strings.HasPrefix(found[i], want), "wanted %s…\nfound  %s", want, found[i])
			}
		})
	}
}

// A hook that looks like one and can't be executed is told, at its file.
func TestInspectHookWithoutMode(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "package.yaml", definition)
	write(t, dir, "docs/README.md", "")
	write(t, dir, "templates/server.yaml", server)
	write(t, dir, "hooks/a.sh", "#!/bin/sh\n")
	require.NoError(t, os.Chmod(filepath.Join(dir, "hooks", "a.sh"), 0o644))
	found, err := inspect(t.Context(), t, dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"hooks/a.sh: warning: looks like a hook and is not executable, so it is none (chmod +x makes it one) (hooks)"}, found)
}

func TestInspectEnds(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "package.yaml", definition)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	_, err := inspect(ctx, t, dir)
	require.EqualError(t, err, "interrupted")
}

// A template can put a secret of the settings where findings tell of it.
func TestInspectTellsNoSecret(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "package.yaml", definition)
	write(t, dir, "openapi/settings.yaml", "{type: object, properties: {key: {type: string, format: password}}}")
	write(t, dir, "templates/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Values.key }}\n  annotations: {werf.io/weight: {{ .Values.key }}}\n")
	b, findings, err := bundle.Read(os.DirFS(dir))
	require.NoError(t, err)
	all, err := Inspect(t.Context(), b, Inspection{
		Dir: dir, Findings: findings, Settings: map[string]any{"key": "correct-horse"},
		Loader:     hook.Loader{Instance: hook.Instance{Namespace: "default", Name: "test"}, Env: hook.BaseEnv(os.Environ())},
		Request:    render.Request{Instance: render.Instance{Namespace: "default", Name: "test"}},
		Namespaced: func(schema.GroupKind) (bool, bool) { return true, true },
	})
	require.NoError(t, err)
	var text strings.Builder
	for _, f := range all.Items {
		text.WriteString(f.String() + "\n")
	}
	assert.Contains(t, text.String(), "ConfigMap <hidden>: wanted a name that begins with d8a-INSTANCE-")
	assert.Contains(t, text.String(), "werf.io/weight")
	assert.NotContains(t, text.String(), "correct-horse")
}

// What is no file under hooks/ is told of, not left out.
func TestInspectTellsOfHooksThatAreNoFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "package.yaml", definition)
	write(t, dir, "docs/README.md", "# shop\n")
	write(t, dir, "templates/server.yaml", server)
	write(t, dir, "hooks/README.md", "text")
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "hooks/x.sh"), 0o755))
	found, err := inspect(t.Context(), t, dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"hooks/x.sh: error: wanted a file, found a pipe (hooks)"}, found)
}

// Links out of a package are told of by their names, all of them, each once.
func TestInspectTellsOfLinksOut(t *testing.T) {
	for name, c := range map[string]struct{ links, want []string }{
		"templates and charts": {
			[]string{"templates/a.yaml", "charts/lib", "docs/picture.png", "icon.png"},
			[]string{"charts/lib", "docs/picture.png", "icon.png", "templates/a.yaml"},
		},
		"package.yaml": {[]string{"package.yaml"}, []string{"package.yaml"}},
		"a schema":     {[]string{"openapi/settings.yaml", "openapi/values.yaml"}, []string{"openapi/settings.yaml", "openapi/values.yaml"}},
		"a directory":  {[]string{"openapi"}, []string{"openapi"}},
		"templates":    {[]string{"templates"}, []string{"templates"}},
		"the icon":     {[]string{"icon.png"}, []string{"icon.png"}},
		"hooks":        {[]string{"hooks/a.sh"}, []string{"hooks/a.sh"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, outside := t.TempDir(), t.TempDir()
			write(t, outside, "secret", "a: 1")
			write(t, dir, "package.yaml", definition)
			write(t, dir, "docs/README.md", "# shop\n")
			write(t, dir, "templates/server.yaml", server)
			for _, link := range c.links {
				require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755))
				require.NoError(t, os.RemoveAll(filepath.Join(dir, link)))
				require.NoError(t, os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, link)))
			}
			found, err := inspect(t.Context(), t, dir)
			require.NoError(t, err)
			var files []string
			for _, line := range found {
				file, text, _ := strings.Cut(line, ": ")
				files = append(files, file)
				assert.Contains(t, text, "error: is a link that leads out of the package")
			}
			assert.Equal(t, c.want, files)
		})
	}
}
