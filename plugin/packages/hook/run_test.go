//go:build linux || darwin

package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// start runs a hook at its onStartup binding.
func start(t *testing.T, r *Runner, h *Hook) (Result, error) {
	t.Helper()
	return r.Run(t.Context(), Request{Hook: h, Triggers: []Trigger{Stage(binding.OnStartup)}})
}

func TestRunTellsTheHookAndReadsItsAnswers(t *testing.T) {
	r := runner(t)
	h := one(t, startup, `
set -e
echo "$APPLICATION_NAME $APPLICATION_NAMESPACE $MODULE_NAME $LOG_LEVEL $#"
for f in "$BINDING_CONTEXT_PATH" "$VALUES_PATH" "$CONFIG_VALUES_PATH"; do tr -d '\n' < "$f"; echo; done
for f in "$VALUES_JSON_PATCH_PATH" "$CONFIG_VALUES_JSON_PATCH_PATH" "$KUBERNETES_PATCH_PATH" "$METRICS_PATH"; do [ -f "$f" ] && [ ! -s "$f" ]; done
ls -ld "$(dirname "$VALUES_PATH")" | cut -c1-10
ls -l "$VALUES_PATH" | cut -c1-10
[ -d "$TMPDIR" ] && touch "$TMPDIR/leftover" && mkdir -p "$TMPDIR/locked/in" && chmod 0 "$TMPDIR/locked"
[ "$(pwd -P)" = "$(cd "$(dirname "$0")" && pwd -P)" ]
echo "to the log" >&2
echo '{"op":"add","path":"/n","value":1}{"op":"remove","path":"/old"}' > "$VALUES_JSON_PATCH_PATH"
echo '{"operation":"Delete","kind":"Pod","name":"p"}' > "$KUBERNETES_PATCH_PATH"
echo '{"name":"m","add":2}' >> "$METRICS_PATH"
`)
	result, err := r.Run(t.Context(), Request{
		Hook: h, Triggers: []Trigger{Stage(binding.OnStartup)},
		Values: map[string]any{"big": int64(9007199254740993)},
	})
	require.NoError(t, err)
	assert.Equal(t, `shop default default.shop info 0
[{"binding":"onStartup"}]
{"big":9007199254740993}
{}
drwx------
-rw-------
`, result.Stdout)
	assert.Equal(t, "to the log\n", result.Stderr)
	assert.Positive(t, result.Took)
	assert.Len(t, result.Patch.Steps, 2)
	assert.Len(t, result.Metrics, 1)
	require.Len(t, result.Operations, 1)
	assert.Equal(t, "operation 1: Delete of Pod default/d8a-shop-p", result.Operations[0].String())
	assert.Equal(t, []string{`operation 1 (Delete): name "p" became "d8a-shop-p"`}, result.Notes)
	assertEmptyDir(t, r.TempDir)
}

func TestRunNamespacesAny(t *testing.T) {
	r := runner(t)
	r.Namespaces = binding.Any
	result, err := start(t, r, one(t, startup, `echo '{"operation":"Delete","kind":"Pod","name":"p","namespace":"other"}' > "$KUBERNETES_PATCH_PATH"`))
	require.NoError(t, err)
	assert.Equal(t, "operation 1: Delete of Pod other/p", result.Operations[0].String())
	assert.Empty(t, result.Notes)
}

