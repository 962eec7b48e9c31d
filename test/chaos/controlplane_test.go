package chaos

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// plane is a control plane that belongs to one test.
type plane struct {
	bin, dir, kubeconfig string
}

// startPlane starts a control plane for a test; flags are those of its start.
func startPlane(t *testing.T, flags ...string) plane {
	t.Helper()
	bin := os.Getenv("TAZUNA_TEST_BIN")
	if bin == "" || os.Getenv("TAZUNA_TEST_KUBECONFIG") == "" {
		t.Skip("TAZUNA_TEST_BIN and TAZUNA_TEST_KUBECONFIG are not set: run `make test` or `make chaos`")
	}
	dir, err := os.MkdirTemp("", "tazuna-chaos-") // short: sockets lie in it
	require.NoError(t, err)
	p := plane{bin: bin, dir: dir}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, filepath.Join(bin, "controlplane"), "stop", "--kill", "--dir", dir).CombinedOutput(); err != nil {
			t.Logf("stop the control plane: %v\n%s", err, out)
		}
		_ = os.RemoveAll(dir)
	})
	p.start(t, flags...)
	return p
}

// start starts it, for the first time or after a stop.
func (p *plane) start(t *testing.T, flags ...string) {
	t.Helper()
	out := p.control(t, append([]string{"start", "--max-age", "4h", "--timeout", "2m"}, flags...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	p.kubeconfig = lines[len(lines)-1]
}

// control runs the program that controls it and returns what it printed.
func (p *plane) control(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(p.bin, "controlplane"), append(args, "--dir", p.dir)...).Output()
	require.NoError(t, err, "controlplane %q", args)
	return string(out)
}

// fault adds a rule about the requests of one run. Rules are never cleared one by
// one: each run has a name of its own, so that the rules of former ones are idle.
func (p *plane) fault(t *testing.T, agent, match string, action ...string) {
	t.Helper()
	if match != "" {
		match = "," + match
	}
	p.control(t, append([]string{"fault", "--match", "user-agent=" + agent + match}, action...)...)
}

// calm takes all rules away.
func (p *plane) calm(t *testing.T) {
	t.Helper()
	p.control(t, "fault", "--clear")
}
