package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// TestProofs attacks what a run believes without looking at the objects: the record
// and the memo of earlier runs. Whatever happens, the verdict must be the one of a
// run that looks at everything.
func TestProofs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for name, attack := range attacks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attack(t, s)
		})
	}
}

// attack is one of TestProofs.
type attack func(t *testing.T, s site)

// after is an attack on objects that were applied and seen.
func after(do func(t *testing.T, p *proofs)) attack {
	return func(t *testing.T, s site) {
		t.Helper()
		do(t, newProofs(t, s))
	}
}

func attacks() map[string]attack {
	return map[string]attack{
		"nothing":                 after(func(t *testing.T, p *proofs) { p.agree(t, nil) }),
		"two writes in a second":  after(twoWritesInASecond),
		"deletion with finalizer": after(deletionWithFinalizer),
		"made again":              after(madeAgain),
		"status only":             after(statusOnly),
		"labels only":             after(labelsOnly),
		"other rules":             after(otherRules),
		"rules changed":           after(rulesChanged),
		"memo forged":             after(memoForged),
		"memo damaged":            after(memoDamaged),
		"memo out of date":        after(memoOutOfDate),
		"record forged":           after(recordForged),
		"record of another life":  after(recordOfAnotherLife),
		"another user":            after(anotherUser),
		"policy added":            after(policyAdded),
		"webhook added":           after(webhookAdded),
		"policy removed":          after(policyRemoved),
		"policy undid the apply":  after(policyUndidTheApply),
		"record of other files":   after(recordOfOtherFiles),
		"autoscaler left":         after(autoscalerLeft),
		"other schema":            after(otherSchema),
	}
}

func twoWritesInASecond(t *testing.T, p *proofs) {
	for range 3 {
		p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
		p.patch(t, configMapResource, "settings", `{"data":{"mode":"fast"}}`)
		p.agree(t, nil)
		p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
		p.agree(t, []string{"update ConfigMap/settings .data.mode drift by somebody"})
		p.patch(t, configMapResource, "settings", `{"data":{"mode":"fast"}}`)
	}
}

func deletionWithFinalizer(t *testing.T, p *proofs) {
	configMaps := p.client.Resource(configMapResource).Namespace(p.namespace)
	p.patch(t, configMapResource, "settings", `{"metadata":{"finalizers":["example.com/hold"]}}`)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanUpTime)
		defer cancel()
		_, _ = configMaps.Patch(ctx, "settings", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	})
	p.agree(t, nil)
	require.NoError(t, configMaps.Delete(t.Context(), "settings", metav1.DeleteOptions{}))
	p.agree(t, []string{"blocked ConfigMap/settings"})
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	p.agree(t, []string{"blocked ConfigMap/settings"})
}

func madeAgain(t *testing.T, p *proofs) {
	for _, gvr := range []schema.GroupVersionResource{configMapResource, networkPolicies1} {
		name := map[string]string{"configmaps": "settings", "networkpolicies": "door"}[gvr.Resource]
		old := p.get(t, gvr, name)
		require.NoError(t, p.client.Resource(gvr).Namespace(p.namespace).Delete(t.Context(), name, metav1.DeleteOptions{}))
		old.SetResourceVersion("")
		old.SetUID("")
		old.SetManagedFields(nil)
		_, err := p.client.Resource(gvr).Namespace(p.namespace).Create(t.Context(), old, metav1.CreateOptions{FieldManager: "somebody"})
		require.NoError(t, err)
	}
	p.agree(t, nil)
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	p.agree(t, []string{"update ConfigMap/settings .data.mode drift by somebody"})
}

func statusOnly(t *testing.T, p *proofs) {
	p.patch(t, deployments1, "web", `{"status":{"conditions":[{"type":"Odd","status":"True"}]}}`, "status")
	p.agree(t, nil)
	p.patch(t, deployments1, "web", `{"spec":{"replicas":1},"status":{"conditions":[]}}`)
	p.agree(t, []string{"update Deployment/web .spec.replicas drift by somebody"})
}

