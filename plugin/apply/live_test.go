package apply

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// O01: everything in the worst order, in one run.
func TestLiveWorstOrder(t *testing.T) {
	w := newWorld(t)
	text := `
{apiVersion: dID.example/v1, kind: Order, metadata: {name: first, namespace: NS}, spec: {count: 1}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: NS}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      serviceAccountName: shop
      containers: [{name: main, image: "registry.example/demo:1"}]
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: shop, namespace: NS}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: NS}, spec: {containers: [{name: main, image: a}]}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.dID.example}
spec:
  group: dID.example
  scope: Namespaced
  names: {plural: orders, singular: order, kind: Order, listKind: OrderList}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
` + w.namespace()
	begun := time.Now()
	r := w.apply(text)
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, Counts{Created: 6}, r.Counts)
	assert.Less(t, time.Since(begun), 30*time.Second)
	w.requireEmpty(text)

	record, err := w.store.Read(t.Context(), w.manifest)
	require.NoError(t, err)
	require.Len(t, record.Entries, 6)
	for _, e := range record.Entries {
		assert.Len(t, e.ContentHash, 64)
		assert.NotEmpty(t, e.UID)
		assert.NotZero(t, e.Order)
	}
	assert.False(t, record.LastSyncedAt.IsZero())

	// O07: the way back, in one run as well.
	r = w.apply("")
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 6, r.Counts.Deleted)
	record, err = w.store.Read(t.Context(), w.manifest)
	require.NoError(t, err)
	assert.Empty(t, record.Entries)
}

// O03: a webhook that nobody answers holds what it checks, and nothing else.
func TestLiveWebhookWithoutAServer(t *testing.T) {
	w := newWorld(t)
	text := `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: loop.ID.example}
webhooks:
  - name: loop.ID.example
    admissionReviewVersions: [v1]
    sideEffects: None
    failurePolicy: Fail
    timeoutSeconds: 2
    clientConfig: {url: "https://127.0.0.1:10/check"}
    rules: [{apiGroups: [dID.example], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [ponds]}]
---
{apiVersion: dID.example/v1, kind: Pond, metadata: {name: main, namespace: NS}, spec: {size: 3}}
---
{apiVersion: v1, kind: Service, metadata: {name: gate, namespace: NS}, spec: {selector: {app: gate}, ports: [{port: 443, targetPort: 8443}]}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ponds.dID.example}
spec:
  group: dID.example
  scope: Namespaced
  names: {plural: ponds, singular: pond, kind: Pond, listKind: PondList}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
` + w.namespace()
	w.policy.Timeout = 8 * time.Second
	hooks := w.mapping("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration")
	unhook := func() {
		_ = w.client.Delete(context.Background(), hooks, "", w.docs("loop.ID.example"), cluster.DeleteOptions{})
	}
	t.Cleanup(unhook)
	begun := time.Now()
	r := w.apply(text)
	assert.Less(t, time.Since(begun), 20*time.Second)
	assert.Equal(t, VerdictFailed, r.Verdict)
	assert.Equal(t, Counts{Created: 4, Failed: 1}, r.Counts)
	reason := of(r, "main").Reason
	assert.Contains(t, reason, "failed calling webhook")
	assert.Contains(t, reason, w.docs("loop.ID.example"))

	record, err := w.store.Read(t.Context(), w.manifest)
	require.NoError(t, err)
	e, ok := record.Find(object.Ref{Group: w.docs("dID.example"), Kind: "Pond", Namespace: w.ns, Name: "main"})
	require.True(t, ok, "it is in the record as begun")
	assert.Empty(t, e.ContentHash)

	unhook()
	w.policy.Timeout = 0
	p, planner := w.plan(text)
	var rest []*plan.Object
	for _, o := range p.Objects {
		if o.Ref.Kind != "ValidatingWebhookConfiguration" {
			rest = append(rest, o)
		}
	}
	p.Objects = rest
	r = w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 1, r.Counts.Created)
}

