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

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// The live tests of this package need a real control plane with controllers and nodes:
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
	w.policy.ObjectTimeout = 2 * time.Minute
	w.planned.Prune, w.planned.PruneProtected = true, true
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
	graph, err := plan.Order(p.Objects, nil)
	require.NoError(w.t, err)
	session, err := w.store.Begin(w.t.Context(), w.manifest, "apply")
	require.NoError(w.t, err)
	defer func() { _ = session.End(context.WithoutCancel(ctx)) }()
	w.events = nil
	e := &Executor{
		Client: w.client, Sessions: map[string]Session{w.manifest: session}, Policy: w.policy,
		Replan: planner.Replan, Proof: planner.Proof,
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
