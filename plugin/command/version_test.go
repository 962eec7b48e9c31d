package command

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
)

// versions runs version with arguments, and returns both outputs and the error.
func versions(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out, errOut bytes.Buffer
	env := &Env{
		Name: "kubectl tazuna", Version: "v0.1.0", IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &errOut},
		Getenv: func(string) string { return "" }, Clock: clock.RealClock{},
	}
	root := NewRoot(env)
	// A test's binary doesn't know what it is made of.
	o := &versionOptions{linked: func(string) string { return "v0.37.2" }}
	for _, cmd := range root.Commands() {
		if cmd.Name() == "version" {
			root.RemoveCommand(cmd)
		}
	}
	root.AddCommand(o.command(env))
	root.SetArgs(append([]string{"version"}, args...))
	err = root.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

const (
	allLeases   = "/apis/coordination.k8s.io/v1/leases"
	systemLease = "/apis/coordination.k8s.io/v1/namespaces/tazuna-system/leases/packages-controller"
)

// aLease is that of a controller of packages in a namespace, renewed at a time of day.
func aLease(namespace, renewed string) string {
	return fmt.Sprintf(`{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"packages-controller","namespace":%q,
		"labels":{"app.kubernetes.io/version":"v0.0.9"}},"spec":{"holderIdentity":"pod-1","renewTime":"2026-03-02T%s.000000Z"}}`, namespace, renewed)
}

func leaseList(leases ...string) string {
	return `{"apiVersion":"coordination.k8s.io/v1","kind":"LeaseList","items":[` + strings.Join(leases, ",") + `]}`
}

// apiServer is one that knows its version and what is at a few paths, and forbids the
// others that have to do with Leases.
func apiServer(t *testing.T, version string, paths map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text, ok := paths[r.URL.Path]
		switch {
		case r.URL.Path == "/version":
			fmt.Fprintf(w, `{"major":"1","minor":"x","gitVersion":%q,"platform":"linux/arm64"}`, version)
		case ok:
			fmt.Fprint(w, text)
		case r.URL.Path == allLeases, r.URL.Path == systemLease:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no"}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestVersionOfAServer(t *testing.T) {
	const parts = `^kubectl-tazuna v0\.1\.0 \(go\S+, \S+/\S+, for Kubernetes v1\.37\.2\)\nserver v1\.37\.0\+k3s1 \(linux/arm64\)\n`
	tests := map[string]struct {
		paths          map[string]string
		stdout, stderr string
	}{
		"a controller in any namespace": {
			paths:  map[string]string{allLeases: leaseList(aLease("packages", "12:00:00"))},
			stdout: `controller of packages v0\.0\.9 \(namespace packages, pod-1, last seen 2026-03-02T12:00:00Z\)\n`,
		},
		"Leases may be read in its usual namespace only": {
			paths:  map[string]string{systemLease: aLease("tazuna-system", "12:00:00")},
			stdout: `controller of packages v0\.0\.9 \(namespace tazuna-system, pod-1, last seen 2026-03-02T12:00:00Z\)\n`,
		},
		"Leases may not be read": {},
		"nobody leads":           {paths: map[string]string{allLeases: leaseList()}},
		"one that was moved, once dead": {
			paths:  map[string]string{allLeases: leaseList(aLease("a", "12:00:00"), aLease("b", "12:30:00"))},
			stdout: `controller of packages v0\.0\.9 \(namespace b, .*\n`,
		},
		"two at once": {
			paths:  map[string]string{allLeases: leaseList(aLease("a", "12:00:00"), aLease("b", "12:00:04"))},
			stdout: `controller of packages v0\.0\.9 \(namespace b, .*\n`,
			stderr: "Warning: another controller of packages works in namespace a (pod-1 v0.0.9): both change the same objects, so stop one of them\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, err := versions(t, "--server", apiServer(t, "v1.37.0+k3s1", test.paths))
			require.NoError(t, err)
			assert.Regexp(t, parts+test.stdout+"$", stdout)
			assert.Equal(t, test.stderr, stderr)
		})
	}
}

func TestVersionWarnsOfASkew(t *testing.T) {
	stdout, stderr, err := versions(t, "-o", "json", "--server", apiServer(t, "v1.20.4", nil))
	require.NoError(t, err)
	assert.Contains(t, stdout, `"version": "v1.20.4"`)
	assert.Contains(t, stdout, `"skew": "the server is Kubernetes 1.20,`)
	assert.Contains(t, stderr, "Warning: the server is Kubernetes 1.20, this program is made for 1.37")

	_, stderr, err = versions(t, "--server", apiServer(t, "odd", nil))
	require.NoError(t, err)
	assert.Contains(t, stderr, `wanted one like v1.37.2, found "odd"`)
}

func TestVersionWithoutAServer(t *testing.T) {
	stdout, stderr, err := versions(t)
	require.NoError(t, err)
	assert.Regexp(t, "^kubectl-tazuna v0.1.0 .*\n$", stdout)
	assert.Contains(t, stderr, "no kubeconfig names a cluster")

	stdout, stderr, err = versions(t, "--client", "--server", "http://127.0.0.1:1")
	require.NoError(t, err)
	assert.Contains(t, stdout, "v0.1.0")
	assert.Empty(t, stderr)

	stdout, _, err = versions(t, "--server", "http://127.0.0.1:1")
	require.ErrorContains(t, err, "http://127.0.0.1:1", "a server that isn't there is an error")
	assert.Contains(t, stdout, "v0.1.0", "what is known is printed all the same")
}

// A server that takes the connection and says nothing must not hold the command up.
func TestVersionOfASilentServer(t *testing.T) {
	var config net.ListenConfig
	silent, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })

	stdout, _, err := versions(t, "--request-timeout", "50ms", "--server", "http://"+silent.Addr().String())
	require.ErrorContains(t, err, "no answer within 50ms")
	require.NotErrorIs(t, err, context.Canceled)
	assert.Contains(t, stdout, "v0.1.0")
}

func TestModuleVersion(t *testing.T) {
	info := &debug.BuildInfo{Deps: []*debug.Module{
		{Path: "example.com/a", Version: "v0.1.0"},
		{Path: "example.com/b", Version: "v0.1.0", Replace: &debug.Module{Path: "../b", Version: "v0.2.0"}},
	}}
	assert.Equal(t, "v0.1.0", moduleVersion(info, "example.com/a"))
	assert.Equal(t, "v0.2.0", moduleVersion(info, "example.com/b"))
	assert.Empty(t, moduleVersion(info, "example.com/c"))
}