func TestRunFails(t *testing.T) {
	for name, tt := range map[string]struct{ body, want string }{
		"exit code": {
			"echo first; echo 'the reason' >&2; exit 3",
			"hook hooks/one.sh (onStartup): exit code 3\n  the reason",
		},
		"reason on standard output": {"echo 'a line'; exit 1", "hook hooks/one.sh (onStartup): exit code 1\n  a line"},
		"killed by somebody":        {"kill -KILL $$", "hook hooks/one.sh (onStartup): was ended by signal: killed"},
		"broken values patch": {
			`printf '[{"op":"add","path":"/a","value":1},{"op":"ad' > "$VALUES_JSON_PATCH_PATH"`,
			"hook hooks/one.sh (onStartup): VALUES_JSON_PATCH_PATH: line 1, column 46: not JSON: unexpected EOF",
		},
		"unknown step": {
			`echo '[{"op":"set","path":"/a","value":1}]' > "$VALUES_JSON_PATCH_PATH"`,
			`hook hooks/one.sh (onStartup): VALUES_JSON_PATCH_PATH: patch 1[0].op: wanted one of add, remove, replace, found "set"`,
		},
		"settings are not the hook's": {
			`echo '[{"op":"add","path":"/a","value":1}]' > "$CONFIG_VALUES_JSON_PATCH_PATH"`,
			"hook hooks/one.sh (onStartup): CONFIG_VALUES_JSON_PATCH_PATH: settings are read-only for the hooks of an application: " +
				"nothing may be written here; change values through VALUES_JSON_PATCH_PATH",
		},
		"several files": {
			`echo x > "$METRICS_PATH"; echo 'operation: Destroy' > "$KUBERNETES_PATCH_PATH"`,
			"hook hooks/one.sh (onStartup): KUBERNETES_PATCH_PATH: document 1.operation: wanted one of Create, CreateOrUpdate, CreateIfNotExists, " +
				"Delete, DeleteInBackground, DeleteNonCascading, JQPatch, MergePatch, JSONPatch, found \"Destroy\"\n" +
				"METRICS_PATH: line 1, column 1: not JSON: invalid character 'x' looking for beginning of value",
		},
		"a link in the place of a file": {
			`ln -sf /etc/passwd "$METRICS_PATH"`, "hook hooks/one.sh (onStartup): METRICS_PATH: is no regular file any more",
		},
		"a pipe in the place of a file": {
			`rm "$VALUES_JSON_PATCH_PATH"; mkfifo "$VALUES_JSON_PATCH_PATH"`,
			"hook hooks/one.sh (onStartup): VALUES_JSON_PATCH_PATH: is no regular file any more",
		},
		"a file that is too large": {
			`head -c 2000000 /dev/zero > "$METRICS_PATH"`, "hook hooks/one.sh (onStartup): METRICS_PATH: more than 1048576 bytes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := runner(t)
			result, err := start(t, r, one(t, startup, tt.body))
			assert.EqualError(t, err, tt.want)
			var failure *Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, "hooks/one.sh", failure.Hook)
			assert.True(t, result.Patch.Empty())
			assert.Empty(t, result.Operations)
			assert.Empty(t, result.Metrics)
			assertEmptyDir(t, r.TempDir)
		})
	}
}

func TestRunAcceptsWhatChangesNothing(t *testing.T) {
	for name, body := range map[string]string{
		"nothing written":      "true",
		"files removed":        `rm "$METRICS_PATH" "$KUBERNETES_PATCH_PATH" "$VALUES_JSON_PATCH_PATH" "$CONFIG_VALUES_JSON_PATCH_PATH"`,
		"empty lists and null": `echo '[]' > "$CONFIG_VALUES_JSON_PATCH_PATH"; echo null > "$VALUES_JSON_PATCH_PATH"; echo '---' > "$KUBERNETES_PATCH_PATH"`,
		"files replaced":       `echo '[]' > x.$$; mv x.$$ "$VALUES_JSON_PATCH_PATH"`,
	} {
		t.Run(name, func(t *testing.T) {
			result, err := start(t, runner(t), one(t, startup, body))
			require.NoError(t, err)
			assert.True(t, result.Patch.Empty())
			assert.Empty(t, result.Operations)
		})
	}
}

// Of a failed run only status patches that ask for it are made.
func TestFailedRunStillPatchesStatus(t *testing.T) {
	result, err := start(t, runner(t), one(t, startup, `
cat > "$KUBERNETES_PATCH_PATH" <<'E'
{"operation":"MergePatch","kind":"Foo","apiVersion":"x/v1","name":"d8a-shop-a","subresource":"status","ignoreHookError":true,"mergePatch":{"status":{"phase":"Failed"}}}
{"operation":"MergePatch","kind":"Foo","apiVersion":"x/v1","name":"d8a-shop-b","subresource":"status","mergePatch":{"status":{}}}
{"operation":"MergePatch","kind":"Foo","apiVersion":"x/v1","name":"d8a-shop-c","ignoreHookError":true,"mergePatch":{"status":{}}}
{"operation":"Delete","kind":"Foo","apiVersion":"x/v1","name":"d8a-shop-d","subresource":"status","ignoreHookError":true}
E
echo '[{"op":"add","path":"/a","value":1}]' > "$VALUES_JSON_PATCH_PATH"
echo '{"name":"m","add":2}' > "$METRICS_PATH"
exit 4`))
	assert.ErrorContains(t, err, "exit code 4")
	require.Len(t, result.Operations, 1)
	assert.Equal(t, "operation 1: MergePatch of status of Foo.x default/d8a-shop-a", result.Operations[0].String())
	assert.True(t, result.Patch.Empty())
	assert.Empty(t, result.Metrics)
}

