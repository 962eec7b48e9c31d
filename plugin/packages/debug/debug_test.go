package debug

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

const secret = "hunter2-hunter2"

// shop is a Provider with one application, and secrets wherever one can be.
type shop struct{ renderErr error }

func (shop) Names() []string { return []string{"demo.shop", "prod.shop", "demo.blog"} }

func (shop) Instance(name string) (report.Instance, bool) {
	return report.Instance{
		Name: "shop", Namespace: "demo", Running: true,
		Definition: report.Definition{Name: "store", Version: "v1.4.0"},
		Repository: report.Repository{Name: "main", Repository: "registry.example.com/packages", DockerConfig: secret, Login: "me", Password: secret},
		Values:     map[string]any{"replicas": json.Number("9007199254740993"), "password": secret, "url": "https://u:" + secret + "@h"},
		Status: report.InstanceStatus{
			Version: "v1.4.0", Settings: map[string]any{"password": secret},
			Conditions: []report.Condition{{Type: "ManifestsApplied", Status: "False", Message: "refused: " + secret}},
		},
		Hooks: []string{"hooks/sub/dir/h:batch/state:0"},
	}, name == "demo.shop"
}

func (shop) Snapshots(string) map[string]map[string]live.State {
	return map[string]map[string]live.State{
		"hooks/sub/dir/h:batch/state:0": {
			"credentials": {Kind: "Secret", Snapshot: []live.Shown{{
				Object:       map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}, "data": map[string]any{"p": "aHVudGVyMi1odW50ZXIy"}},
				FilterResult: map[string]any{"p": "something of the Secret", "n": int64(4)},
			}}},
			"maps": {Kind: "ConfigMap", Snapshot: []live.Shown{{FilterResult: "plain " + secret}}},
		},
		"hooks/nightly": nil,
	}
}

func (s shop) Render(context.Context, string) ([]object.Object, error) {
	return []object.Object{
		{Body: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}, "stringData": map[string]any{"p": "other-secret"}}},
		{Body: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "c"}, "data": map[string]any{"dsn": "db://" + secret}}},
	}, s.renderErr
}

func (s shop) Diff(_ context.Context, _ string, w Wanted) (Comparison, error) {
	c := Comparison{
		Plan:    &plan.Plan{Notes: []string{"version " + w.Version, "a note with " + secret}, Disorder: errors.New("no order, as other-secret says")},
		Secrets: []map[string]any{output.SecretOf(w.Settings), output.SecretOf("other-secret")},
	}
	return c, s.renderErr
}

func (shop) Journal() *journal.Journal {
	j := journal.New(journal.Limits{})
	log := slog.New(j.Handler(slog.DiscardHandler))
	log.Warn("release", "application", "demo.shop", "why", "refused: "+secret)
	log.Info(HookOutput, "application", "demo.shop", "hook", "hooks/a.sh", "stream", "stderr", "line", "said "+secret)
	log.Info("removal", "application", "demo.gone")
	return j
}

func (shop) Hide(string) Hide {
	return Hide{
		Values: func(v map[string]any) map[string]any {
			copied := map[string]any{}
			for key, value := range v {
				if key == "password" {
					value = "<value not shown>"
				}
				copied[key] = value
			}
			return copied
		},
		Secrets: []map[string]any{output.SecretOf([]any{secret})},
	}
}

func (shop) Queues(name string) queue.Dump {
	all := queue.Dump{Queues: map[string]queue.QueueDump{}}
	if name == "" || name == "demo.shop" {
		all.Queues["demo.shop"] = queue.QueueDump{Length: 1, Tasks: []queue.TaskDump{
			{Index: 1, Name: "Purge", Enqueued: "3m12s", NextRetry: "48s", Error: "delete configmaps: " + secret},
		}}
		all.Queues["demo.shop/main"] = queue.QueueDump{Tasks: []queue.TaskDump{}}
	}
	return all
}

func (shop) Scheduler() schedule.Dump {
	return schedule.Dump{Nodes: map[string]schedule.NodeDump{
		"demo.shop": {Version: "v1.4.0", Order: 999, EffectiveOrder: 999, State: schedule.Idle, Decision: schedule.Decision{Kind: schedule.Forbid, Reason: "DependencyNotEnabled", Message: "dependency 'ingress' not enabled"}},
		"ingress":   {Version: "v1.2.0", Decision: schedule.Decision{Kind: schedule.Enable}},
	}}
}

// directory has a path that is short enough for a socket.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tz")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// serve runs a controller's socket until the end of the test.
func serve(t *testing.T, p Provider) string {
	t.Helper()
	path := filepath.Join(directory(t), "run", "uid.sock")
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- Serve(ctx, path, p, func() { close(ready) }) }()
	<-ready
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		_, err := os.Lstat(path)
		assert.ErrorIs(t, err, fs.ErrNotExist, "the socket is taken away")
	})
	return path
}

