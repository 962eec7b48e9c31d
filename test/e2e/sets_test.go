package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leastObjects is what makes a set worth being called one.
const leastObjects = 30

// TestSets applies each set of test/testdata/sets, in the shape of what people
// really deploy, to an empty cluster of its own: one run has to be enough, and
// the next one has nothing to do.
func TestSets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	sets, err := filepath.Glob(filepath.Join("..", "testdata", "sets", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, sets)
	for _, set := range sets {
		if info, err := os.Stat(set); err != nil || !info.IsDir() {
			continue
		}
		t.Run(filepath.Base(set), func(t *testing.T) {
			t.Parallel()
			testSet(t, s.startOwn(t), set)
		})
	}
}

func testSet(t *testing.T, s site, set string) {
	t.Helper()
	files := []string{"-f", set, "-R", "--manifest", filepath.Base(set)}
	if file := filepath.Join(set, "tazuna.yaml"); exists(file) {
		files = []string{"-f", file}
	}
	env := []string{"KUBECONFIG=" + s.kubeconfig, "HOME=" + t.TempDir()}
	tazuna := func(agent, command string, args ...string) result {
		t.Helper()
		all := append([]string{command}, append(args, files...)...)
		return s.run(t, append(env, "TAZUNA_TEST_USER_AGENT="+agent), "kubectl-tazuna", all...)
	}

	first := tazuna("kubectl-tazuna/first.", "apply", "--yes", "--timeout=3m")
	require.Zero(t, first.code, "first apply:\n%s", first.stderr)

	diff := tazuna("kubectl-tazuna/diff.", "diff", "-o", "json")
	assert.Zero(t, diff.code, "diff after the apply:\n%s%s", tazuna("kubectl-tazuna/again.", "diff").stdout, diff.stderr)
	var r report
	require.NoError(t, json.Unmarshal([]byte(diff.stdout), &r))
	assert.GreaterOrEqual(t, len(r.Objects), leastObjects)

	second := tazuna("kubectl-tazuna/second.", "apply", "--yes")
	assert.Zero(t, second.code, "second apply:\n%s%s", second.stdout, second.stderr)
	assert.Empty(t, s.writes(t, "kubectl-tazuna/second."), "write requests of the second apply")
	for _, agent := range []string{"kubectl-tazuna/first.", "kubectl-tazuna/second."} {
		assert.NotEmpty(t, s.requests(t, agent), "no request of %s was seen at all", agent)
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// startOwn starts a control plane for this test alone.
func (s site) startOwn(t *testing.T) site {
	t.Helper()
	s.controlplane = t.TempDir()
	t.Cleanup(func() {
		stopped := s.cleanUp(t, "controlplane", "stop", "--dir", s.controlplane)
		assert.Zero(t, stopped.code, stopped.stderr)
	})
	started := s.run(t, nil, "controlplane", "start", "--dir", s.controlplane, "--max-age", "30m", "--timeout", "5m")
	require.Zero(t, started.code, started.stderr)
	lines := strings.Split(strings.TrimSpace(started.stdout), "\n")
	s.kubeconfig = lines[len(lines)-1]
	return s
}

// writes are the write requests that the control plane had from a user agent,
// each as JSON.
func (s site) writes(t *testing.T, agent string) []string {
	t.Helper()
	return s.requests(t, agent, "--writes")
}

func (s site) requests(t *testing.T, agent string, flags ...string) []string {
	t.Helper()
	args := append([]string{"requests", "--dir", s.controlplane, "--user-agent", agent, "--list"}, flags...)
	listed := s.run(t, nil, "controlplane", args...)
	require.Zero(t, listed.code, listed.stderr)
	return strings.FieldsFunc(listed.stdout, func(r rune) bool { return r == '\n' })
}