func labelsOnly(t *testing.T, p *proofs) {
	p.patch(t, configMapResource, "settings", `{"metadata":{"labels":{"theirs":"1"}}}`)
	p.agree(t, nil)
	p.patch(t, configMapResource, "settings", `{"metadata":{"labels":{"ours":"2"}}}`)
	p.agree(t, []string{"update ConfigMap/settings .metadata.labels.ours drift by somebody"})
	p.patch(t, configMapResource, "settings", `{"metadata":{"labels":{"ours":"1","`+partOf+`":null}}}`)
	p.agree(t, nil)
}

func otherRules(t *testing.T, p *proofs) {
	// The record's values are known, whoever applied them.
	p.agree(t, nil, "--field-manager=other")
	p.agree(t, nil, "--force-conflicts")
	p.agree(t, nil, "--adopt")
	_, err := p.client.Resource(configMapResource).Namespace(p.namespace).Patch(t.Context(), "settings", types.ApplyPatchType,
		[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"other":"same"}}`), metav1.PatchOptions{FieldManager: "kubectl"})
	require.NoError(t, err)
	p.agree(t, nil)
	p.agree(t, []string{"adopt ConfigMap/settings"}, "--adopt")
	p.agree(t, nil)
}

// rulesChanged: what kapp's configuration says of the same files and objects.
func rulesChanged(t *testing.T, p *proofs) {
	rules := func(text string) []string {
		return []string{"-f", p.file(t, "rules.yaml", "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n"+text)}
	}
	const settings = "resourceMatchers: [{kindNamespaceNameMatcher: {kind: ConfigMap, namespace: $NS, name: settings}}]"
	matcher := strings.ReplaceAll(settings, "$NS", p.namespace)
	p.agree(t, []string{"update ConfigMap/settings .data.other remove"}, rules("rebaseRules:\n- {path: [data, other], type: remove, "+matcher+"}\n")...)
	p.agree(t, nil)
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	drift := []string{"update ConfigMap/settings .data.mode drift by somebody"}
	p.agree(t, drift)
	p.agree(t, nil, rules("diffAgainstExistingFieldExclusionRules:\n- {path: [data, mode], "+matcher+"}\n")...)
	p.agree(t, drift)
	p.agree(t, nil, rules("diffAgainstLastAppliedFieldExclusionRules:\n- {path: [data, mode], "+matcher+"}\n")...)
	p.agree(t, drift, rules("diffAgainstExistingFieldExclusionRules:\n- {path: [data, other], "+matcher+"}\n")...)
}

// versionIn is a resourceVersion in a memo or a record.
var versionIn = regexp.MustCompile(`"(rv|resourceVersion)":"\d+"`)

// memoForged stands for a cluster that was restored from a backup and went on: an
// object has the version that is remembered, and another content.
func memoForged(t *testing.T, p *proofs) {
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	version := p.get(t, configMapResource, "settings").GetResourceVersion()
	p.rewriteMemos(t, func(old string) string { return versionIn.ReplaceAllString(old, `"$1":"`+version+`"`) })
	p.agree(t, []string{"update ConfigMap/settings .data.mode drift by somebody"})
}

func recordForged(t *testing.T, p *proofs) {
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	version := p.get(t, configMapResource, "settings").GetResourceVersion()
	p.rewriteRecord(t, func(old string) string { return versionIn.ReplaceAllString(old, `"$1":"`+version+`"`) })
	p.agree(t, []string{"update ConfigMap/settings .data.mode drift by somebody"})
}

func recordOfAnotherLife(t *testing.T, p *proofs) {
	p.rewriteRecord(t, func(old string) string {
		return regexp.MustCompile(`"uid":"[^"]*"`).ReplaceAllString(old, `"uid":"00000000-0000-0000-0000-000000000000"`)
	})
	p.agree(t, nil)
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	p.agree(t, []string{"update ConfigMap/settings .data.mode drift by somebody"})
}

