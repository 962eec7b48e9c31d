//go:build unix

package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/health"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/orphans"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// The live tests need a real control plane with controllers and nodes, see
// test/controlplane; TAZUNA_TEST_KUBECONFIG names one. Each has a namespace of its own.

// patience is how long something may take that has to come.
const patience = 90 * time.Second

// world is a controller's corner of a cluster, with packages on the disk.
type world struct {
	t       *testing.T
	client  *cluster.Client
	ns      string
	dir     string // of the runtime
	journal string // what hooks wrote
	bundles map[string]string
	// settings of the next start
	retry queue.Retry
	limit time.Duration
	// hang is how long a download may take that never ends; zero: they all end
	hang time.Duration
	// rendering is how long templates may take
	rendering time.Duration

	*Runtime
	store *status.Store
	stop  func()

	mu      sync.Mutex
	changed map[string]int
	fails   error // of downloads
	logged  strings.Builder
}

// Bundle implements Bundles.
func (w *world) Bundle(ctx context.Context, _ api.RegistrySpec, name, version string) (*source.Package, error) {
	w.mu.Lock()
	dir, ok := w.bundles[name+" "+version]
	fails := w.fails
	w.mu.Unlock()
	switch {
	case w.hang > 0:
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case fails != nil:
		return nil, fails
	case !ok:
		return nil, fmt.Errorf("there is no %s of %s", version, name)
	}
	return source.Opener{}.Open(ctx, dir)
}

// Write takes the log.
func (w *world) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logged.Write(line)
}

func (w *world) log() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.logged.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	t.Parallel()
	flags := cluster.Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	client, err := cluster.Connect(cluster.Options{Getter: flags, FieldManager: "tazuna-packages", CacheDir: cache})
	require.NoError(t, err)
	w := &world{
		t: t, client: client, ns: fmt.Sprintf("run-%x", rand.Uint32()), dir: t.TempDir(), bundles: map[string]string{},
		journal: filepath.Join(t.TempDir(), "journal"), retry: queue.Retry{First: 300 * time.Millisecond, Max: time.Second},
	}
	w.create(fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", w.ns))
	t.Cleanup(func() {
		if w.stop != nil {
			w.stop()
		}
		if t.Failed() {
			t.Log(w.log())
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = client.Delete(ctx, w.mapping("v1", "Namespace"), "", w.ns, cluster.DeleteOptions{})
	})
	return w
}

// start begins a controller for the applications that there are, and submits them.
func (w *world) start(all ...Desired) {
	w.t.Helper()
	w.begin(all...)
	for _, d := range all {
		require.NoError(w.t, w.Update(d))
	}
}

// begin begins a controller that knows which applications there are.
func (w *world) begin(all ...Desired) {
	w.t.Helper()
	w.changed = map[string]int{}
	w.store = status.NewStore(clock.RealClock{}, nil)
	log := slog.New(slog.NewTextHandler(w, nil))
	pool := &follow.Pool{Client: w.client}
	workloads := &health.Monitor{Pool: pool, Report: func(name string, c status.Condition) { w.store.Set(name, c) }}
	missing := &drift.Monitor{Cluster: w.client}
	r, err := New(Options{
		Bundles: w, Releases: &release.Service{Cluster: w.client, Limit: w.limit}, Drift: missing,
		Orphans: &orphans.Purger{Cluster: w.client, Log: log}, Health: workloads,
		Hooks:   LiveHooks{Sink: &live.Sink{Client: w.client, Kinds: &live.Kinds{Discovery: w.client}}, Watches: pool},
		Cluster: &LiveCluster{Client: w.client}, Store: w.store, Dir: w.dir, Namespaces: []string{w.ns}, Retry: w.retry, Log: log, Download: w.hang, Rendering: w.rendering,
		Run: instance.HookOptions{Env: hook.BaseEnv(os.Environ()), TempDir: w.t.TempDir()},
		Changed: func(name string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.changed[name]++
		},
	})
	require.NoError(w.t, err)
	missing.Missing = r.Missing
	require.NoError(w.t, workloads.Start(w.t.Context()))
	w.Runtime = r
	w.modules("ingress")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx, all) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(w.t, <-ended)
		workloads.Stop()
		assert.Zero(w.t, pool.Watches(), "no watch is left")
	})
}

// modules says which modules are enabled.
func (w *world) modules(names ...string) {
	f := Facts{Kubernetes: "v1.37.2", Platform: "v1.70.0", Bootstrapped: true, Modules: map[string]string{}}
	for _, name := range names {
		f.Modules[name] = "v1.2.0"
	}
	w.SetFacts(f)
}

func (w *world) desired(name, version string) Desired {
	return Desired{Namespace: w.ns, Name: name, Repository: "main", Package: "store", Version: version}
}

func (w *world) update(d Desired) {
	w.t.Helper()
	require.NoError(w.t, w.Update(d))
}

