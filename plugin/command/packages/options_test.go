package packages

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// testEnv is an environment with nothing in it but what is given on standard input.
func testEnv(input, namespace string) (env *Env, errOut *bytes.Buffer) {
	errOut = &bytes.Buffer{}
	return &Env{
		IOStreams: genericiooptions.IOStreams{In: strings.NewReader(input), Out: &bytes.Buffer{}, ErrOut: errOut},
		Getenv:    func(string) string { return "" }, Environ: func() []string { return nil },
		Name: "kubectl tazuna", UserAgent: func() string { return "test" }, Namespace: func() string { return namespace },
	}, errOut
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		name, namespace, want, err string
	}{
		{name: "test", want: "default.test"},
		{name: "blog", namespace: "team-a", want: "team-a.blog"},
		{name: strings.Repeat("a", 24), want: "default." + strings.Repeat("a", 24)},
		{name: strings.Repeat("a", 25), err: "wanted 1 to 24 characters, found 25"},
		{name: "", err: "wanted 1 to 24 characters, found 0"},
		{name: "../x", err: `--instance "../x": a lowercase RFC 1123 label must consist of`},
		{name: "Shop", err: `--instance "Shop": a lowercase RFC 1123 label must consist of`},
		{name: "shop", namespace: "team_a", err: `namespace "team_a": a lowercase RFC 1123 label must consist of`},
	} {
		env, _ := testEnv("", c.namespace)
		instance, err := (&packageOptions{instance: c.name}).identity(env)
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, instance.String())
	}
}

func TestHookOptions(t *testing.T) {
	rule, err := (&hookOptions{namespaces: "any"}).rule()
	require.NoError(t, err)
	assert.Equal(t, binding.Any, rule)
	_, err = (&hookOptions{namespaces: "all"}).rule()
	require.EqualError(t, err, `--hook-namespaces: wanted instance or any, found "all"`)
	limits, err := (&hookOptions{timeout: 2 * time.Second}).limits()
	require.NoError(t, err)
	assert.Equal(t, 2*time.Second, limits.Run)
	assert.Greater(t, limits.Load, limits.Run, "loading has a limit of its own")
	_, err = (&hookOptions{timeout: -1}).limits()
	require.EqualError(t, err, "--hook-timeout: wanted 0 or more, found -1ns")
}

// Who gives too few or too many arguments is told what is wanted.
func TestArguments(t *testing.T) {
	env := &Env{Name: "tazuna"}
	for _, c := range []struct {
		cmd  *cobra.Command
		args []string
		err  string
	}{
		{newInit(env), nil, "wanted one argument, NAME, found 0"},
		{newLint(env), []string{"a", "b"}, "wanted one argument, PACKAGE, found 2"},
		{newBuild(env), nil, "wanted one argument, DIR, found 0"},
		{newPush(env), nil, "wanted one argument, DIR or LAYOUT, found 0"},
		{newRender(env), []string{"a.b", "shop"}, "wanted at most one argument, NAMESPACE.INSTANCE, NAMESPACE/INSTANCE, or INSTANCE with -n, found 2"},
		{newValues(env), []string{"shop"}, `wanted no argument, found "shop": the package is given with --bundle`},
		{newHooksList(env), []string{"shop"}, `wanted no argument, found "shop": the package is given with --bundle`},
	} {
		assert.EqualError(t, c.cmd.ValidateArgs(c.args), c.err)
	}
	assert.NoError(t, newRender(env).ValidateArgs(nil))
	assert.NoError(t, newLint(env).ValidateArgs([]string{"shop"}))
}

// A limit of runs is no flag of what only loads hooks, nor the instance one of what is
// the same for all: they would do nothing there.
func TestFlagsAreOnlyWhereTheyDoSomething(t *testing.T) {
	env := &Env{Name: "tazuna"}
	assert.Nil(t, newValues(env).Flags().Lookup("instance"))
	assert.NotNil(t, newHooksRun(env).Flags().Lookup("hook-timeout"))
	assert.Nil(t, newHooksList(env).Flags().Lookup("hook-timeout"))
	assert.Nil(t, newLint(env).Flags().Lookup("hook-timeout"))
}

func TestParseMapping(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "",
		"# nothing\n":      "",
		"a: 1":             "",
		`{"a": [1]}`:       "",
		"- a":              "--settings x: wanted a mapping, found a list",
		"a: 1\n---\nb: 2":  "--settings x: wanted one document, found 2",
		"a: 1\na: 2\n":     "--settings x: ",
		"a: [":             "--settings x: ",
		"password: \tx: y": "--settings x: ",
	} {
		mapping, err := parseMapping([]byte(text), "--settings x")
		if want == "" {
			require.NoError(t, err, text)
			assert.NotNil(t, mapping, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
}

func TestReadSettings(t *testing.T) {
	env, _ := testEnv("replicas: 9007199254740993", "")
	settings, err := (&inputOptions{settings: "-"}).read(env)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"replicas": int64(9007199254740993)}, settings)
	settings, err = (&inputOptions{}).read(env)
	require.NoError(t, err)
	assert.Nil(t, settings, "none given is not an empty file")
	_, err = (&inputOptions{settings: filepath.Join(t.TempDir(), "none.yaml")}).read(env)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRootOf(t *testing.T) {
	for text, want := range map[string]string{
		"ghcr.io/org/packages/web:v1.0.0": "ghcr.io/org/packages",
		"localhost:5000/x/web":            "localhost:5000/x",
		"oci:dir/web:v1.0.0":              "oci:dir/web",
		"ghcr.io/org/other:v1.0.0":        "",
		"ghcr.io/web:v1.0.0":              "",
	} {
		to, err := registry.ParseReference(text)
		require.NoError(t, err)
		root, err := rootOf(to, "web")
		if want == "" {
			require.ErrorContains(t, err, "wanted HOST/REPOSITORY/web", text)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, want, root.String())
	}
}

// What shows and applies plans is of another package, and has no flags here.
type (
	flaglessView    struct{ PlanView }
	flaglessApplier struct{ Applier }
	flaglessRemover struct{ Remover }
)

func (flaglessView) AddFlags(*cobra.Command)    {}
func (flaglessApplier) AddFlags(*cobra.Command) {}
func (flaglessRemover) AddFlags(*cobra.Command) {}

// Every command says what it is for, and keeps flags of one meaning under one name.
func TestTree(t *testing.T) {
	env, _ := testEnv("", "")
	env.PlanView = func() PlanView { return flaglessView{} }
	env.Applier = func() Applier { return flaglessApplier{} }
	env.Remover = func() Remover { return flaglessRemover{} }
	usage := map[string]string{}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		assert.NotEmpty(t, cmd.Short, cmd.Name())
		assert.NotNil(t, cmd.RunE, cmd.Name())
		for _, name := range []string{"bundle", "instance", "settings", "show-secrets", "hook-namespaces", "registry-ca-file"} {
			flag := cmd.Flags().Lookup(name)
			if flag == nil {
				continue
			}
			if cmd.Name() == "diff" && name == "settings" {
				continue // without it, there are those of the Application
			}
			if was, known := usage[name]; known {
				assert.Equal(t, was, flag.Usage, "%s --%s", cmd.Name(), name)
			}
			usage[name] = flag.Usage
		}
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(New(env))
	assert.Len(t, usage, 6)
}
