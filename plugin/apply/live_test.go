package apply

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// The tests of this file need a real control plane with controllers and nodes:
// what it accepts, refuses and brings up is the point. TAZUNA_TEST_KUBECONFIG
// names one, see test/controlplane. Each works in a namespace and with a
// manifest of its own. The inputs are those of the trouble cases they name.

// world is one test's corner of the cluster.
type world struct {
	t        *testing.T
	client   *cluster.Client
	store    *state.Store
	manifest string
	ns       string
	policy   Policy
	planned  plan.Policy
	executor func(*Executor)

	mu     sync.Mutex
	events []Event
}

func newWorld(t *testing.T) *world {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	client, err := cluster.Connect(cluster.Options{
		Getter: flags, UserAgent: "kubectl-tazuna/test (apply)", FieldManager: "tazuna", CacheDir: cache,
	})
	require.NoError(t, err)
	w := &world{
		t: t, client: client, ns: fmt.Sprintf("apply-%x", rand.Uint32()),
		store:  &state.Store{Client: client, Identity: state.Identity{User: "alice", Host: "laptop", PID: os.Getpid()}, Wait: time.Minute},
		policy: DefaultPolicy(true), planned: plan.ManifestPolicy(),
	}
	w.manifest = w.ns
	w.policy.ObjectTimeout = 45 * time.Second
	w.planned.Prune = true
	t.Cleanup(w.cleanUp)
	return w
}

// cleanUp deletes the namespace without waiting: that takes the cluster 5 s.
func (w *world) cleanUp() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = w.client.Delete(ctx, w.mapping("v1", "Namespace"), "", w.ns, cluster.DeleteOptions{})
	_ = w.client.Delete(ctx, w.mapping("v1", "ConfigMap"), state.Namespace, state.StateName(w.manifest), cluster.DeleteOptions{})
}

func (w *world) mapping(apiVersion, kind string) cluster.Mapping {
	gvk := (&unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}).GroupVersionKind()
	m, err := w.client.Mapping(w.t.Context(), gvk.GroupKind(), gvk.Version)
	require.NoError(w.t, err)
	return m
}

// docs fills in the namespace and a name that no other test has.
func (w *world) docs(text string) string {
	return strings.NewReplacer("NS", w.ns, "ID", strings.TrimPrefix(w.ns, "apply-")).Replace(text)
}

func (w *world) namespace() string {
	return w.docs("{apiVersion: v1, kind: Namespace, metadata: {name: NS}}")
}

// make creates an object behind the run's back.
func (w *world) make(text, manager string) *unstructured.Unstructured {
	w.t.Helper()
	set, err := object.Load(strings.NewReader(w.docs(text)), "test.yaml")
	require.NoError(w.t, err)
	var last *unstructured.Unstructured
	for _, o := range set.Objects {
		m := w.mapping(o.GVK().GroupVersion().String(), o.GVK().Kind)
		last, err = w.client.Apply(w.t.Context(), m, o.Body, cluster.ApplyOptions{Manager: manager, Force: true})
		require.NoError(w.t, err)
	}
	return last
}

