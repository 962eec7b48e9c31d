//go:build unix

package instance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// cluster is one without objects that notes what is done to it.
type cluster struct {
	mu    sync.Mutex
	done  []string
	fails error
}

func (c *cluster) Snapshot(context.Context, string, string) (snapshot.Snapshot, error) {
	return snapshot.Snapshot{}, nil
}

func (c *cluster) Do(_ context.Context, o output.Operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = append(c.done, o.String())
	return c.fails
}

const (
	settingsSchema = `type: object
properties:
  replicas: {type: integer, default: 1, minimum: 1}
  password: {type: string, format: password}
  class: {type: string, x-deckhouse-immutable: true}
`
	valuesSchema = `x-extend: {schema: settings.yaml}
type: object
properties:
  internal:
    type: object
    default: {}
    properties:
      count: {type: integer, maximum: 9}
      other: {type: integer}
`
	template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d8a-{{ .Application.Instance.Name }}-c}\ndata: {count: \"{{ .Values.internal.count }}\", replicas: \"{{ .Values.replicas }}\"}\n"
)

// shell is a hook with a configuration that does something.
func shell(config, do string) string {
	return "#!/bin/sh\nif [ \"$1\" = --config ]; then\ncat <<'END'\nconfigVersion: v1\n" + config + "\nEND\nexit 0\nfi\n" + do + "\n"
}

// patch is what a hook does that sets a value below internal.
func patch(key, value string) string {
	return `echo '{"op":"add","path":"/internal/` + key + `","value":` + value + `}' >> $VALUES_JSON_PATCH_PATH`
}

func bundleDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	all := map[string]string{
		"package.yaml":          "apiVersion: v1\ntype: Application\nname: shop\nversion: v1.0.0\n",
		"openapi/settings.yaml": settingsSchema, "openapi/values.yaml": valuesSchema, "templates/c.yaml": template,
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if text == "" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "hooks/") {
			mode = 0o755
		}
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
	}
	return dir
}

func load(t *testing.T, shelf *Shelf, dir, name string) *Instance {
	t.Helper()
	i, err := Load(t.Context(), shelf, dir, "v1.2.3", Options{
		Namespace: "demo", Name: name, Hooks: HookOptions{Env: hook.BaseEnv(os.Environ()), TempDir: t.TempDir()},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, i.Close()) })
	return i
}

func configure(t *testing.T, i *Instance, given map[string]any) {
	t.Helper()
	_, err := i.Configure(t.Context(), given, values.Change{})
	require.NoError(t, err)
}

func TestP1LoadAndShare(t *testing.T) {
	dir := bundleDir(t, map[string]string{"images_digests.json": `{"server":"sha256:` + strings.Repeat("a", 64) + `"}`, "hooks/a.sh": shell("beforeHelm: 1", "true")})
	shelf := &Shelf{}
	a, b := load(t, shelf, dir, "a"), load(t, shelf, dir, "b")
	assert.Same(t, a.shared, b.shared)
	assert.Equal(t, "v1.2.3", a.Definition().Version, "the version that was asked for")
	assert.Len(t, a.Digests(), 1)
	assert.Len(t, a.Hooks().Hooks, 1)
	configure(t, a, map[string]any{"replicas": int64(2)})
	assert.Nil(t, b.Values(), "values are each one's own")
	assert.Equal(t, map[string]any{"replicas": int64(2), "internal": map[string]any{}}, a.Values())
}

// TestSlowBundleHoldsUpNobodyElse: who wants another bundle doesn't wait, and who wants
// the same can go.
func TestSlowBundleHoldsUpNobodyElse(t *testing.T) {
	shelf, slow, quick := &Shelf{}, bundleDir(t, nil), bundleDir(t, nil)
	at, first := shelf.enter(slow + "\x00v1.2.3")
	require.True(t, first, "somebody reads it and takes long")
	load(t, shelf, quick, "a")
	ctx, cancel := context.WithCancelCause(t.Context())
	waited := make(chan error, 1)
	go func() {
		_, err := shelf.Take(ctx, slow, "v1.2.3")
		waited <- err
	}()
	cancel(errors.New("superseded"))
	require.EqualError(t, <-waited, "superseded")
	at.err = errors.New("unreadable")
	close(at.done)
	_, err := shelf.Take(t.Context(), slow, "v1.2.3")
	require.EqualError(t, err, "unreadable", "the same reading is everybody's")
	require.NoError(t, shelf.leave(slow+"\x00v1.2.3", at))
	load(t, shelf, slow, "b") // a failure is not kept
}

func TestLoadFaults(t *testing.T) {
	shelf := &Shelf{}
	for name, files := range map[string]map[string]string{
		"hooks/a.sh":            {"hooks/a.sh": shell("befreHelm: 1", "true")},
		"openapi/settings.yaml": {"openapi/settings.yaml": "type: objct\n"},
		"package.yaml":          {"package.yaml": "apiVersion: v1\ntype: Module\nname: x\n"},
	} {
		_, err := Load(t.Context(), shelf, bundleDir(t, files), "v1.0.0", Options{Namespace: "demo", Name: "a", Hooks: HookOptions{Env: hook.BaseEnv(os.Environ())}})
		require.ErrorContains(t, err, name)
	}
	assert.Empty(t, shelf.all, "nothing is left open")
}

