package remote

import (
	"context"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
)

var update = flag.Bool("update", false, "write the golden files")

const recordings = "../../../test/testdata/deckhouse"

// fake runs the fake deckhouse-controller of a generation.
type fake struct{ dir string }

func (f fake) Run(ctx context.Context, _ Container, command []string, _ []byte) (Output, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(f.dir, command[0]), command[1:]...)
	var o Output
	var errOut strings.Builder
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if cmd.ProcessState == nil {
		return o, err
	}
	o.Stdout, o.Stderr, o.Code = out, []byte(errOut.String()), cmd.ProcessState.ExitCode()
	return o, nil
}

func platform(t *testing.T, generation string) Platform {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake Deckhouse is a shell script")
	}
	dir, err := filepath.Abs(filepath.Join(recordings, generation))
	require.NoError(t, err)
	return Platform{Runner: fake{dir}, Container: Container{Namespace: "d8-system", Pod: "deckhouse-1", Name: "deckhouse"}}
}

// told is everything that is asked of Deckhouse, as text.
func told(t *testing.T, p Platform, show bool) string {
	t.Helper()
	var b strings.Builder
	for _, path := range []string{
		"packages/dump", "packages/dump?name=demo.shop", "packages/dump?name=demo.blog", "packages/dump?name=demo.shpo",
		"queues/dump", "queues/dump?name=demo.shop", "queues/dump?name=demo.blog", "queues/dump?name=demo.shpo",
		"scheduler/dump", "scheduler/dump?name=demo.shop", "scheduler/dump?name=demo.shpo",
		"packages/snapshots/demo.shop", "packages/snapshots/demo.shpo",
		"packages/render/demo.shop", "packages/render/demo.blog", "packages/render/demo.shpo",
	} {
		where, err := url.Parse(debug.Prefix + path)
		require.NoError(t, err)
		query := where.Query()
		if show {
			query.Set("secrets", "show")
		}
		status, body, err := p.Get(t.Context(), where.EscapedPath(), query)
		b.WriteString("== " + path + "\n")
		if err != nil {
			b.WriteString("error: " + err.Error() + "\n")
			continue
		}
		var pretty any
		if json.Unmarshal(body, &pretty) == nil {
			body, err = json.MarshalIndent(json.RawMessage(body), "", "  ")
			require.NoError(t, err)
		}
		b.WriteString(http.StatusText(status) + "\n" + strings.TrimSuffix(string(body), "\n") + "\n")
	}
	return b.String()
}

func TestAnswersOfBothGenerations(t *testing.T) {
	for _, generation := range []string{"newer", "older"} {
		for name, show := range map[string]bool{generation: false, generation + "-secrets": true} {
			t.Run(name, func(t *testing.T) {
				got := told(t, platform(t, generation), show)
				if !show {
					for _, secret := range []string{"hunter2", "c0rrect-horse", "eyJhdXRo", "aHVudGVy", "robot"} {
						assert.NotContains(t, got, secret)
					}
				}
				file := filepath.Join("testdata", name+".golden")
				if *update {
					require.NoError(t, os.MkdirAll("testdata", 0o755))
					require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, string(want), got)
			})
		}
	}
}

// ours is a controller of ours that knows just what the fake Deckhouse knows.
type ours struct {
	debug.Provider
	apps map[string]report.Instance
}

func (o ours) Names() []string {
	var names []string
	for name := range o.apps {
		names = append(names, name)
	}
	return names
}

func (o ours) Instance(name string) (report.Instance, bool) { i, ok := o.apps[name]; return i, ok }

func (ours) Queues(name string) queue.Dump {
	all := queue.Dump{Queues: map[string]queue.QueueDump{
		"demo.shop": {Length: 1, Tasks: []queue.TaskDump{
			{Index: 1, Name: "Purge", Enqueued: "3m12s", NextRetry: "48s", Error: "connect to db://shop:hunter2-hunter2@db: connection refused"},
		}},
		"demo.shop/main": {Tasks: []queue.TaskDump{}},
		"demo.blog":      {Tasks: []queue.TaskDump{}},
	}}
	for other := range all.Queues {
		if name != "" && other != name && !strings.HasPrefix(other, name+"/") {
			delete(all.Queues, other)
		}
	}
	return all
}