func TestRunEnds(t *testing.T) {
	t.Run("with its context", func(t *testing.T) {
		r := runner(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the application is suspended")
		go func() {
			for len(r.Running()) == 0 {
				time.Sleep(time.Millisecond)
			}
			cancel(cause)
		}()
		h := one(t, startup, `echo '{"operation":"Delete","kind":"Pod","name":"p"}' > "$KUBERNETES_PATCH_PATH"; sleep 60`)
		result, err := r.Run(ctx, Request{Hook: h, Triggers: []Trigger{Stage(binding.OnStartup)}})
		assert.ErrorIs(t, err, cause)
		assert.ErrorContains(t, err, "hook hooks/one.sh (onStartup): stopped after ")
		assert.Empty(t, result.Operations, "what a stopped hook wrote may be half of it")
		assertEmptyDir(t, r.TempDir)
		assert.Empty(t, r.Running())
	})
	t.Run("when a file grows beyond all bounds", func(t *testing.T) {
		_, err := start(t, runner(t), one(t, startup, `yes '{"name":"m","add":2}' > "$METRICS_PATH"`))
		assert.ErrorContains(t, err, "METRICS_PATH: more than 1048576 bytes")
		var stopped *process.StoppedError
		assert.ErrorAs(t, err, &stopped)
	})
}

// Case J05: a hook that never ends, and one that talks without end.
func TestCaseJ05(t *testing.T) {
	set := caseSet(t, "J05", binding.Instance)
	t.Run("hung", func(t *testing.T) {
		r := runner(t)
		r.Limits.Run = 2 * time.Second
		begin := time.Now()
		_, err := start(t, r, set.Find("hooks/hung.sh"))
		var limit *process.TimeLimitError
		assert.ErrorAs(t, err, &limit)
		assert.ErrorContains(t, err, "hook hooks/hung.sh (onStartup): killed after ")
		assert.Less(t, time.Since(begin), 20*time.Second)
	})
	t.Run("shows how long it has been running", func(t *testing.T) {
		r := runner(t)
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		r.Now = func() time.Time { return now }
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.Run(ctx, Request{Hook: set.Find("hooks/hung.sh"), Triggers: []Trigger{Stage(binding.OnStartup)}})
			done <- err
		}()
		require.Eventually(t, func() bool { return len(r.Running()) == 1 }, 10*time.Second, time.Millisecond)
		under := r.Running()[0]
		assert.Equal(t, "hooks/hung.sh", under.Hook)
		assert.Equal(t, "onStartup", under.Doing)
		assert.Equal(t, now, under.Since)
		assert.Positive(t, under.PID)
		cancel()
		assert.ErrorIs(t, <-done, context.Canceled)
	})
	t.Run("noisy", func(t *testing.T) {
		result, err := start(t, runner(t), set.Find("hooks/noisy.sh"))
		require.NoError(t, err)
		assert.Less(t, len(result.Stdout), 70<<10)
		assert.Contains(t, result.Stdout, "bytes left out ...]")
	})
}

