package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// sandbox is a namespace for one test, with a kubeconfig that selects it, a home
// directory and a client for what others do.
type sandbox struct {
	site
	namespace  string
	home       string
	kubeconfig string
	client     dynamic.Interface
	// more are further variables of the environment.
	more []string
}

// newSandbox makes a namespace whose name begins with name.
func (s site) newSandbox(t *testing.T, name string) *sandbox {
	t.Helper()
	home := t.TempDir()
	b := &sandbox{site: s, namespace: newID(name), home: home, kubeconfig: filepath.Join(home, "kubeconfig")}
	_, _, err := useNamespace(s.kubeconfig, b.kubeconfig, b.namespace)
	require.NoError(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", b.kubeconfig)
	require.NoError(t, err)
	config.WarningHandler = rest.NoWarnings{}
	config.QPS = -1 // the server has flow control of its own
	b.client, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	b.kubectl(t, "create", "namespace", b.namespace)
	b.deleteAtEnd(t, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, b.namespace)
	return b
}

// deleteAtEnd deletes a cluster-scoped object when the test has ended.
func (b *sandbox) deleteAtEnd(t *testing.T, gvr schema.GroupVersionResource, name string) {
	t.Helper()
	t.Cleanup(func() {
		// Not the test's context, which has ended.
		ctx, cancel := context.WithTimeout(context.Background(), cleanUpTime)
		defer cancel()
		_ = b.client.Resource(gvr).Delete(ctx, name, metav1.DeleteOptions{})
	})
}

func (b *sandbox) env() []string {
	return append([]string{"KUBECONFIG=" + b.kubeconfig, "HOME=" + b.home, "XDG_CACHE_HOME="}, b.more...)
}

// kubectl runs kubectl, which has to succeed, and returns what it printed.
func (b *sandbox) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	// A home of its own: what lies in ours is of our program.
	env := append(b.env(), "HOME="+filepath.Join(b.home, "kubectl"))
	result := b.run(t, env, "kubectl", args...)
	require.Zero(t, result.code, "kubectl %q: %s", args, result.stderr)
	return result.stdout
}

// tazuna runs our program.
func (b *sandbox) tazuna(t *testing.T, args ...string) result {
	t.Helper()
	return b.run(t, b.env(), "kubectl-tazuna", args...)
}

// must runs our program, which has to succeed.
func (b *sandbox) must(t *testing.T, args ...string) result {
	t.Helper()
	result := b.tazuna(t, args...)
	require.Zero(t, result.code, "kubectl-tazuna %q: %s%s", args, result.stdout, result.stderr)
	return result
}

// file writes a file into the home directory and returns its name.
func (b *sandbox) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(b.home, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// report runs diff and reads the plan that it prints as JSON.
func (b *sandbox) report(t *testing.T, args ...string) report {
	t.Helper()
	result := b.tazuna(t, append([]string{"diff", "-o", "json"}, args...)...)
	var r report
	require.NoError(t, json.Unmarshal([]byte(result.stdout), &r), "%s%s", result.stdout, result.stderr)
	r.code = result.code
	return r
}