// O05: a namespace that is on its way out takes nothing in.
func TestLiveDyingNamespace(t *testing.T) {
	w := newWorld(t)
	w.make(w.namespace()+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: stuck, namespace: NS, finalizers: [demo.example/never]}}", "kubectl")
	require.NoError(t, w.client.Delete(t.Context(), w.mapping("v1", "Namespace"), "", w.ns, cluster.DeleteOptions{}))
	t.Cleanup(func() {
		_, _ = w.client.Patch(context.Background(), w.mapping("v1", "ConfigMap"), w.ns, "stuck", types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), cluster.WriteOptions{Manager: "another"})
	})
	begun := time.Now()
	r := w.apply(w.namespace() + `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: wanted, namespace: NS}, data: {a: "1"}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: stuck, namespace: NS}, data: {a: "1"}}
`)
	assert.Less(t, time.Since(begun), 10*time.Second)
	assert.Equal(t, VerdictRefused, r.Verdict)
	assert.Equal(t, Counts{Refused: 1, Skipped: 2}, r.Counts)
	assert.Contains(t, of(r, w.ns).Reason, "it is being deleted (held by finalizers kubernetes")

	// A run that doesn't list the namespace learns it from the server's answer.
	r = w.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: wanted, namespace: NS}, data: {a: \"1\"}}")
	assert.Equal(t, OutcomeFailed, of(r, "wanted").Outcome)
	assert.Contains(t, of(r, "wanted").Reason, "being terminated")
}

// O07: a finalizer that is held keeps what the object needs.
func TestLiveHeldDeletion(t *testing.T) {
	w := newWorld(t)
	text := w.namespace() + `
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: worker, namespace: NS}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.dID.example}
spec:
  group: dID.example
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, listKind: BoatList}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
{apiVersion: dID.example/v1, kind: Boat, metadata: {name: b, namespace: NS, finalizers: [demo.example/dock]}, spec: {sails: 1}}
`
	require.Equal(t, VerdictDone, w.apply(text).Verdict)
	w.policy.ObjectTimeout = 4 * time.Second
	r := w.apply("")
	assert.Equal(t, VerdictFailed, r.Verdict)
	assert.Equal(t, "not gone after 4s: held by demo.example/dock", of(r, "b").Reason)
	assert.Equal(t, Counts{Deleted: 1, Failed: 1, Skipped: 2}, r.Counts)
	assert.NotNil(t, w.get("v1", "Namespace", w.ns))

	w.policy.ObjectTimeout = 2 * time.Minute
	w.patch(w.docs("dID.example/v1"), "Boat", "b", "", `{"metadata":{"finalizers":null}}`)
	r = w.apply("")
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
}

// W01: a Job that fails ends the wait with its reason.
func TestLiveFailedJob(t *testing.T) {
	w := newWorld(t)
	w.executor = func(e *Executor) {
		e.Logs = func(_ context.Context, _, pod, container string, _ bool, _ int64) ([]string, error) {
			return []string{"the last words of " + container}, nil
		}
	}
	begun := time.Now()
	r := w.apply(w.namespace() + `
---
apiVersion: batch/v1
kind: Job
metadata: {name: doomed, namespace: NS}
spec:
  backoffLimit: 0
  template:
    metadata: {annotations: {standin.tazuna.dev/fail: "3"}}
    spec: {restartPolicy: Never, containers: [{name: main, image: a}]}
---
apiVersion: batch/v1
kind: Job
metadata: {name: fine, namespace: NS}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}
`)
	assert.Less(t, time.Since(begun), 40*time.Second)
	assert.Equal(t, OutcomeFailed, of(r, "doomed").Outcome)
	assert.Contains(t, of(r, "doomed").Reason, "BackoffLimitExceeded: ")
	details := strings.Join(of(r, "doomed").Details, "\n")
	assert.Contains(t, details, "event ")
	assert.Contains(t, details, "exit code 3")
	assert.Contains(t, details, "the last words of main")
	assert.True(t, of(r, "fine").Ready)
}

// W07: a Job that cleans itself up has finished.
func TestLiveJobWithTTL(t *testing.T) {
	w := newWorld(t)
	r := w.apply(w.namespace() + `
---
apiVersion: batch/v1
kind: Job
metadata: {name: brief, namespace: NS}
spec:
  ttlSecondsAfterFinished: 0
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}
`)
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
}