// Case J01: a filter that fails on one object is an error with its name; the hook's
// other bindings go on, and it runs once the object is repaired.
func TestCaseJ01Runtime(t *testing.T) {
	l := loader()
	l.Namespaces = binding.Any
	set, _ := l.Load(t.Context(), "testdata/cases/J01")
	h := set.Find("hooks/runtime.sh")
	k := h.Config.FindKubernetes("cms")
	tracker := snapshot.NewTracker(k)
	r := runner(t)
	r.Env = append(r.Env, "OUT="+t.TempDir())
	source := trackers{"cms": tracker}

	_, err := tracker.Set(t.Context(), body(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"good","namespace":"jq","labels":{"jq":"yes"}},"data":{"n":"7"}}`))
	require.NoError(t, err)
	odd := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"odd","namespace":"jq","labels":{"jq":"yes"}},"data":{"n":"%s"}}`
	_, err = tracker.Set(t.Context(), body(t, fmt.Sprintf(odd, "seven")))
	assert.ErrorContains(t, err, `binding "cms": ConfigMap jq/odd: filter ".data.n | tonumber": `)

	_, err = r.Run(t.Context(), Request{Hook: h, Triggers: []Trigger{Synchronized("cms")}, Source: source})
	assert.ErrorContains(t, err, `hook hooks/runtime.sh (cms): binding "cms": ConfigMap jq/odd: filter ".data.n | tonumber": `)

	change, err := tracker.Set(t.Context(), body(t, fmt.Sprintf(odd, "8")))
	require.NoError(t, err)
	require.NotNil(t, change, "the repaired object calls the hook")
	_, err = r.Run(t.Context(), Request{Hook: h, Triggers: []Trigger{Changed("cms", *change)}, Source: source})
	require.NoError(t, err)
	log, err := os.ReadFile(filepath.Join(strings.TrimPrefix(r.Env[len(r.Env)-1], "OUT="), "runtime.log"))
	require.NoError(t, err)
	assert.JSONEq(t, `[{"binding":"cms","type":"Event","watchEvent":"Added","filterResult":8,"object":`+fmt.Sprintf(odd, "8")+`}]`, string(log))
}

// trackers is a Source of trackers, as the watching side has it.
type trackers map[string]*snapshot.Tracker

func (s trackers) Snapshot(_ context.Context, _, name string) (snapshot.Snapshot, error) {
	return s[name].Snapshot()
}

// Case J11: while a hook runs, events pile up; they are few runs, and the last
// context has the last state.
func TestCaseJ11Runs(t *testing.T) {
	dir := t.TempDir()
	set := load(t, Loader{Instance: shop(), Namespaces: binding.Any, Env: baseEnv(), Limits: shortLimits()}, bundle(t, map[string]string{
		"hooks/slow.sh": script(`{"configVersion":"v1","kubernetes":[{"name":"c","kind":"ConfigMap","jqFilter":".data.n"}]}`,
			`sleep 0.1; cat "$BINDING_CONTEXT_PATH" >> "$OUT/slow.log"; echo "=== run" >> "$OUT/slow.log"`),
	}))
	h := set.Hooks[0]
	r := runner(t)
	r.Env = append(r.Env, "OUT="+dir)
	tracker := snapshot.NewTracker(h.Config.FindKubernetes("c"))
	var queue []Pending
	for i := range 500 {
		change, err := tracker.Set(t.Context(), body(t, fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"counter","namespace":"default"},"data":{"n":"%d"}}`, i+1)))
		require.NoError(t, err)
		queue = append(queue, Pending{Hook: h, Triggers: []Trigger{Changed("c", *change)}})
		if i == 0 || i == 250 { // the hook is free
			var next Pending
			next, queue = Merge(queue)
			_, err := r.Run(t.Context(), Request{Hook: h, Triggers: next.Triggers, Source: trackers{"c": tracker}})
			require.NoError(t, err)
		}
	}
	next, rest := Merge(queue)
	assert.Empty(t, rest)
	_, err := r.Run(t.Context(), Request{Hook: h, Triggers: next.Triggers, Source: trackers{"c": tracker}})
	require.NoError(t, err)
	log, err := os.ReadFile(filepath.Join(dir, "slow.log"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(log), "=== run"))
	last := 0
	for line := range strings.SplitSeq(string(log), "\n") {
		if _, after, ok := strings.Cut(line, `"filterResult":"`); ok {
			var n int
			_, err := fmt.Sscanf(after, "%d", &n)
			require.NoError(t, err)
			require.Equal(t, last+1, n, "none lost, none twice, in order")
			last = n
		}
	}
	assert.Equal(t, 500, last)
}