func (w *world) get(apiVersion, kind, name string) *unstructured.Unstructured {
	w.t.Helper()
	m := w.mapping(apiVersion, kind)
	u, err := w.client.Get(w.t.Context(), m, w.ns, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return u
}

func (w *world) patch(apiVersion, kind, name, subresource, patch string) {
	w.t.Helper()
	_, err := w.client.Patch(w.t.Context(), w.mapping(apiVersion, kind), w.ns, name, types.MergePatchType, []byte(patch),
		cluster.WriteOptions{Manager: "another", Subresource: subresource})
	require.NoError(w.t, err)
}

// plan compares documents with the cluster and the record.
func (w *world) plan(text string) (*plan.Plan, plan.Planner) {
	w.t.Helper()
	set, err := object.Load(strings.NewReader(w.docs(text)), "test.yaml")
	require.NoError(w.t, err)
	record, err := w.store.Read(w.t.Context(), w.manifest)
	require.NoError(w.t, err)
	planner := plan.Planner{Cluster: w.client, Policy: w.planned}
	p, err := planner.Plan(w.t.Context(), []plan.Input{{Manifest: w.manifest, Objects: set.Objects, Record: record}})
	require.NoError(w.t, err)
	return p, planner
}

// apply plans and runs.
func (w *world) apply(text string) Result {
	w.t.Helper()
	p, planner := w.plan(text)
	return w.run(w.t.Context(), p, planner)
}

func (w *world) run(ctx context.Context, p *plan.Plan, planner plan.Planner) Result {
	w.t.Helper()
	graph, err := plan.Order(p.Objects)
	require.NoError(w.t, err)
	session, err := w.store.Begin(w.t.Context(), w.manifest, "apply")
	require.NoError(w.t, err)
	defer func() { _ = session.End(context.WithoutCancel(ctx)) }()
	w.events = nil
	e := &Executor{
		Client: w.client, Sessions: map[string]Session{w.manifest: session}, Policy: w.policy,
		Replan: planner.Replan, InputKey: planner.InputKey,
		Events: func(e Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.events = append(w.events, e)
		},
	}
	if w.executor != nil {
		w.executor(e)
	}
	result, err := e.Run(ctx, p, graph)
	require.NoError(w.t, err)
	return result
}

// requireEmpty checks that nothing is left to do.
func (w *world) requireEmpty(text string) {
	w.t.Helper()
	p, _ := w.plan(text)
	for _, o := range p.Objects {
		require.Equal(w.t, plan.OpNone, o.Op, "%s: %v %s", o.Ref, o.Differences, o.Reason)
	}
}

func (w *world) reasons(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, e := range w.events {
		if e.Name == name {
			all = append(all, string(e.Type)+" "+e.Reason)
		}
	}
	return strings.Join(all, "\n")
}

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
	assert.Equal(t, VerdictFailed, r.Verdict)
	assert.Equal(t, Counts{Failed: 1, Skipped: 2}, r.Counts)
	assert.Contains(t, of(r, w.ns).Reason, "it is being deleted (held by kubernetes")

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

	w.policy.ObjectTimeout = 45 * time.Second
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
	assert.Contains(t, details, "event BackoffLimitExceeded")
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

// C05: another manager's field is refused, with its name and the field's.
func TestLiveFieldConflict(t *testing.T) {
	w := newWorld(t)
	w.make(w.namespace()+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: NS}, data: {a: theirs, b: same}}", "operator")
	ours := "{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: NS}, data: {a: ours}}\n---\n" +
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: NS}}"
	p, planner := w.plan(ours)
	for _, o := range p.Objects {
		if o.Op == plan.OpRefuse { // the plan sees it already; see what the server says
			o.Op, o.Force = plan.OpUpdate, false
		}
	}
	r := w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictRefused, r.Verdict)
	assert.Equal(t, OutcomeApplied, of(r, "free").Outcome)
	assert.Equal(t, `conflict: data.a is owned by "operator"`, of(r, "owned").Reason)
}