func TestEverythingCanBeAskedAndIsMasked(t *testing.T) {
	path := serve(t, shop{})
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Dir(path))
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm())

	ctx, c := t.Context(), Client{Transport: Socket{Path: path}}
	one, err := c.Instance(ctx, "demo.shop")
	require.NoError(t, err)
	assert.Equal(t, json.Number("9007199254740993"), one.Values["replicas"], "digits stay")
	assert.Equal(t, "v1.4.0", one.Definition.Version)
	all, err := c.Instances(ctx)
	require.NoError(t, err)
	assert.Len(t, all.Apps, 1)
	snapshots, err := c.Snapshots(ctx, "demo.shop")
	require.NoError(t, err)
	// Complaint 43: the snapshots of a hook in a sub-directory weren't found.
	assert.Len(t, (*snapshots)["hooks/sub/dir/h:batch/state:0"], 2)
	assert.Contains(t, *snapshots, "hooks/nightly")
	queues, err := c.Queues(ctx, "demo.shop")
	require.NoError(t, err)
	assert.Equal(t, "Purge", queues.Queues["demo.shop"].Tasks[0].Name)
	graph, err := c.Scheduler(ctx)
	require.NoError(t, err)
	assert.Len(t, graph.Nodes, 2)
	node, err := c.Node(ctx, "demo.shop")
	require.NoError(t, err)
	assert.Equal(t, "dependency 'ingress' not enabled", node.Decision.Message)
	text, err := c.Render(ctx, "demo.shop")
	require.NoError(t, err)
	assert.Contains(t, text, "kind: ConfigMap")

	for _, path := range []string{
		"packages/dump", "packages/dump?name=demo.shop", "packages/render/demo.shop", "packages/snapshots/demo.shop",
		"queues/dump", "scheduler/dump", "requirements/dump",
	} {
		for _, format := range []string{"json", "yaml"} {
			answer := get(t, path, format, "")
			for _, hidden := range []string{secret, "aHVudGVyMi1odW50ZXIy", "other-secret", "something of the Secret"} {
				assert.NotContains(t, answer, hidden, path)
			}
		}
	}
	c.Secrets = true
	one, err = c.Instance(ctx, "demo.shop")
	require.NoError(t, err)
	assert.Equal(t, secret, one.Repository.Password)
	assert.Equal(t, secret, one.Values["password"])
	text, err = c.Render(ctx, "demo.shop")
	require.NoError(t, err)
	assert.Contains(t, text, "other-secret")
}

// get asks a handler for the text of an answer.
func get(t *testing.T, path, format, more string) string {
	t.Helper()
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	w := httptest.NewRecorder()
	Handler(shop{}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+path+mark+"output="+format+more, http.NoBody))
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	return w.Body.String()
}

func TestShapesAreThoseOfDeckhouse(t *testing.T) {
	assert.Equal(t, `queues:
  demo.shop:
    length: 1
    tasks:
    - enqueued: 3m12s
      error: 'delete configmaps: <value not shown>'
      index: 1
      name: Purge
      next_retry: 48s
  demo.shop/main:
    length: 0
    tasks: []
`, strings.ReplaceAll(get(t, "queues/dump?name=demo.shop", "yaml", ""), object.Scrub(secret, output.SecretOf([]any{secret})), "<value not shown>"))
	assert.JSONEq(t, `{"requirements":{"demo.shop":{"kind":"forbid","reason":"DependencyNotEnabled","message":"dependency 'ingress' not enabled"}}}`,
		get(t, "requirements/dump", "json", ""))
}

// What is sent and what is read are two sets of types: a field that only one of them has
// would be lost on the way.
func TestNothingIsLostOnTheWay(t *testing.T) {
	same := func(sent, read any) {
		data, err := json.Marshal(sent)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, read))
		again, err := json.Marshal(read)
		require.NoError(t, err)
		assert.JSONEq(t, string(data), string(again))
	}
	same(shop{}.Queues(""), &report.Queues{})
	same(shop{}.Snapshots(""), &report.Snapshots{})
	same(schedule.Dump{Nodes: map[string]schedule.NodeDump{"demo.shop": {
		Version: "v1", Order: 1, EffectiveOrder: 2, State: schedule.Idle, ScheduleReason: "r",
		Decision:      schedule.Decision{Kind: schedule.Forbid, Reason: "r", Message: "m"},
		Dependencies:  map[string]schedule.DependencyDump{"ingress": {Constraint: ">= 1", Optional: true}},
		Subscriptions: []string{"ingress"}, Subscribers: []string{},
	}}}, &report.Scheduler{})
}

