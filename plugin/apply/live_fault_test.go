package apply

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// disturb adds rules to the control plane that hit only this package's requests.
// TAZUNA_TEST_CONTROLPLANE is its directory, TAZUNA_TEST_BIN that of the programs.
func disturb(t *testing.T, rules ...[]string) {
	t.Helper()
	dir, bin := os.Getenv("TAZUNA_TEST_CONTROLPLANE"), os.Getenv("TAZUNA_TEST_BIN")
	if dir == "" || bin == "" {
		t.Skip("TAZUNA_TEST_CONTROLPLANE and TAZUNA_TEST_BIN are not set")
	}
	control := func(ctx context.Context, args ...string) {
		out, err := exec.CommandContext(ctx, filepath.Join(bin, "controlplane"), append(args, "--dir", dir)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	t.Cleanup(func() { control(context.Background(), "fault", "--clear") })
	for _, rule := range rules {
		control(t.Context(), append([]string{"fault", "--match", "user-agent=kubectl-tazuna/test (apply)," + rule[0]}, rule[1:]...)...)
	}
}

// K03: an API server that is busy, changes its leader and cuts connections.
func TestLiveBusyServer(t *testing.T) {
	w := newWorld(t)
	text := w.namespace()
	for i := range 40 {
		text += fmt.Sprintf("\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: NS}, data: {a: b}}", i)
	}
	p, planner := w.plan(text)
	// Every rule counts the requests that match and fires on one of them.
	var rules [][]string
	for i := range 6 {
		rules = append(rules,
			[]string{fmt.Sprintf("writes=true,nth=%d", 3+7*i), "--status", "429", "--retry-after", "1"},
			[]string{fmt.Sprintf("writes=true,nth=%d", 5+7*i), "--status", "500", "--message", "etcdserver: leader changed"},
			[]string{fmt.Sprintf("writes=true,nth=%d", 6+7*i), "--cut-after"},
			[]string{fmt.Sprintf("writes=true,nth=%d", 8+7*i), "--cut"})
	}
	disturb(t, rules...)
	r := w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 41, r.Counts.Created+r.Counts.Unchanged)
	w.requireEmpty(text)
}

// A server that is gone for good ends the run within the client's patience.
func TestLiveServerGoneForGood(t *testing.T) {
	w := newWorld(t)
	text := w.namespace()
	for i := range 100 {
		text += fmt.Sprintf("\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: NS}, data: {a: b}}", i)
	}
	p, planner := w.plan(text)
	disturb(t, []string{"resource=configmaps,namespace=" + w.ns + ",nth=20", "--cut", "--times", "10000"}, []string{"verb=patch,namespace=" + w.ns, "--cut"})
	begun := time.Now()
	r := w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictFailed, r.Verdict)
	assert.Less(t, time.Since(begun), 2*time.Minute)
}

// Watches that end all the time only cost requests.
func TestLiveWatchCuts(t *testing.T) {
	w := newWorld(t)
	text := w.namespace() + `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NS}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {standin.tazuna.dev/ready-after: 6s}}
    spec: {containers: [{name: main, image: "a:1"}]}
`
	disturb(t, []string{"verb=watch", "--cut-in", "1s"})
	r := w.apply(text)
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.True(t, of(r, "web").Ready)
	assert.Less(t, of(r, "web").Elapsed, 20*time.Second)
}