func memoDamaged(t *testing.T, p *proofs) {
	for _, text := range []string{"", "null", "[]", `{"`, `{"x":null}`, `{"x":{"rv":1}}`, strings.Repeat("\x00", 100)} {
		p.rewriteMemos(t, func(string) string { return text })
		p.agree(t, nil)
	}
	for _, file := range p.memos(t) {
		require.NoError(t, os.Remove(file))
		require.NoError(t, os.Mkdir(file, 0o700))
	}
	p.agree(t, nil)
	p.patch(t, configMapResource, "settings", `{"data":{"mode":"slow"}}`)
	p.agree(t, []string{"update ConfigMap/settings .data.mode drift by somebody"})
}

func memoOutOfDate(t *testing.T, p *proofs) {
	old := time.Now().Add(-25 * time.Hour).Unix()
	ahead := time.Now().Add(time.Hour).Unix()
	for _, at := range []int64{old, ahead} {
		p.rewriteMemos(t, func(text string) string {
			stamp, _ := json.Marshal(at)
			return regexp.MustCompile(`"t":\d+`).ReplaceAllString(text, `"t":`+string(stamp))
		})
		p.agree(t, nil)
	}
}

// anotherUser may see as much as the first and is somebody else to the policies.
func anotherUser(t *testing.T, p *proofs) {
	name := p.namespace + "-reader"
	config := strings.TrimSpace(p.run(t, nil, "controlplane", "user", "--dir", p.controlplane, "--name", name, "--group", "system:masters").stdout)
	mine := p.kubeconfig
	p.policy(t, "networking.k8s.io", "networkpolicies", `request.userInfo.username == "`+name+`" ? `+opened+` : []`)
	p.agree(t, nil)
	p.kubeconfig = filepath.Join(p.home, "other")
	_, _, err := useNamespace(config, p.kubeconfig, p.namespace)
	require.NoError(t, err)
	p.settle(t, openedDoor())
	p.kubeconfig = mine
	p.agree(t, nil)
	// The same user in the kubeconfig, and another one to the server.
	p.agree(t, openedDoor(), "--as="+name, "--as-group=system:masters")
}

// opened is what a policy makes of the NetworkPolicy: open to everybody.
const opened = `[JSONPatch{op: "replace", path: "/spec/ingress", value: [Object.spec.ingress{}]}]`

// openedDoor is the verdict on it.
func openedDoor() []string {
	return []string{"update NetworkPolicy/door .spec.ingress[0].ports drift by nobody known"}
}

// forced is what a policy makes of the ConfigMap.
const forced = `[JSONPatch{op: "add", path: "/data", value: {"mode": "forced", "other": "same"}}]`

func policyAdded(t *testing.T, p *proofs) {
	p.policy(t, "", "configmaps", forced) // which has nothing to force: no write is due
	p.policy(t, "networking.k8s.io", "networkpolicies", opened)
	p.settle(t, openedDoor())
	p.removePolicy(t, "networkpolicies")
	p.settle(t, nil)
}

// policyRemoved: what the policy undid at the last apply it undoes no longer.
func policyRemoved(t *testing.T, p *proofs) {
	p.policy(t, "networking.k8s.io", "networkpolicies", opened)
	p.settle(t, openedDoor())
	p.apply(t)
	p.look(t)
	p.agree(t, nil)
	p.removePolicy(t, "networkpolicies")
	p.settle(t, openedDoor())
}