func (ours) Scheduler() schedule.Dump {
	return schedule.Dump{Nodes: map[string]schedule.NodeDump{
		"demo.shop": {
			Version: "v1.4.0", Order: 999, EffectiveOrder: 999, State: schedule.Idle,
			Decision:      schedule.Decision{Kind: schedule.Forbid, Reason: "DependencyNotEnabled", Message: "dependency 'ingress' not enabled"},
			Dependencies:  map[string]schedule.DependencyDump{"ingress": {Constraint: ">= 1.2.0"}},
			Subscriptions: []string{"ingress"}, Subscribers: []string{},
		},
		"ingress": {
			Version: "v1.2.0", Order: 10, EffectiveOrder: 10, State: schedule.Idle,
			Decision:     schedule.Decision{Kind: schedule.Disable, Reason: "DisabledByConfig"},
			Dependencies: map[string]schedule.DependencyDump{}, Subscriptions: []string{}, Subscribers: []string{"demo.shop"},
		},
	}}
}

func (ours) Snapshots(string) map[string]map[string]live.State {
	return map[string]map[string]live.State{
		"hooks/batchhooks:batch/nightly:1": nil,
		"hooks/batchhooks:batch/state:0": {"credentials": {
			Snapshot: []live.Shown{
				{FilterResult: map[string]any{"name": "d8a-shop-key", "password": "hunter2-hunter2"}},
				{Object: map[string]any{
					"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "d8a-shop-key", "namespace": "demo"},
					"data": map[string]any{"password": "aHVudGVyMi1odW50ZXIy"},
				}},
			},
			Operations: live.Operations{SinceStart: live.Counts{Count: 1, Added: 2, Deleted: 1}},
		}},
	}
}

func (ours) Render(context.Context, string) ([]object.Object, error) {
	origin := func(file string) object.Origin { return object.Origin{File: "chart/store/templates/" + file} }
	return []object.Object{
		{Origin: origin("secret.yaml"), Body: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "d8a-shop-key"},
			"stringData": map[string]any{"password": "hunter2-hunter2"},
		}},
		{Origin: origin("config.yaml"), Body: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "d8a-shop-config"},
			"data": map[string]any{"dsn": "db://shop:hunter2-hunter2@db"},
		}},
	}, nil
}

// The same facts give the same answers, whether our controller holds them or Deckhouse.
func TestAnswersEqualOurs(t *testing.T) {
	p := platform(t, "newer")
	_, body, err := p.Get(t.Context(), debug.Prefix+"packages/dump", url.Values{"secrets": {"show"}})
	require.NoError(t, err)
	var all report.Instances
	require.NoError(t, json.Unmarshal(body, &all))
	server := debug.Handler(ours{apps: all.Apps})
	for _, path := range []string{
		"packages/dump", "packages/dump?name=demo.shop", "packages/dump?name=demo.shpo",
		"queues/dump", "queues/dump?name=demo.shop", "queues/dump?name=demo.blog", "queues/dump?name=demo.shpo",
		"scheduler/dump", "scheduler/dump?name=demo.shop", "scheduler/dump?name=demo.shpo",
		"packages/snapshots/demo.shop", "packages/render/demo.shop",
	} {
		where, err := url.Parse(debug.Prefix + path)
		require.NoError(t, err)
		query := where.Query()
		query.Set("secrets", "show")
		status, got, err := p.Get(t.Context(), where.EscapedPath(), query)
		require.NoError(t, err, path)
		w := httptest.NewRecorder()
		where.RawQuery = query.Encode()
		server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, where.String(), http.NoBody))
		assert.Equal(t, w.Code, status, path)
		want := w.Body.String()
		if json.Valid([]byte(want)) {
			assert.JSONEq(t, want, string(got), path)
			continue
		}
		assert.Equal(t, strings.TrimSpace(want), strings.TrimSpace(string(got)), path)
	}
}