func TestSecretsStayOutOfTexts(t *testing.T) {
	const secret = "s3cr3t-pa55word"
	secretBody := body(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"k","namespace":"default"},"stringData":{"p":"`+secret+`"}}`)
	whole := snapshot.Entry{Ref: object.RefOf(secretBody), Object: secretBody}
	filtered := snapshot.Entry{Ref: object.RefOf(secretBody), Filtered: true, Result: map[string]any{"deep": []any{secret}}}
	config := `{"configVersion":"v1","kubernetes":[{"name":"k","kind":"secrets"}]}`
	for name, tt := range map[string]struct {
		body  string
		entry snapshot.Entry
	}{
		"seen whole":     {`echo "have $P"; echo "refused: $P" >&2; exit 1`, whole},
		"seen filtered":  {`echo "have $P"; echo "refused: $P" >&2; exit 1`, filtered},
		"written":        {`echo "{operation: Create, object: {apiVersion: v1, kind: Secret, metadata: {name: x}, stringData: {p: $P}}}" > "$KUBERNETES_PATCH_PATH"; echo "have $P"; echo "refused: $P" >&2; exit 1`, snapshot.Entry{}},
		"merged":         {`echo "{operation: MergePatch, kind: Secret, name: x, mergePatch: {stringData: {p: $P}}}" > "$KUBERNETES_PATCH_PATH"; echo "have $P"; echo "refused: $P" >&2; exit 1`, snapshot.Entry{}},
		"patched":        {`echo "{operation: JSONPatch, kind: Secret, name: x, jsonPatch: [{op: add, path: /stringData/p, value: $P}]}" > "$KUBERNETES_PATCH_PATH"; echo "have $P"; echo "refused: $P" >&2; exit 1`, snapshot.Entry{}},
		"patched whole":  {`echo "{operation: JSONPatch, kind: Secret, name: x, jsonPatch: [{op: add, path: /stringData, value: {p: $P}}]}" > "$KUBERNETES_PATCH_PATH"; echo "have $P"; echo "refused: $P" >&2; exit 1`, snapshot.Entry{}},
		"by a filter":    {`echo '{"operation":"JQPatch","kind":"Secret","name":"x","jqFilter":".stringData.p = \"'$P'\""}' > "$KUBERNETES_PATCH_PATH"; echo "have $P"; echo "refused: $P" >&2; exit 1`, snapshot.Entry{}},
		"base64 of it":   {`echo "have $(printf %s "$P" | base64)"; echo "refused: $P" >&2; exit 1`, whole},
		"of a good hook": {`echo "have $P"; echo "refused: $P" >&2`, whole},
	} {
		t.Run(name, func(t *testing.T) {
			r := runner(t)
			r.Env = append(r.Env, "P="+secret)
			result, err := r.Run(t.Context(), Request{
				Hook: one(t, config, tt.body), Triggers: []Trigger{Synchronized("k")}, Source: fixed{"k": {tt.entry}},
			})
			if err != nil {
				assert.NotContains(t, err.Error(), secret)
				assert.Contains(t, err.Error(), "refused")
			}
			assert.NotContains(t, result.Stdout, secret)
			assert.NotContains(t, result.Stdout, "czNjcjN0LXBhNTV3b3Jk")
			assert.NotContains(t, result.Stderr, secret)
			assert.Contains(t, result.Stdout, "have")
		})
	}
}

// A thousand things could stay behind: 200 runs, of which some fail, are cancelled
// or leave processes, leave nothing.
func TestNothingIsLeftAfterManyRuns(t *testing.T) {
	r := runner(t)
	r.Limits.Grace = 0
	good := one(t, startup, `echo '[{"op":"add","path":"/a","value":1}]' > "$VALUES_JSON_PATCH_PATH"; sleep 60 & mktemp >/dev/null`)
	bad := one(t, startup, `mkdir "$TMPDIR/d"; chmod 0 "$TMPDIR/d"; exit 1`)
	run := func(i int) {
		h := good
		if i%3 == 1 {
			h = bad
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if i%10 == 9 {
			cancel()
		}
		_, _ = r.Run(ctx, Request{Hook: h, Triggers: []Trigger{Stage(binding.OnStartup)}})
	}
	run(0)
	goroutines, descriptors := runtime.NumGoroutine(), openFiles(t)
	for i := range 200 {
		run(i)
	}
	for deadline := time.Now().Add(2 * time.Second); runtime.NumGoroutine() > goroutines && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	assert.Equal(t, descriptors, openFiles(t))
	assertEmptyDir(t, r.TempDir)
	assert.Empty(t, r.Running())
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	require.NoError(t, err)
	return len(entries)
}

func TestOutputNames(t *testing.T) {
	names := map[string]bool{}
	for _, variable := range append([]string{contextsFile, valuesFile, settingsFile, checkFile}, outputs()...) {
		assert.NotEmpty(t, nameOf(variable), variable)
		names[nameOf(variable)] = true
	}
	assert.Len(t, names, 8)
	assert.Contains(t, outputs(), output.MetricsFile)
}