func TestConfigure(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, nil), "a")
	_, err := i.Configure(t.Context(), map[string]any{"replica": int64(2)}, values.Change{})
	require.ErrorContains(t, err, "replica")
	assert.True(t, IsInvalid(err))
	assert.False(t, i.Configured())
	configure(t, i, map[string]any{"class": "a"})
	_, err = i.Configure(t.Context(), map[string]any{"class": "b"}, values.Change{Applied: i.Settings()})
	require.ErrorContains(t, err, "class")
	assert.Equal(t, "a", i.Settings()["class"], "what was before stays")
	_, err = i.Judge(t.Context(), map[string]any{"replicas": int64(0)}, values.Change{})
	require.ErrorContains(t, err, "replicas")
	require.NoError(t, i.Assume(t.Context(), map[string]any{"replicas": int64(0)}))
	assert.Equal(t, int64(0), i.Values()["replicas"])
}

// TestSettingsThatAStatusCantHold are refused with whose they are, the limit and what was
// found; what was applied before stays.
func TestSettingsThatAStatusCantHold(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, nil), "a")
	configure(t, i, map[string]any{"class": strings.Repeat("x", MaxSettings-100)})
	large := map[string]any{"class": strings.Repeat("x", 900<<10)}
	for _, judge := range []func(context.Context, map[string]any, values.Change) ([]string, error){i.Configure, i.Judge} {
		_, err := judge(t.Context(), large, values.Change{})
		require.EqualError(t, err, "settings of demo.a: wanted at most 512 KiB as JSON with their defaults, found 901 KiB")
		assert.True(t, IsInvalid(err))
	}
	assert.Len(t, i.Settings()["class"], MaxSettings-100)
}

// TestComplaint22VerdictOfTheProgram: the words of a settings check reach the user, and a
// program is asked once about equal settings.
func TestComplaint22VerdictOfTheProgram(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{"hooks/lib/batch": `#!/bin/sh
echo x >> ` + asked + `
grep -q '"replicas":7' $SETTINGS_PATH && { echo '{"valid":false,"message":"not seven"}' >&2; exit 1; }
grep -q '"replicas":8' $SETTINGS_PATH && { echo '{"valid":true,"warnings":["even number"]}' >&2; exit 1; }
exit 0
`}), "a")
	// Scripts are never asked whether they judge settings, so it is said here.
	i.set.Checks = []hook.Check{{File: "hooks/batch", Path: filepath.Join(i.Dir(), "hooks/lib/batch")}}
	_, err := i.Configure(t.Context(), map[string]any{"replicas": int64(7)}, values.Change{})
	require.EqualError(t, err, "settings: hooks/batch: refused: not seven")
	assert.True(t, IsInvalid(err))
	warnings, err := i.Configure(t.Context(), map[string]any{"replicas": int64(8)}, values.Change{})
	require.NoError(t, err)
	assert.Equal(t, []string{"settings: hooks/batch: even number"}, warnings)
	configure(t, i, map[string]any{"replicas": int64(8)})
	times, err := os.ReadFile(asked)
	require.NoError(t, err)
	assert.Equal(t, "x\nx\n", string(times))
}

// TestP3HooksChangeValues: values that a hook sets stay over new settings, are what
// templates see, and a run that fails leaves nothing.
func TestP3HooksChangeValues(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{
		"hooks/b.sh":      shell("beforeHelm: 2", patch("count", "5")),
		"hooks/a.sh":      shell("beforeHelm: 1", patch("count", "4")),
		"hooks/start.sh":  shell("onStartup: 1", "true"),
		"hooks/bad.sh":    shell("afterHelm: 1", patch("count", "10")),
		"hooks/nearly.sh": shell("schedule: [{name: s, crontab: '* * * * *', allowFailure: true, queue: side}]", "exit 3"),
	}), "a")
	c := &cluster{}
	run := func(call hook.Pending) (Ran, error) { return i.Run(t.Context(), call, c) }
	_, err := i.Render(t.Context(), render.Request{})
	require.ErrorContains(t, err, "not been accepted")
	configure(t, i, nil)

	before := i.Stage(binding.BeforeHelm)
	require.Len(t, before, 2)
	assert.Equal(t, "hooks/a.sh", before[0].Hook.ID)
	for _, call := range before {
		ran, err := run(call)
		require.NoError(t, err)
		assert.True(t, ran.Changed)
	}
	ran, err := run(before[1])
	require.NoError(t, err)
	assert.False(t, ran.Changed, "equal values are no change")
	configure(t, i, map[string]any{"replicas": int64(3)})
	assert.Equal(t, map[string]any{"replicas": int64(3), "internal": map[string]any{"count": int64(5)}}, i.Values())

	digest, err := i.Digest()
	require.NoError(t, err)
	_, err = run(i.Stage(binding.AfterHelm)[0])
	require.ErrorContains(t, err, "count", "the schema says at most 9")
	now, err := i.Digest()
	require.NoError(t, err)
	assert.Equal(t, digest, now)

	nearly := hook.Pending{Hook: i.Hooks().Find("hooks/nearly.sh"), Triggers: []hook.Trigger{hook.Scheduled("s")}}
	assert.Equal(t, "side", Queue(nearly))
	assert.Equal(t, "main", Queue(before[0]))
	ran, err = run(nearly)
	require.NoError(t, err)
	require.ErrorContains(t, ran.Allowed, "exit")

	result, err := i.Render(t.Context(), render.Request{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"count": "5", "replicas": "3"}, result.Objects[0].Body["data"])
	assert.True(t, i.Start())
	i.Started()
	assert.False(t, i.Start())
}

