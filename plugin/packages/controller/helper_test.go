package controller

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	testregistry "github.com/google/go-containerregistry/pkg/registry"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/pack"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// patience is for how long a test waits for what has to happen.
const patience = 30 * time.Second

// stub is a Runtime that remembers what it was told, and reports what a test says.
type stub struct {
	mu       sync.Mutex
	started  []Desired
	updates  map[string][]Desired
	removals map[string]int
	gone     map[string]bool
	facts    []Facts
	platform map[string]any
	running  bool
}

func newStub() *stub {
	return &stub{updates: map[string][]Desired{}, removals: map[string]int{}, gone: map[string]bool{}}
}

func (s *stub) Run(ctx context.Context, applications []Desired) error {
	s.locked(func() { s.started, s.running = applications, true })
	<-ctx.Done()
	s.locked(func() { s.running = false })
	return nil
}

func (s *stub) Update(d Desired) error {
	s.locked(func() { s.updates[d.InstanceName()] = append(s.updates[d.InstanceName()], d) })
	return nil
}

func (s *stub) Remove(d Desired) (done bool, err error) {
	s.locked(func() { s.removals[d.InstanceName()]++; done = s.gone[d.InstanceName()] })
	return done, nil
}

func (s *stub) SetFacts(f Facts) { s.locked(func() { s.facts = append(s.facts, f) }) }

func (s *stub) SetPlatform(values map[string]any) { s.locked(func() { s.platform = values }) }

func (s *stub) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// last is what an application was last to be.
func (s *stub) last(name string) (d Desired, ok bool) {
	s.locked(func() {
		if all := s.updates[name]; len(all) > 0 {
			d, ok = all[len(all)-1], true
		}
	})
	return d, ok
}

// world is a controller at work on the control plane that the environment names, in a
// namespace of its own, and a registry.
type world struct {
	t       *testing.T
	id      string
	config  *rest.Config
	client  client.Client
	runtime *stub
	store   *status.Store
	host    string
	temp    string
	stop    func()
	ended   chan error
}

func newWorld(t *testing.T, change ...func(*Options)) *world {
	t.Helper()
	w := prepareWorld(t)
	w.stop = w.start(w.runtime, change...)
	return w
}

func prepareWorld(t *testing.T) *world {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	require.NoError(t, err)
	scheme, err := newScheme()
	require.NoError(t, err)
	w := &world{t: t, id: fmt.Sprintf("ctl-%x", time.Now().UnixNano()), config: config, runtime: newStub(), temp: t.TempDir()}
	w.client, err = client.New(config, client.Options{Scheme: scheme})
	require.NoError(t, err)
	require.NoError(t, w.client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.id}}))
	t.Cleanup(w.cleanup)
	server := httptest.NewServer(testregistry.New(testregistry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	w.host = strings.TrimPrefix(server.URL, "http://")
	return w
}

// cleanup leaves no object with a finalizer that nobody takes off.
func (w *world) cleanup() {
	ctx := context.WithoutCancel(w.t.Context())
	apps := &api.ApplicationList{}
	assert.NoError(w.t, w.client.List(ctx, apps, client.InNamespace(w.id)))
	versions := &api.ApplicationPackageVersionList{}
	assert.NoError(w.t, w.client.List(ctx, versions, client.MatchingLabels{api.LabelRepository: w.id}))
	var all []client.Object
	for i := range apps.Items {
		all = append(all, &apps.Items[i])
	}
	for i := range versions.Items {
		all = append(all, &versions.Items[i])
	}
	all = append(all, &api.PackageRepository{ObjectMeta: metav1.ObjectMeta{Name: w.id}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.id}})
	for _, o := range all {
		if len(o.GetFinalizers()) > 0 || o.GetName() == w.id && o.GetNamespace() == "" {
			err := w.client.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
			assert.NoError(w.t, client.IgnoreNotFound(err))
		}
		assert.NoError(w.t, client.IgnoreNotFound(w.client.Delete(ctx, o)))
	}
}

// start begins a controller; what it returns ends it.
func (w *world) start(runtime Runtime, change ...func(*Options)) func() {
	w.t.Helper()
	changes := &Changes{}
	store := status.NewStore(clock.RealClock{}, changes.Changed)
	w.store = store
	o := Options{
		Config: rest.CopyConfig(w.config), Runtime: runtime, Store: store, Changes: changes,
		Open: func(spec api.RegistrySpec) (catalog.Catalog, error) {
			return catalog.Open(spec, catalog.Options{TempDir: w.temp, Retry: registry.Retry{Attempts: 1}})
		},
		Namespaces: []string{w.id}, SystemNamespace: w.id, InstallDefinitions: true, Log: slog.New(slog.DiscardHandler),
		Timing: Timing{RetryMin: 50 * time.Millisecond, RetryMax: time.Second, StatusPause: 10 * time.Millisecond, Youth: 2 * time.Second},
	}
	o.Config.QPS = -1
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	ready, ended := make(chan struct{}), make(chan error, 1)
	w.ended = ended
	go func() { ended <- Run(ctx, o, func() { close(ready) }) }()
	var once sync.Once
	stop := func() {
		once.Do(func() {
			cancel()
			assert.NoError(w.t, <-ended)
		})
	}
	w.t.Cleanup(stop)
	if o.LeaderElection {
		return stop
	}
	select {
	case <-ready:
	case err := <-ended:
		ended <- err
		require.NoError(w.t, errors.Join(err, errors.New("the controller ended")))
	case <-time.After(patience):
		require.Fail(w.t, "the controller is not ready")
	}
	return stop
}