// That it can't be told what is secret hides what Deckhouse said.
func TestNothingIsShownWhereSecretsCantBeTold(t *testing.T) {
	p := Platform{Container: pod, Runner: &scripted{answer: func(command []string, _ string) (Output, error) {
		switch strings.Join(command[2:], " ") {
		case "dump":
			return Output{Code: 1, Stderr: []byte("Error: hunter2-hunter2")}, nil
		case "render demo.shop":
			return Output{Code: 1, Stderr: []byte("Error: unexpected status 500: render failed: hunter2-hunter2")}, nil
		}
		return Output{Stdout: []byte("queues: {demo.shop: {tasks: [{error: hunter2-hunter2}]}}")}, nil
	}}}
	for _, path := range []string{"packages/dump", "packages/render/demo.shop", "queues/dump"} {
		_, _, err := p.Get(t.Context(), debug.Prefix+path, nil)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "hunter2")
	}
	status, body, err := p.Get(t.Context(), debug.Prefix+"packages/render/demo.shop", url.Values{"secrets": {"show"}})
	require.NoError(t, err)
	assert.Equal(t, 500, status)
	assert.Equal(t, "render failed: hunter2-hunter2", string(body))
}

// What isn't asked of Deckhouse says so, and a version without a command is told apart.
func TestDeckhouseCantTell(t *testing.T) {
	status, body, err := platform(t, "newer").Get(t.Context(), debug.Prefix+"requirements/dump", nil)
	require.NoError(t, err)
	assert.Equal(t, 404, status)
	assert.Equal(t, "Deckhouse has no command that answers requirements/dump", string(body))
	_, _, err = platform(t, "older").Get(t.Context(), debug.Prefix+"packages/snapshots/demo.shop", nil)
	require.EqualError(t, err, `Pod d8-system/deckhouse-1: this version of Deckhouse has no command "deckhouse-controller packages snapshots demo.shop"`)
}

// damages are kinds that the parts of an answer don't have.
var damages = []string{
	`apps: {a: {status: {conditions: [{type: 5}]}, hooks: hunter2}}`,
	`nodes: {a: {order: hunter2, status: {Enabled: hunter2}}}`,
	`queues: {a: {tasks: {hunter2: 1}}}`,
	`apps: {a: {definition: {requirements: {modules: {x: [hunter2]}}}}}`,
	`queues: hunter2`, `hunter2`, `[]`, `null`, ``, `apps: null`, "a: 1\n---\nb: 2", `{"a": 1, "a": 2}`,
}

// recorded are the texts of both generations.
func recorded(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	err := filepath.WalkDir(recordings, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(all, data)
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// checkShapes holds that what Deckhouse printed is an error or in our shape, and that no
// error shows values of it.
func checkShapes(t *testing.T, data []byte) {
	t.Helper()
	check := func(value any, err error) {
		t.Helper()
		if err != nil {
			assert.NotContains(t, err.Error(), "hunter2")
			return
		}
		text, err := json.Marshal(value)
		require.NoError(t, err)
		for _, list := range []string{"tasks", "hooks", "conditions", "urls", "subscribers", "subscriptions"} {
			assert.NotContains(t, string(text), `"`+list+`":null`)
		}
	}
	instances, err := instancesOf(data)
	check(instances, err)
	one, err := instanceOf(data)
	check(one, err)
	queues, err := queuesOf(data)
	check(queues, err)
	graph, err := schedulerOf(data)
	check(graph, err)
	node, err := nodeOf(data)
	check(node, err)
	_, err = snapshotsOf(data) // keys there are names of hooks
	if err != nil {
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

// Answers with lines that are lost, double or mixed up, as a broken connection or
// another version would give them.
func TestDamagedAnswers(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for _, text := range damages {
		checkShapes(t, []byte(text))
	}
	for _, data := range recorded(t) {
		lines := strings.SplitAfter(string(data), "\n")
		for range 20 {
			damaged := append([]string{}, lines...)
			for range 1 + random.IntN(3) {
				i, j := random.IntN(len(damaged)), random.IntN(len(damaged))
				switch random.IntN(3) {
				case 0:
					damaged[i] = ""
				case 1:
					damaged[i], damaged[j] = damaged[j], damaged[i]
				default:
					damaged[i] = strings.TrimPrefix(damaged[i], "  ")
				}
			}
			checkShapes(t, []byte(strings.Join(damaged, "")))
		}
	}
}

// FuzzShapes looks for more of what checkShapes holds.
func FuzzShapes(f *testing.F) {
	for _, text := range damages {
		f.Add([]byte(text))
	}
	for _, data := range recorded(f) {
		f.Add(data)
	}
	f.Fuzz(checkShapes)
}