// waitFor waits for something that the controller brings about.
func (w *world) waitFor(what string, is func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); !is(); {
		if time.Now().After(deadline) {
			w.t.Log(w.Queues(""), w.Scheduler())
			require.FailNow(w.t, "it never came: "+what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (w *world) condition(d Desired, of status.Type) status.Condition {
	known, _ := w.store.Get(d.InstanceName())
	return known.Get(of)
}

// ready waits until an application has this version applied, and its workloads run.
func (w *world) ready(d Desired) status.Internal {
	w.t.Helper()
	w.waitFor(d.InstanceName()+" is applied", func() bool {
		known, _ := w.store.Get(d.InstanceName())
		return known.Is(status.ManifestsApplied) && known.Is(status.Scaled) && known.Applied != nil &&
			known.Applied.Version == d.Version && w.Queues(d.InstanceName()).Queues[d.InstanceName()].Length == 0
	})
	known, _ := w.store.Get(d.InstanceName())
	return known
}

// gone waits until the removal of an application is done.
func (w *world) gone(d Desired) {
	w.t.Helper()
	w.waitFor(d.InstanceName()+" is removed", func() bool {
		done, err := w.Remove(d)
		require.NoError(w.t, err)
		return done
	})
}

func (w *world) mapping(apiVersion, kind string) cluster.Mapping {
	gv, err := schema.ParseGroupVersion(apiVersion)
	require.NoError(w.t, err)
	m, err := w.client.Mapping(context.Background(), schema.GroupKind{Group: gv.Group, Kind: kind}, gv.Version)
	require.NoError(w.t, err)
	return m
}

// create writes objects as somebody else.
func (w *world) create(text string) {
	w.t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(w.t, err)
	for _, o := range set.Objects {
		m := w.mapping(o.GVK().GroupVersion().String(), o.GVK().Kind)
		u := o.Unstructured()
		if m.Namespaced {
			u.SetNamespace(w.ns)
		}
		_, err := w.client.Apply(w.t.Context(), m, u.Object, cluster.ApplyOptions{Manager: "somebody", Force: true})
		require.NoError(w.t, err)
	}
}

// get reads an object; nil if there is none.
func (w *world) get(apiVersion, kind, name string) *unstructured.Unstructured {
	w.t.Helper()
	u, err := w.client.Get(w.t.Context(), w.mapping(apiVersion, kind), w.ns, name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(w.t, err)
	return u
}

// data reads one key of a ConfigMap; "" if it isn't there.
func (w *world) data(name, key string) string {
	w.t.Helper()
	u := w.get("v1", "ConfigMap", name)
	if u == nil {
		return ""
	}
	text, _, err := unstructured.NestedString(u.Object, "data", key)
	require.NoError(w.t, err)
	return text
}

func (w *world) revision(d Desired) *release.Revision {
	w.t.Helper()
	last, err := w.Releases.Latest(w.t.Context(), d.Namespace, d.Name)
	require.NoError(w.t, err)
	return last
}

// hooksRan is what hooks have written down so far, and forgets it.
func (w *world) hooksRan() string {
	w.t.Helper()
	data, err := os.ReadFile(w.journal)
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(w.t, err)
	require.NoError(w.t, os.Remove(w.journal))
	return strings.Join(strings.Fields(string(data)), " ")
}

// shell is a hook with a configuration that does something and writes down its name.
func (w *world) shell(name, config, do string) string {
	return "#!/bin/sh\nif [ \"$1\" = --config ]; then\ncat <<'END'\nconfigVersion: v1\n" + config + "\nEND\nexit 0\nfi\necho " + name + " >> " + w.journal + "\n" + do + "\n"
}

const (
	definition = `apiVersion: v1
type: Application
name: store
version: %s
requirements:
  modules:
    mandatory: [{name: ingress, constraint: ">= 1.2.0"}]
`
	settingsSchema = `type: object
properties:
  replicas: {type: integer, default: 1, minimum: 0, maximum: 3}
  token: {type: string, format: password}
`
	valuesSchema = `x-extend: {schema: settings.yaml}
type: object
properties:
  orphanResources:
    type: array
    default: [{kind: ConfigMap, version: v1}]
    items: {type: object, properties: {kind: {type: string}, version: {type: string}}}
  internal:
    type: object
    default: {}
    properties:
      peers: {type: integer, default: 0}
`
	templates = `apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-{{ .Application.Instance.Name }}-server}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: d8a-{{ .Application.Instance.Name }}}}
  template:
    metadata: {labels: {app: d8a-{{ .Application.Instance.Name }}}}
    spec: {containers: [{name: server, image: registry.example.com/server}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: d8a-{{ .Application.Instance.Name }}-config}
data:
  version: "{{ .Application.Package.Version }}"
  replicas: "{{ .Values.replicas }}"
  peers: "{{ .Values.internal.peers }}"
`
)

// pack makes a version of the package "store". files are put over those that it has;
// an empty one is left out.
func (w *world) pack(version string, files map[string]string) {
	w.t.Helper()
	dir := w.t.TempDir()
	all := map[string]string{
		"package.yaml": fmt.Sprintf(definition, version), "templates/all.yaml": templates,
		"openapi/settings.yaml": settingsSchema, "openapi/values.yaml": valuesSchema,
		"hooks/start.sh":  w.shell("start", "onStartup: 1", ""),
		"hooks/before.sh": w.shell("before", "beforeHelm: 1", ""),
		"hooks/after.sh":  w.shell("after", "afterHelm: 1", ""),
		"hooks/down.sh":   w.shell("beforeDelete", "beforeDeleteHelm: 1", ""),
		"hooks/gone.sh":   w.shell("afterDelete", "afterDeleteHelm: 1", ""),
		"hooks/peers.sh": w.shell("peers", `kubernetes: [{name: peers, apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {peer: "yes"}}, jqFilter: .metadata.name}]`,
			`n=$(grep -o '"filterResult"' $BINDING_CONTEXT_PATH | wc -l)
grep -q '"type":"Event"' $BINDING_CONTEXT_PATH && n=7
echo '{"op":"add","path":"/internal/peers","value":'$((n))'}' > $VALUES_JSON_PATCH_PATH`),
	}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		if text == "" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
		mode := os.FileMode(0o644)
		if strings.HasPrefix(name, "hooks/") {
			mode = 0o755
		}
		require.NoError(w.t, os.WriteFile(path, []byte(text), mode))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bundles["store "+version] = dir
}