// Somebody changes the object between plan and apply.
func TestLiveChangedSinceTheDiff(t *testing.T) {
	const was = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: NS}, data: {a: \"1\", b: \"1\"}}"
	const now = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: NS}, data: {a: \"2\", b: \"1\"}}"
	for name, c := range map[string]struct {
		patch   string
		outcome Outcome
	}{
		"elsewhere":        {`{"metadata":{"labels":{"x":"y"}}}`, OutcomeApplied},
		"the same field":   {`{"data":{"a":"3"}}`, OutcomeRefused},
		"the same change":  {`{"data":{"a":"2"}}`, OutcomeApplied},
		"another of ours":  {`{"data":{"b":"3"}}`, OutcomeRefused},
		"deleted":          {"", OutcomeFailed},
		"nothing happened": {`{}`, OutcomeApplied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			require.Equal(t, VerdictDone, w.apply(w.namespace()+"\n---\n"+was).Verdict)
			p, planner := w.plan(w.namespace() + "\n---\n" + now)
			if c.patch == "" {
				require.NoError(t, w.client.Delete(t.Context(), w.mapping("v1", "ConfigMap"), w.ns, "c", cluster.DeleteOptions{}))
			} else {
				w.patch("v1", "ConfigMap", "c", "", c.patch)
			}
			r := w.run(t.Context(), p, planner)
			if name == "the same change" {
				assert.Contains(t, []Outcome{OutcomeApplied, OutcomeUnchanged}, of(r, "c").Outcome)
				return
			}
			assert.Equal(t, c.outcome, of(r, "c").Outcome, of(r, "c").Reason)
			switch c.outcome {
			case OutcomeFailed:
				assert.Contains(t, of(r, "c").Reason, "changed since the diff")
			case OutcomeRefused:
				assert.Contains(t, of(r, "c").Reason, `is owned by "another"`)
				assert.Equal(t, "3", fmt.Sprint(dataOf(w.get("v1", "ConfigMap", "c"))[strings.Trim(c.patch[9:11], `"`)]), "nothing of theirs is lost")
			}
			if name == "deleted" {
				assert.Nil(t, w.get("v1", "ConfigMap", "c"), "a deleted object is not made anew")
			}
		})
	}
}

func dataOf(u *unstructured.Unstructured) map[string]any {
	data, _ := u.Object["data"].(map[string]any)
	return data
}

// P07: the object was deleted and made again by somebody else.
func TestLivePruneOfANamesake(t *testing.T) {
	w := newWorld(t)
	text := w.namespace() + "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: swap, namespace: NS}}"
	require.Equal(t, VerdictDone, w.apply(text).Verdict)
	p, planner := w.plan(w.namespace())
	require.NoError(t, w.client.Delete(t.Context(), w.mapping("v1", "ConfigMap"), w.ns, "swap", cluster.DeleteOptions{}))
	w.make("{apiVersion: v1, kind: ConfigMap, metadata: {name: swap, namespace: NS}, data: {mine: \"1\"}}", "somebody")
	r := w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictDone, r.Verdict)
	assert.NotNil(t, w.get("v1", "ConfigMap", "swap"))
	w.requireEmpty(w.namespace())
}

// P09: the old generated ConfigMap goes after its users have moved on.
func TestLivePruneAfterTheRollout(t *testing.T) {
	w := newWorld(t)
	text := func(conf, fate string) string {
		return w.namespace() + `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: conf-` + conf + `, namespace: NS}, data: {v: "1"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: uses-conf, namespace: NS}
spec:
  selector: {matchLabels: {app: uses-conf}}
  template:
    metadata: {labels: {app: uses-conf}, annotations: {` + fate + `}}
    spec: {containers: [{name: main, image: a, envFrom: [{configMapRef: {name: conf-` + conf + `}}]}]}
`
	}
	require.Equal(t, VerdictDone, w.apply(text("a", "")).Verdict)
	w.policy.ObjectTimeout = 4 * time.Second
	stuck := text("b", "standin.tazuna.dev/ready-after: 1h")
	r := w.apply(stuck)
	assert.Equal(t, VerdictFailed, r.Verdict)
	assert.Equal(t, OutcomeRefused, of(r, "conf-a").Outcome)
	assert.NotNil(t, w.get("v1", "ConfigMap", "conf-a"))

	r = w.apply(stuck)
	assert.Equal(t, OutcomeRefused, of(r, "conf-a").Outcome, "still stuck, though nothing changes")
	assert.NotNil(t, w.get("v1", "ConfigMap", "conf-a"))

	w.policy.ObjectTimeout = 45 * time.Second
	r = w.apply(text("b", ""))
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Nil(t, w.get("v1", "ConfigMap", "conf-a"))
}