func (w *world) root() registry.Reference {
	return registry.Reference{Host: w.host, Repository: "packages"}
}

func (w *world) push(name, version, more string) {
	w.t.Helper()
	dir := w.t.TempDir()
	require.NoError(w.t, os.MkdirAll(filepath.Join(dir, "openapi"), 0o755))
	for file, text := range map[string]string{
		"package.yaml":          "apiVersion: v1\ntype: Application\nname: " + name + "\n" + more,
		"openapi/settings.yaml": "type: object\nproperties: {replicas: {type: integer, default: 1}}\n",
	} {
		require.NoError(w.t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
	}
	images, findings, err := pack.Build(os.DirFS(dir), pack.Options{Version: version})
	require.NoError(w.t, err, findings)
	c, err := registry.New(registry.Options{PlainHTTP: true})
	require.NoError(w.t, err)
	_, err = images.Push(w.t.Context(), repository.Repository{Client: c, Root: w.root()}, false)
	require.NoError(w.t, err)
}

// tag puts an artifact without content somewhere.
func (w *world) tag(ref registry.Reference) {
	w.t.Helper()
	c, err := registry.New(registry.Options{PlainHTTP: true})
	require.NoError(w.t, err)
	_, err = c.Push(w.t.Context(), ref, registry.Image{Type: "application/vnd.test"}, registry.PushOptions{Overwrite: true})
	require.NoError(w.t, err)
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	require.NoError(w.t, w.client.Create(w.t.Context(), o))
}

// repository makes the PackageRepository of this world.
func (w *world) repository() {
	w.t.Helper()
	w.create(&api.PackageRepository{
		ObjectMeta: metav1.ObjectMeta{Name: w.id},
		Spec:       api.PackageRepositorySpec{Registry: api.RegistrySpec{Repo: w.root().Name(), Scheme: "http"}},
	})
}

func (w *world) application(name, packageName, version string) *api.Application {
	return &api.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.id, Name: name},
		Spec:       api.ApplicationSpec{PackageName: packageName, PackageVersion: version, PackageRepositoryName: w.id},
	}
}

// eventually waits until something about an object holds. The text that check returns
// is what is missing; "" is nothing.
func eventually[T client.Object](w *world, o T, check func(T) string) T {
	w.t.Helper()
	missing := "it is not there"
	ok := assert.Eventually(w.t, func() bool {
		if err := w.client.Get(w.t.Context(), client.ObjectKeyFromObject(o), o); err != nil {
			missing = err.Error()
			return false
		}
		missing = check(o)
		return missing == ""
	}, patience, 20*time.Millisecond)
	require.True(w.t, ok, "%s %s: %s", fmt.Sprintf("%T", o), o.GetName(), missing)
	return o
}

func (w *world) waitFor(what string, holds func() bool) {
	w.t.Helper()
	require.Eventually(w.t, holds, patience, 20*time.Millisecond, what)
}

func conditionText(all []metav1.Condition) string {
	var texts []string
	for _, c := range all {
		texts = append(texts, c.Type+"="+string(c.Status)+"("+c.Reason+": "+c.Message+")")
	}
	slices.Sort(texts)
	return strings.Join(texts, " ")
}

func wantCondition(all []metav1.Condition, want ...string) string {
	text := conditionText(all)
	for _, w := range want {
		if !strings.Contains(text, w) {
			return fmt.Sprintf("wanted %q in %q", w, text)
		}
	}
	return ""
}

// labelled are the versions of a repository.
func labelled(repository string) client.MatchingLabels {
	return client.MatchingLabels{api.LabelRepository: repository}
}

// forget deletes a repository with all its versions, whoever holds them.
func (w *world) forget(p *api.PackageRepository) {
	ctx := context.WithoutCancel(w.t.Context())
	versions := &api.ApplicationPackageVersionList{}
	assert.NoError(w.t, w.client.List(ctx, versions, labelled(p.Name)))
	all := []client.Object{p}
	for i := range versions.Items {
		all = append(all, &versions.Items[i])
	}
	for _, o := range all {
		assert.NoError(w.t, client.IgnoreNotFound(w.client.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))))
		assert.NoError(w.t, client.IgnoreNotFound(w.client.Delete(ctx, o)))
	}
}