// TestConcurrentRunsLoseNothing: each of many hooks that run side by side sets a value of
// its own.
func TestConcurrentRunsLoseNothing(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{
		"hooks/a.sh": shell("beforeHelm: 1", "sleep 0.1\n"+patch("count", "1")),
		"hooks/b.sh": shell("beforeHelm: 1", "sleep 0.1\n"+patch("other", "2")),
	}), "a")
	configure(t, i, nil)
	var wg sync.WaitGroup
	for _, call := range i.Stage(binding.BeforeHelm) {
		wg.Go(func() {
			_, err := i.Run(t.Context(), call, &cluster{})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	assert.Equal(t, map[string]any{"count": int64(1), "other": int64(2)}, i.Values()["internal"])
}

// TestFailingOperationKeepsValues: a failing operation on objects throws the patch away.
func TestFailingOperationKeepsValues(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{"hooks/a.sh": shell("beforeHelm: 1", patch("count", "1")+`
echo '{"operation":"DeleteInBackground","apiVersion":"v1","kind":"ConfigMap","name":"x"}' > $KUBERNETES_PATCH_PATH`)}), "a")
	configure(t, i, nil)
	_, err := i.Run(t.Context(), i.Stage(binding.BeforeHelm)[0], &cluster{fails: errors.New("connection refused")})
	require.ErrorContains(t, err, "connection refused")
	assert.Empty(t, i.Values()["internal"])
}

func TestSynchronizations(t *testing.T) {
	kube := func(name, more string) string {
		return "{name: " + name + ", apiVersion: v1, kind: ConfigMap" + more + "}"
	}
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{
		"hooks/a.sh": shell("kubernetes: ["+kube("one", "")+", "+kube("two", "")+", "+kube("three", ", queue: side, waitForSynchronization: false")+"]", "true"),
		"hooks/b.sh": shell("kubernetes: ["+kube("quiet", ", executeHookOnSynchronization: false")+"]", "true"),
	}), "a")
	all := i.Synchronizations()
	require.Len(t, all, 2)
	assert.Equal(t, []hook.Trigger{hook.Synchronized("one"), hook.Synchronized("two")}, all[0].Triggers)
	assert.Equal(t, Synchronization{Pending: all[1].Pending, Queue: "side", Wait: false}, all[1])
}

func TestSecretsAreScrubbed(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, nil), "a")
	assert.Equal(t, "x", i.Scrub("x"))
	configure(t, i, map[string]any{"password": "hunter2-hunter2"})
	assert.NotContains(t, i.Scrub("it was hunter2-hunter2"), "hunter2")
	assert.Equal(t, "<value not shown>", i.Masked(i.Settings())["password"])
}

// What a program says of settings may quote them, before they are the instance's.
func TestVerdictsAreScrubbedOfTheSettingsTheyJudge(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{"hooks/lib/batch": `#!/bin/sh
grep -q '"replicas":7' $SETTINGS_PATH && { echo '{"valid":false,"message":"hunter2-hunter2 is weak"}' >&2; exit 1; }
grep -q '"replicas":8' $SETTINGS_PATH && { echo '{"valid":true,"warnings":["hunter2-hunter2 is old"]}' >&2; exit 1; }
echo "crashed at hunter2-hunter2" >&2
exit 2
`}), "a")
	i.set.Checks = []hook.Check{{File: "hooks/batch", Path: filepath.Join(i.Dir(), "hooks/lib/batch")}}
	given := func(replicas int64) map[string]any {
		return map[string]any{"replicas": replicas, "password": "hunter2-hunter2"}
	}
	_, err := i.Configure(t.Context(), given(7), values.Change{})
	require.ErrorContains(t, err, "is weak")
	assert.True(t, IsInvalid(err))
	assert.NotContains(t, err.Error(), "hunter2")
	warnings, err := i.Judge(t.Context(), given(8), values.Change{})
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Contains(t, warnings[0], "is old")
	assert.NotContains(t, warnings[0], "hunter2")
	_, err = i.Judge(t.Context(), given(9), values.Change{})
	require.ErrorContains(t, err, "crashed at")
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestWithoutTemplates(t *testing.T) {
	i := load(t, &Shelf{}, bundleDir(t, map[string]string{"templates/c.yaml": ""}), "a")
	configure(t, i, nil)
	_, err := i.Render(t.Context(), render.Request{})
	require.ErrorIs(t, err, render.ErrNoChart)
	assert.False(t, i.Renders())
}
