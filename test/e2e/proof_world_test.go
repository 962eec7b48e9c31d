package e2e

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// What of the objects below the tests change.
var (
	configMapResource = resourceOf("v1/configmaps")
	secretResource    = resourceOf("v1/secrets")
	deployments1      = resourceOf("apps/v1/deployments")
	networkPolicies1  = resourceOf("networking.k8s.io/v1/networkpolicies")
	policies          = resourceOf("admissionregistration.k8s.io/v1/mutatingadmissionpolicies")
	policyBindings    = policies.GroupVersion().WithResource("mutatingadmissionpolicybindings")
	webhooks          = policies.GroupVersion().WithResource("mutatingwebhookconfigurations")
	autoscalers       = resourceOf("autoscaling/v2/horizontalpodautoscalers")
)

// provenObjects have a kind of each sort: no status, masked, with a status, and one
// with a list that is the server's to judge (its ports have a default).
const provenObjects = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {ours: "1"}}
data: {mode: fast, other: same}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {password: hunter2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: example.com/web:1}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: door}
spec:
  podSelector: {}
  ingress: [{ports: [{port: 80}]}]
`

// proofs is the world of an attack on what is believed without looking: objects
// that were applied and found to be as wanted.
type proofs struct {
	*sandbox
	files []string
}

func newProofs(t *testing.T, s site) *proofs {
	t.Helper()
	p := &proofs{sandbox: s.newSandbox(t, "proof")}
	p.files = []string{"-f", p.file(t, "objects.yaml", provenObjects), "--manifest", p.namespace}
	p.apply(t)
	p.look(t)
	return p
}

func (p *proofs) apply(t *testing.T, args ...string) {
	t.Helper()
	p.must(t, append(append([]string{"apply", "--yes", "--wait=false"}, p.files...), args...)...)
}

// look lets a run see the objects and remember them, until controllers have come
// to rest and what is remembered is what is live.
func (p *proofs) look(t *testing.T) {
	t.Helper()
	p.kubectl(t, "wait", "--for=jsonpath={.status.observedGeneration}=1", "deployment/web")
	for range 2 {
		require.Empty(t, p.report(t, p.files...).lines())
	}
}

// agree holds what is said with proofs against what is said after looking at
// everything, and both against want. It does so twice: the first run may have
// remembered something wrong.
func (p *proofs) agree(t *testing.T, want []string, args ...string) {
	t.Helper()
	args = append(args, p.files...)
	for range 2 {
		believed, seen := p.report(t, args...), p.report(t, append(args, "--refresh")...)
		assert.Equal(t, seen.lines(), believed.lines(), "what was believed is not so")
		assert.Equal(t, seen.RecordOnly, believed.RecordOnly)
		assert.Equal(t, seen.code, believed.code)
		assert.Equal(t, want, seen.lines())
	}
}

// patch changes an object as somebody else.
func (p *proofs) patch(t *testing.T, gvr schema.GroupVersionResource, name, patch string, subresources ...string) {
	t.Helper()
	_, err := p.client.Resource(gvr).Namespace(p.namespace).Patch(t.Context(), name, types.MergePatchType, []byte(patch),
		metav1.PatchOptions{FieldManager: "somebody"}, subresources...)
	require.NoError(t, err)
}

func (p *proofs) get(t *testing.T, gvr schema.GroupVersionResource, name string) *unstructured.Unstructured {
	t.Helper()
	live, err := p.client.Resource(gvr).Namespace(p.namespace).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return live
}

// memos are the files in which runs remember.
func (p *proofs) memos(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.home, ".cache", "kubectl-tazuna", "memo", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "nothing was remembered")
	return files
}

// rewriteMemos changes the text of what is remembered.
func (p *proofs) rewriteMemos(t *testing.T, change func(string) string) {
	t.Helper()
	for _, file := range p.memos(t) {
		old, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, []byte(change(string(old))), 0o600))
	}
}

// rewriteRecord changes the text of the bodies in the record.
func (p *proofs) rewriteRecord(t *testing.T, change func(string) string) {
	t.Helper()
	secrets := p.client.Resource(secretResource).Namespace("tazuna")
	record, err := secrets.Get(t.Context(), "tazuna-record-"+p.namespace, metav1.GetOptions{})
	require.NoError(t, err)
	data, _, err := unstructured.NestedStringMap(record.Object, "data")
	require.NoError(t, err)
	changed := false
	for key, value := range data {
		packed, err := base64.StdEncoding.DecodeString(value)
		require.NoError(t, err)
		old := gunzip(t, packed)
		text := change(old)
		changed = changed || text != old
		require.NoError(t, unstructured.SetNestedField(record.Object, base64.StdEncoding.EncodeToString(gzipped(t, text)), "data", key))
	}
	require.True(t, changed, "the record has nothing to change: %v", data)
	_, err = secrets.Update(t.Context(), record, metav1.UpdateOptions{})
	require.NoError(t, err)
}

// policy has the API server change what is written to one resource of the namespace.
func (p *proofs) policy(t *testing.T, group, resource, patch string) {
	t.Helper()
	name := p.namespace + "-" + resource
	create := func(gvr schema.GroupVersionResource, body map[string]any) {
		_, err := p.client.Resource(gvr).Create(t.Context(), &unstructured.Unstructured{Object: body}, metav1.CreateOptions{})
		require.NoError(t, err)
		p.deleteAtEnd(t, gvr, name)
	}
	create(policies, m{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": m{"name": name},
		"spec": m{
			"reinvocationPolicy": "Never", "failurePolicy": "Fail",
			"matchConstraints": m{
				"namespaceSelector": m{"matchLabels": m{"kubernetes.io/metadata.name": p.namespace}},
				"resourceRules":     list(m{"apiGroups": list(group), "apiVersions": list("v1"), "operations": list("CREATE", "UPDATE"), "resources": list(resource)}),
			},
			"mutations": list(m{"patchType": "JSONPatch", "jsonPatch": m{"expression": patch}}),
		},
	})
	create(policyBindings, m{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": m{"name": name},
		"spec": m{"policyName": name},
	})
}

func (p *proofs) removePolicy(t *testing.T, resource string) {
	t.Helper()
	for _, gvr := range []schema.GroupVersionResource{policyBindings, policies} {
		require.NoError(t, p.client.Resource(gvr).Delete(t.Context(), p.namespace+"-"+resource, metav1.DeleteOptions{}))
	}
}

// settle waits until the server does what a policy says, or no longer says: it
// learns of policies a little later.
func (p *proofs) settle(t *testing.T, want []string, args ...string) {
	t.Helper()
	args = append(append(args, p.files...), "--refresh")
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.Equal(c, want, p.report(t, args...).lines())
	}, established, waitPause)
	p.agree(t, want, args[:len(args)-len(p.files)-1]...)
}