// M05: what can't be updated in place is replaced in one run, where allowed.
func TestLiveReplace(t *testing.T) {
	w := newWorld(t)
	text := func(v string) string {
		return w.namespace() + `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: frozen, namespace: NS}, immutable: true, data: {a: "` + v + `"}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: NS}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "a:` + v + `"}]}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: NS}, data: {a: "` + v + `"}}
`
	}
	require.Equal(t, VerdictDone, w.apply(text("1")).Verdict)
	frozen, job := w.get("v1", "ConfigMap", "frozen"), w.get("batch/v1", "Job", "once")

	w.planned.Recreate = false
	r := w.apply(text("2"))
	assert.Equal(t, OutcomeRefused, of(r, "frozen").Outcome)
	assert.Equal(t, OutcomeApplied, of(r, "free").Outcome, "the others are tried")
	assert.Equal(t, frozen.GetUID(), w.get("v1", "ConfigMap", "frozen").GetUID())

	w.planned.Recreate = true
	r = w.apply(text("2"))
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 2, r.Counts.Replaced)
	assert.NotEqual(t, frozen.GetUID(), w.get("v1", "ConfigMap", "frozen").GetUID())
	assert.NotEqual(t, job.GetUID(), w.get("batch/v1", "Job", "once").GetUID())
	w.requireEmpty(text("2"))
}

// A status in the files follows as a patch of its own.
func TestLiveStatus(t *testing.T) {
	w := newWorld(t)
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.dID.example}
spec:
  group: dID.example
  scope: Namespaced
  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: LampList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
            status: {type: object, properties: {lit: {type: boolean}}}
---
`
	text := w.namespace() + "\n---\n" + crd + "{apiVersion: dID.example/v1, kind: Lamp, metadata: {name: l, namespace: NS}, spec: {w: 5}, status: {lit: true, odd: 1}}"
	r := w.apply(text)
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	lit, _, _ := unstructured.NestedBool(w.get(w.docs("dID.example/v1"), "Lamp", "l").Object, "status", "lit")
	assert.True(t, lit)
	assert.Contains(t, strings.Join(r.Warnings, "\n"), "the server did not take status.odd")
	w.apply("")
}

// An interrupt in the middle of many objects leaves a record that the next run
// completes.
func TestLiveInterruptAndGoOn(t *testing.T) {
	w := newWorld(t)
	text := w.namespace()
	for i := range 200 {
		text += fmt.Sprintf("\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: NS}}", i)
	}
	p, planner := w.plan(text)
	ctx, cancel := context.WithCancel(t.Context())
	w.executor = func(e *Executor) {
		inner, applied := e.Events, 0
		e.Concurrency = 4
		e.Events = func(ev Event) {
			if ev.Type == EventApplied {
				if applied++; applied == 40 {
					cancel()
				}
			}
			inner(ev)
		}
	}
	r := w.run(ctx, p, planner)
	require.True(t, r.Interrupted)
	assert.GreaterOrEqual(t, r.Counts.Created, 40)
	assert.LessOrEqual(t, r.Counts.Created, 50)
	assert.Equal(t, 201-r.Counts.Created, len(r.Left))

	w.executor = nil
	again := w.apply(text)
	assert.Equal(t, VerdictDone, again.Verdict)
	assert.Equal(t, 201, again.Counts.Created+r.Counts.Created)
	w.requireEmpty(text)
}

// A thousand objects cost a request each, and a constant.
func TestLiveRequestsOfAFirstInstall(t *testing.T) {
	w := newWorld(t)
	text := w.namespace()
	for i := range 300 {
		text += fmt.Sprintf("\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: NS}, data: {a: b}}", i)
	}
	counted := &counting{Client: w.client}
	w.executor = func(e *Executor) { e.Client = counted }
	r := w.apply(text)
	require.Equal(t, 301, r.Counts.Created)
	assert.Equal(t, int64(301), counted.calls.Load())
}
