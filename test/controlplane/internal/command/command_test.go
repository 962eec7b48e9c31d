package command

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// What start is told has to reach run.
func TestRunArgs(t *testing.T) {
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := cluster.Options{
		Home: h, Fsync: true, WithoutControllers: true, Nodes: 7, MaxAge: 90 * time.Minute,
		APIServerFlags: []string{"v=4", "feature-gates=A=true,B=false"},
	}
	got := cluster.Options{Home: h}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	bindOptions(flags, &got)
	flags.String("dir", "", "")
	if err := flags.Parse(runArgs(want)[1:]); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFaultFlags(t *testing.T) {
	tests := map[string]struct {
		args    []string
		want    traffic.Rule
		refused bool
	}{
		"cut after": {args: []string{"--match", "verb=patch", "--cut-after"}, want: traffic.Rule{Match: "verb=patch", Cut: true, When: traffic.After}},
		"status":    {args: []string{"--status", "429", "--retry-after", "2", "--times", "3"}, want: traffic.Rule{Status: 429, RetryAfter: 2, Times: 3}},
		"kill":      {args: []string{"--kill-pid", "4000000", "--when", "after"}, want: traffic.Rule{KillPID: 4_000_000, When: traffic.After}},
		"nothing":   {args: nil, refused: true},
		"bad match": {args: []string{"--match", "x", "--cut"}, refused: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var opts faultOptions
			cmd := newFault(nil)
			cmd.ResetFlags()
			bindFault(cmd, &opts)
			if err := cmd.ParseFlags(test.args); err != nil {
				t.Fatal(err)
			}
			got, err := opts.complete()
			if (err != nil) != test.refused || !test.refused && got != test.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

// run executes the command line and returns its standard output.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := New()
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&bytes.Buffer{})
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

func TestWithoutAControlPlane(t *testing.T) {
	dir := t.TempDir()
	if out, err := run(t, "status", "--dir", dir); err != nil || !strings.Contains(out, `"stopped"`) {
		t.Errorf("status: got %q, %v", out, err)
	}
	if _, err := run(t, "stop", "--dir", dir); err != nil {
		t.Errorf("stop: %v", err)
	}
	for _, args := range [][]string{{"requests"}, {"latency"}, {"fault", "--list"}, {"user", "--name", "x"}} {
		if _, err := run(t, append(args, "--dir", dir)...); err == nil {
			t.Errorf("%v went well", args)
		}
	}
	if _, err := run(t, "status"); err == nil || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("without a directory: %v", err)
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	long := strings.Repeat(strings.Repeat("x", 1000)+"\n", 100) + "last\n"
	if err := os.WriteFile(path, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(tail(path), "\n")
	if len(got) > tailLines || got[len(got)-1] != "last" {
		t.Errorf("got %d lines", len(got))
	}
	if got := tail(path + ".none"); !strings.Contains(got, "no such file") {
		t.Errorf("without a file: %q", got)
	}
}

func TestPrintRequests(t *testing.T) {
	snapshot := traffic.Snapshot{Requests: []traffic.Request{{Verb: "get", Path: "/a?b=1&c=2"}, {Verb: "get", Path: "/a"}}}
	tests := map[string]struct {
		opts requestsOptions
		want string
	}{
		"count":  {opts: requestsOptions{count: true}, want: "2\n"},
		"list":   {opts: requestsOptions{list: true}, want: `"path":"/a?b=1&c=2"`},
		"groups": {opts: requestsOptions{}, want: `"total": 2`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := printRequests(&out, snapshot, test.opts); err != nil || !strings.Contains(out.String(), test.want) {
				t.Errorf("got %q, %v", out.String(), err)
			}
		})
	}
}