func TestErrorsAreOneClearMessage(t *testing.T) {
	for _, c := range []struct {
		path   string
		p      Provider
		status int
		want   string
	}{
		{"packages/dump?name=demo.shpo", shop{}, 404, `application "demo.shpo" not found; there is demo.shop, demo.blog`},
		{"packages/dump?name=test.shop", shop{}, 404, "demo.shop, prod.shop"},
		{"packages/snapshots/nothing", shop{}, 404, "package not found"},
		{"queues/dump?name=nothing", shop{}, 404, "not found"},
		{"scheduler/dump?name=nothing", shop{}, 404, "not found"},
		{"packages/render/demo.shop", shop{render.ErrNoChart}, 400, "package has no Helm chart"},
		{"packages/render/demo.shop", shop{ErrNotLoaded}, 409, "not loaded"},
		{"packages/render/demo.shop", shop{fmt.Errorf("template: %s", secret)}, 500, "render failed: template: "},
		{"packages/dump?output=xml", shop{}, 400, "unknown output 'xml', want json or yaml"},
	} {
		w := httptest.NewRecorder()
		Handler(c.p).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+c.path, http.NoBody))
		assert.Equal(t, c.status, w.Code, c.path)
		assert.Contains(t, w.Body.String(), c.want)
		assert.NotContains(t, w.Body.String(), secret)
	}
}

func TestNobodyAnswers(t *testing.T) {
	dir := directory(t)
	require.NoError(t, os.Chmod(dir, 0o700))
	path := filepath.Join(dir, "uid.sock")
	c := Client{Transport: Socket{Path: path}}
	_, err := c.Instances(t.Context())
	var none *NoControllerError
	require.ErrorAs(t, err, &none)
	require.ErrorContains(t, err, "no controller of this cluster runs on this machine")
	require.ErrorContains(t, err, "packages controller")

	stale(t, path)
	_, err = c.Instances(t.Context())
	require.ErrorAs(t, err, &none)
	require.ErrorContains(t, err, "has ended")
}

// stale makes a socket on which nobody answers any more.
func stale(t *testing.T, path string) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", path)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
}

func TestSocketsOfOthers(t *testing.T) {
	dir := directory(t)
	require.NoError(t, os.Chmod(dir, 0o700))
	path := filepath.Join(dir, "uid.sock")
	stale(t, path)
	l, err := listen(t.Context(), path)
	require.NoError(t, err, "a stale socket is replaced")
	_, err = listen(t.Context(), path)
	require.ErrorContains(t, err, "another controller")
	require.NoError(t, l.Close())

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = listen(t.Context(), path)
	require.ErrorContains(t, err, "wanted nothing or a socket there")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Chmod(dir, 0o777))
	_, err = listen(t.Context(), path)
	require.ErrorContains(t, err, "nobody else can write to")
}

func TestPermissionRefused(t *testing.T) {
	err := Socket{Path: "/x"}.explain(fmt.Errorf("dial: %w", fs.ErrPermission))
	require.ErrorContains(t, err, "permission refused")
	require.NotErrorAs(t, err, new(*NoControllerError))
}

func TestServeLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	path := filepath.Join(directory(t), "run", "uid.sock")
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		ready := make(chan struct{})
		go func() { ended <- Serve(ctx, path, shop{}, func() { close(ready) }) }()
		<-ready
		_, err := Client{Transport: Socket{Path: path}}.Instances(ctx)
		require.NoError(t, err)
		cancel()
		require.NoError(t, <-ended)
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, time.Minute, 10*time.Millisecond)
}

func TestSocketPath(t *testing.T) {
	long := strings.Repeat("x", 80)
	assert.LessOrEqual(t, len(SocketPath(func(string) string { return "/run/" + long }, "c941420f-ac33-46c3-84ff-2fac3bf3bb1d")), longestPath)
	assert.Equal(t, "/run/user/7/kubectl-tazuna/abc.sock", SocketPath(func(string) string { return "/run/user/7" }, "abc"))
	assert.Equal(t, filepath.Join(os.TempDir(), fmt.Sprintf("kubectl-tazuna-%d", os.Getuid()), "abc.sock"), SocketPath(func(string) string { return "" }, "abc"))
}

func TestDefinitionOf(t *testing.T) {
	d, findings := bundle.ParseDefinition([]byte(`apiVersion: v1
type: Application
name: store
version: v1.4.0
stage: Preview
descriptions: {en: A store}
requirements:
  kubernetes: {constraint: ">= 1.29"}
  modules:
    mandatory: [{name: ingress, constraint: ">= 1.2.0"}, {name: dns}]
    anyOf: [{name: storage, modules: [{name: ceph}]}]
`), "package.yaml")
	require.NoError(t, bundle.AsError(findings))
	data, err := json.Marshal(DefinitionOf(d))
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"store","version":"v1.4.0","stage":"Preview","requirements":{"kubernetes":">= 1.29","modules":
		{"mandatory":{"ingress":">= 1.2.0","dns":null},"anyOf":[{"name":"storage","members":{"ceph":null}}]}}}`, string(data))
}
