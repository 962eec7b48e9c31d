//go:build unix

package runtime

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// program is a batch binary without hooks that tells whether the instance is ready: once
// a file is there.
const program = `package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 || os.Args[1] != "hook" {
		os.Exit(1)
	}
	switch os.Args[2] {
	case "list":
		fmt.Println("Found 0 items:")
	case "config":
		fmt.Println(` + "`" + `{"version": "v1", "hooks": [], "readiness": {"configVersion": "v1", "metadata": {"name": "readiness"}, "schedule": [{"name": "often", "crontab": "* * * * * *"}]}}` + "`" + `)
	case "ready":
		if _, err := os.Stat(%q); err != nil {
			fmt.Fprintln(os.Stderr, "the store is not up")
			os.Exit(1)
		}
	}
}
`

// build compiles it.
func build(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	source, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "probe")
	require.NoError(t, os.WriteFile(source, fmt.Appendf(nil, program, file), 0o600))
	c := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", built, source)
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	data, err := os.ReadFile(built)
	require.NoError(t, err)
	return string(data)
}

// TestReadinessIsAsked: after an apply and by its schedule, and a no is an answer: it
// holds up nothing and is not repeated with delays.
func TestReadinessIsAsked(t *testing.T) {
	w := newWorld(t)
	up := filepath.Join(t.TempDir(), "up")
	w.pack("v1.0.0", map[string]string{"hooks/probe": build(t, up)})
	w.pack("v1.1.0", nil)
	shop := w.desired("shop", "v1.0.0")
	w.start(shop)
	w.ready(shop)
	w.waitFor("a no", func() bool { return w.condition(shop, status.IsReady).Status == metav1.ConditionFalse })
	c := w.condition(shop, status.IsReady)
	assert.Equal(t, status.ReasonReadinessProbeFailed, c.Reason)
	assert.Contains(t, c.Message, "the store is not up")
	assert.Equal(t, metav1.ConditionTrue, w.condition(shop, status.HooksProcessed).Status, "no hook has failed")
	for _, task := range w.Queues(shop.InstanceName()).Queues[shop.InstanceName()+"/ready"].Tasks {
		assert.Empty(t, task.Error)
	}

	require.NoError(t, os.WriteFile(up, nil, 0o600))
	w.waitFor("a yes", func() bool { return w.condition(shop, status.IsReady).Status == metav1.ConditionTrue })
	require.NoError(t, os.Remove(up))
	w.waitFor("a no again", func() bool { return w.condition(shop, status.IsReady).Status == metav1.ConditionFalse })

	// Another version has no such program, and nothing is left of the answer.
	shop.Version = "v1.1.0"
	w.update(shop)
	w.ready(shop)
	assert.Equal(t, metav1.ConditionUnknown, w.condition(shop, status.IsReady).Status)
	assert.Empty(t, w.condition(shop, status.IsReady).Reason)
	w.gone(shop)
}

func TestVerdict(t *testing.T) {
	two := []*hook.Hook{{ID: "a"}, {ID: "b"}}
	for name, c := range map[string]struct {
		answers map[string]string
		want    status.Condition
		ok      bool
	}{
		"nobody has answered": {nil, status.Condition{}, false},
		"one has, with yes":   {map[string]string{"a": ""}, status.Condition{}, false},
		"one no is enough":    {map[string]string{"b": "not up"}, status.False(status.IsReady, status.ReasonReadinessProbeFailed, "not up"), true},
		"all noes are told":   {map[string]string{"b": "not up", "a": "not in"}, status.False(status.IsReady, status.ReasonReadinessProbeFailed, "not in\nnot up"), true},
		"all have to say yes": {map[string]string{"a": "", "b": ""}, status.True(status.IsReady), true},
		"one of them says no": {map[string]string{"a": "", "b": "no"}, status.False(status.IsReady, status.ReasonReadinessProbeFailed, "no"), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := verdict(two, c.answers)
			assert.Equal(t, c.ok, ok)
			assert.Equal(t, c.want, got)
		})
	}
}
