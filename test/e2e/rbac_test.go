package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	rbacBefore = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: fast}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: abcdefgh}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "registry.example/demo:1"}]}
`
	rbacAfter = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {mode: slow}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
`
)

// as gives a user who may do nothing the roles of a file of docs/rbac, and returns
// a sandbox that works as this user.
func (b *sandbox) as(t *testing.T, role string) *sandbox {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository(t), "docs", "rbac", role+".yaml"))
	require.NoError(t, err)
	user := b.namespace + "-" + role
	// The names in namespace tazuna, and those without one, are shared by all tests.
	text := strings.NewReplacer("APP", b.namespace, "USER", user, "name: tazuna-"+role, "name: "+user).Replace(string(data))
	b.kubectl(t, "apply", "-f", b.file(t, role+".yaml", text))
	t.Cleanup(func() {
		b.cleanUp(t, "kubectl", "--kubeconfig", b.site.kubeconfig, "delete", "-f", filepath.Join(b.home, role+".yaml"))
	})
	out := b.run(t, nil, "controlplane", "user", "--dir", b.controlplane, "--name", user)
	require.Zero(t, out.code, out.stderr)
	limited := *b
	limited.home = t.TempDir()
	limited.kubeconfig = filepath.Join(limited.home, "kubeconfig")
	_, _, err = useNamespace(strings.TrimSpace(out.stdout), limited.kubeconfig, b.namespace)
	require.NoError(t, err)
	return &limited
}

// TestRolesOfTheDocuments works with no other rights than docs/rbac grants.
func TestRolesOfTheDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	t.Run("viewer", func(t *testing.T) {
		t.Parallel()
		b := s.newSandbox(t, "viewer")
		file := b.file(t, "set.yaml", rbacBefore)
		b.must(t, "apply", "--yes", "-f", file, "--manifest", b.namespace)
		viewer := b.as(t, "viewer")
		assert.Zero(t, viewer.tazuna(t, "diff", "-f", file, "--manifest", b.namespace).code)
		changed := b.file(t, "changed.yaml", rbacAfter)
		diff := viewer.tazuna(t, "diff", "-f", changed, "--manifest", b.namespace, "--prune", "--color=never")
		assert.Equal(t, 1, diff.code, diff.stderr)
		assert.Contains(t, diff.stdout, "@@ update configmap/settings")
		assert.Contains(t, diff.stdout, "@@ delete deployment/web")
		assert.Contains(t, diff.stdout, "not verified by the server")
		assert.Contains(t, viewer.must(t, "state", "list").stdout, b.namespace)
		viewer.must(t, "state", "diff", "-f", changed, "--manifest", b.namespace)
		apply := viewer.tazuna(t, "apply", "--yes", "-f", changed, "--manifest", b.namespace)
		assert.Equal(t, 1, apply.code)
		assert.Contains(t, apply.stderr, "forbidden")
	})
	t.Run("deployer", func(t *testing.T) {
		t.Parallel()
		b := s.newSandbox(t, "deployer")
		b.ensureRecords(t)
		b.as(t, "deployer").applyAndDestroy(t)
	})
	t.Run("cluster-deployer", func(t *testing.T) {
		t.Parallel()
		b := s.newSandbox(t, "deployer")
		cluster := b.as(t, "cluster-deployer")
		cluster.applyAndDestroy(t)
		namespace := b.namespace + "-made"
		b.deleteAtEnd(t, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, namespace)
		file := cluster.file(t, "cluster.yaml", strings.ReplaceAll(`
apiVersion: v1
kind: Namespace
metadata: {name: NS}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: any, namespace: NS}
rules: [{apiGroups: [""], resources: [nodes], verbs: [deletecollection]}]
`, "NS", namespace))
		cluster.must(t, "apply", "--yes", "-f", file, "--manifest", namespace)
		cluster.must(t, "destroy", "--yes", "--manifest", namespace, "--prune-protected")
	})
}

// ensureRecords makes namespace tazuna, as somebody has to.
func (b *sandbox) ensureRecords(t *testing.T) {
	t.Helper()
	out := b.run(t, b.env(), "kubectl", "create", "namespace", "tazuna")
	require.True(t, out.code == 0 || strings.Contains(out.stderr, "AlreadyExists"), out.stderr)
}

// applyAndDestroy does everything that a deployer does.
func (b *sandbox) applyAndDestroy(t *testing.T) {
	t.Helper()
	file := b.file(t, "set.yaml", rbacBefore)
	apply := []string{"apply", "--yes", "-f", file, "--manifest", b.namespace, "--prune"}
	b.must(t, apply...)
	assert.Contains(t, b.must(t, apply...).stderr, "Nothing to do")
	b.file(t, "set.yaml", rbacAfter)
	diff := b.tazuna(t, "diff", "-f", file, "--manifest", b.namespace, "--prune")
	assert.Equal(t, 1, diff.code, diff.stderr)
	assert.NotContains(t, diff.stdout, "not verified")
	pruned := b.must(t, apply...)
	assert.Contains(t, pruned.stderr, "2 deleted")
	destroyed := b.must(t, "destroy", "--yes", "--manifest", b.namespace)
	assert.Contains(t, destroyed.stderr, "The record of manifest "+b.namespace+" is removed")
}