// policyUndidTheApply: what was written is not what was asked, so that the record
// of the write proves nothing.
func policyUndidTheApply(t *testing.T, p *proofs) {
	p.policy(t, "", "configmaps", forced)
	require.Eventually(t, func() bool {
		got, err := p.client.Resource(configMapResource).Namespace(p.namespace).Patch(t.Context(), "settings", types.MergePatchType, []byte(`{"data":{"mode":"any"}}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && got.Object["data"].(m)["mode"] == "forced"
	}, established, waitPause)
	p.file(t, "objects.yaml", strings.Replace(provenObjects, "mode: fast", "mode: slow", 1))
	p.apply(t)
	require.Equal(t, "forced", p.get(t, configMapResource, "settings").Object["data"].(m)["mode"])
	p.agree(t, nil)
	p.removePolicy(t, "configmaps")
	p.settle(t, []string{"update ConfigMap/settings .data.mode drift by nobody known"})
}

// webhookAdded can't be asked: every write fails, and nothing of it was believed.
func webhookAdded(t *testing.T, p *proofs) {
	_, err := p.client.Resource(webhooks).Create(t.Context(), &unstructured.Unstructured{Object: m{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": m{"name": p.namespace},
		"webhooks": list(m{
			"name": "nobody.example.com", "admissionReviewVersions": list("v1"), "sideEffects": "None", "failurePolicy": "Fail", "timeoutSeconds": int64(1),
			"namespaceSelector": m{"matchLabels": m{"kubernetes.io/metadata.name": p.namespace}},
			"clientConfig":      m{"url": "https://127.0.0.1:1/"},
			"rules":             list(m{"apiGroups": list("networking.k8s.io"), "apiVersions": list("v1"), "operations": list("*"), "resources": list("networkpolicies")}),
		}),
	}}, metav1.CreateOptions{})
	require.NoError(t, err)
	p.deleteAtEnd(t, webhooks, p.namespace)
	require.Eventually(t, func() bool {
		_, err := p.client.Resource(networkPolicies1).Namespace(p.namespace).Patch(t.Context(), "door", types.MergePatchType, []byte(`{"metadata":{"annotations":{"probe":"1"}}}`),
			metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil
	}, established, waitPause)
	p.agree(t, []string{"error NetworkPolicy/door"})
	require.NoError(t, p.client.Resource(webhooks).Delete(t.Context(), p.namespace, metav1.DeleteOptions{}))
	p.settle(t, nil)
}

// recordOfOtherFiles: somebody applies other files, for which no object has to be
// written, and these files then ask for less than was applied last.
func recordOfOtherFiles(t *testing.T, p *proofs) {
	_, err := p.client.Resource(configMapResource).Namespace(p.namespace).Patch(t.Context(), "settings", types.ApplyPatchType,
		[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"more":"1"}}`), metav1.PatchOptions{FieldManager: "operator"})
	require.NoError(t, err)
	p.look(t)
	p.file(t, "objects.yaml", strings.Replace(provenObjects, "other: same", "other: same, more: '1'", 1))
	p.apply(t)
	p.file(t, "objects.yaml", provenObjects)
	p.agree(t, []string{"update ConfigMap/settings .data.more release by operator"})
}

// autoscalerLeft: the number of replicas was an autoscaler's, and is the files' again.
func autoscalerLeft(t *testing.T, p *proofs) {
	const scaler = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  maxReplicas: 5
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`
	p.file(t, "objects.yaml", provenObjects+scaler)
	p.apply(t)
	p.patch(t, deployments1, "web", `{"spec":{"replicas":1}}`)
	p.kubectl(t, "rollout", "status", "deployment/web")
	for range 2 {
		require.Empty(t, p.report(t, p.files...).lines())
	}
	p.file(t, "objects.yaml", provenObjects)
	require.NoError(t, p.client.Resource(autoscalers).Namespace(p.namespace).Delete(t.Context(), "web", metav1.DeleteOptions{}))
	p.agree(t, []string{"update Deployment/web .spec.replicas drift by somebody"})
}

// otherSchema: a custom resource is read by another schema than it was written by.
func otherSchema(t *testing.T, p *proofs) {
	group := p.namespace + ".example.com"
	define := func(properties string) {
		p.kubectl(t, "apply", "-f", p.file(t, "definition.json", definition(group, "bolt", "Namespaced", "", properties)))
		require.Eventually(t, func() bool {
			return p.run(t, p.env(), "kubectl", "wait", "--for=condition=Established", "crd/bolts."+group).code == 0
		}, established, waitPause)
	}
	define(`"a":{"type":"string"},"b":{"type":"string"}`)
	p.deleteAtEnd(t, customResourceDefinitions, "bolts."+group)
	p.file(t, "objects.yaml", provenObjects+"---\napiVersion: "+group+"/v1\nkind: Bolt\nmetadata: {name: bolt}\nspec: {a: '1', b: '2'}\n")
	p.apply(t)
	p.look(t)
	define(`"a":{"type":"string"}`)
	p.settle(t, []string{"error Bolt/bolt .spec.b drift by nobody known"})
	define(`"a":{"type":"string"},"b":{"type":"string"}`)
	p.settle(t, nil)
}
