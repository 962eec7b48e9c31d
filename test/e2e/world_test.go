package e2e

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// site is what all tests of this package share: programs and a control plane.
type site struct {
	bin          string // directory of the programs
	kubeconfig   string // of the administrator
	controlplane string // directory of the control plane
	// unasked are scripts that the harness could not ask again; set by TestScripts.
	unasked *unasked
}

// newSite reads the environment and skips the test without a control plane.
func newSite(t *testing.T) site {
	t.Helper()
	s := site{
		bin:          os.Getenv("TAZUNA_TEST_BIN"),
		kubeconfig:   os.Getenv("TAZUNA_TEST_KUBECONFIG"),
		controlplane: os.Getenv("TAZUNA_TEST_CONTROLPLANE"),
	}
	if s.kubeconfig == "" || s.controlplane == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG and TAZUNA_TEST_CONTROLPLANE are not set: run `make test`, or see doc.go")
	}
	if s.bin == "" {
		s.bin = filepath.Join(repository(t), "bin")
	}
	for _, program := range []string{"kubectl-tazuna", "kubectl", "controlplane"} {
		_, err := os.Stat(filepath.Join(s.bin, program))
		require.NoError(t, err, "run `make build build-controlplane` first")
	}
	return s
}

// repository returns the root of the working copy.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	return root
}

// newID returns a name that no earlier run on the same control plane used.
func newID(name string) string {
	random := make([]byte, 2)
	_, _ = rand.Read(random) // never fails
	return name + "-" + hex.EncodeToString(random)
}

// result is what a program printed and how it ended.
type result struct {
	stdout, stderr string
	code           int
}

// run runs one of the programs with the environment of this process plus env,
// and ends it with the test.
func (s site) run(t *testing.T, env []string, name string, args ...string) result {
	t.Helper()
	return s.runContext(t.Context(), t, env, name, args...)
}

// cleanUpTime is how long a program may take after the end of the test.
const cleanUpTime = 30 * time.Second

// cleanUp runs one of the programs after the test has ended.
func (s site) cleanUp(t *testing.T, name string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), cleanUpTime)
	defer cancel()
	return s.runContext(ctx, t, nil, name, args...)
}

func (s site) runContext(ctx context.Context, t *testing.T, env []string, name string, args ...string) result {
	t.Helper()
	var stdout, stderr strings.Builder
	command := exec.CommandContext(ctx, filepath.Join(s.bin, name), args...)
	command.Env = append(os.Environ(), env...)
	command.Stdout, command.Stderr = &stdout, &stderr
	code, err := exitCode(command.Run())
	require.NoError(t, err)
	return result{stdout: stdout.String(), stderr: stderr.String(), code: code}
}

// exitCode turns what running a program returned into its exit code. The error
// left over means that it did not run.
func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// useNamespace writes a copy of the kubeconfig at from whose current context
// has the given default namespace, and returns that context and its name.
func useNamespace(from, to, namespace string) (string, *api.Context, error) {
	config, err := clientcmd.LoadFromFile(from)
	if err != nil {
		return "", nil, err
	}
	context, ok := config.Contexts[config.CurrentContext]
	if !ok {
		return "", nil, fmt.Errorf("%s: no current context", from)
	}
	context.Namespace = namespace
	return config.CurrentContext, context, clientcmd.WriteToFile(*config, to)
}