// W03, W05: what ready means, with real controllers.
func TestLiveWorkloadsGetReady(t *testing.T) {
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
    metadata: {labels: {app: web}, annotations: {standin.tazuna.dev/ready-after: 2s}}
    spec: {containers: [{name: main, image: "a:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: ondelete, namespace: NS}
spec:
  updateStrategy: {type: OnDelete}
  selector: {matchLabels: {app: ondelete}}
  template: {metadata: {labels: {app: ondelete}}, spec: {containers: [{name: main, image: "a:1"}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nowhere, namespace: NS}
spec:
  selector: {matchLabels: {app: nowhere}}
  template: {metadata: {labels: {app: nowhere}}, spec: {nodeSelector: {none: "true"}, containers: [{name: main, image: "a:1"}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: part, namespace: NS}
spec:
  replicas: 2
  serviceName: part
  updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 1}}
  selector: {matchLabels: {app: part}}
  template: {metadata: {labels: {app: part}}, spec: {containers: [{name: main, image: "a:1"}]}}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: zero, namespace: NS}
spec:
  replicas: 0
  serviceName: zero
  selector: {matchLabels: {app: zero}}
  template: {metadata: {labels: {app: zero}}, spec: {containers: [{name: main, image: "a:1"}]}}
`
	r := w.apply(text)
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 6, r.Counts.Created)
	assert.GreaterOrEqual(t, of(r, "web").Elapsed, 2*time.Second)

	second := strings.ReplaceAll(text, "a:1", "a:2")
	r = w.apply(second)
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 5, r.Counts.Updated)
	assert.Contains(t, strings.Join(of(r, "ondelete").Notes, ""), "until somebody deletes them")
	old, err := w.client.List(t.Context(), podMapping(), cluster.ListOptions{Namespace: w.ns, LabelSelector: "app=web"})
	require.NoError(t, err)
	for _, pod := range old {
		if pod.GetDeletionTimestamp() == nil {
			image, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
			assert.Contains(t, fmt.Sprint(image), "a:2", "none of the old ones is left")
		}
	}
	w.requireEmpty(second)
}

// W09: a definition whose names are taken fails within moments.
func TestLiveDefinitionWithoutItsNames(t *testing.T) {
	w := newWorld(t)
	crd := func(plural string) string {
		return `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + plural + `.dID.example}
spec:
  group: dID.example
  scope: Namespaced
  names: {plural: ` + plural + `, singular: clock, kind: Clock, listKind: ClockList}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`
	}
	require.Equal(t, VerdictDone, w.apply(crd("clocks")).Verdict)
	begun := time.Now()
	r := w.apply(crd("clocks") + "---" + crd("watches"))
	assert.Less(t, time.Since(begun), 20*time.Second)
	assert.Equal(t, OutcomeFailed, of(r, w.docs("watches.dID.example")).Outcome)
	assert.Contains(t, of(r, w.docs("watches.dID.example")).Reason, "already in use")
	w.apply("")
}

// W11: what Pods suffer stands beside the Deployment.
func TestLivePodsThatCannotStart(t *testing.T) {
	w := newWorld(t)
	w.policy.ObjectTimeout = 10 * time.Second
	r := w.apply(w.namespace() + `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: pulls, namespace: NS}
spec:
  selector: {matchLabels: {app: pulls}}
  template:
    metadata: {labels: {app: pulls}, annotations: {standin.tazuna.dev/waiting: ImagePullBackOff}}
    spec: {containers: [{name: main, image: missing}]}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: none, namespace: NS}, spec: {hard: {count/jobs.batch: "0", pods: "1"}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: starved, namespace: NS}
spec:
  replicas: 3
  selector: {matchLabels: {app: starved}}
  template: {metadata: {labels: {app: starved}}, spec: {containers: [{name: main, image: a}]}}
`)
	assert.Equal(t, 2, r.Counts.Failed)
	assert.Contains(t, w.reasons("pulls")+w.reasons("starved"), "exceeded quota")
	if strings.Contains(w.reasons("pulls"), "Pod pulls-") {
		assert.Contains(t, w.reasons("pulls"), "container main: ImagePullBackOff")
	}
}
