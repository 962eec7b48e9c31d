package serve

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/drift"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/health"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/orphans"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/release"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/runtime"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// Options say how a controller works.
type Options struct {
	Client *cluster.Client
	// Config is that of the watches of our own kinds.
	Config *rest.Config
	// Dir has the bundles.
	Dir string
	// CacheDir keeps what registries gave; empty: nothing is kept.
	CacheDir string
	// Socket is where questions are answered; empty: nowhere.
	Socket string
	// Namespaces are those that are looked after; none: all.
	Namespaces []string
	// PlatformVersion is what requirements on the platform are held against.
	PlatformVersion string
	SystemNamespace string
	LeaderElection  bool
	// InstallDefinitions writes our CustomResourceDefinitions first.
	InstallDefinitions            bool
	MetricsAddress, HealthAddress string
	// ApplyLimit bounds one apply; 0: release.DefaultLimit.
	ApplyLimit time.Duration
	// DriftInterval is the least time between two looks for what no watch tells: missing
	// objects, the version of Kubernetes, its kinds; 0: drift.Period.
	DriftInterval time.Duration
	// Timing is that of the controller; zero fields take its defaults.
	Timing controller.Timing
	Hooks  instance.HookOptions
	// Admission says how Applications are judged before they are stored.
	Admission Admission
	UserAgent string
	// Version is that of the program, for the leader's Lease; may be empty.
	Version string
	// Pod is the name of the Pod that it runs in, for the leader's Lease; may be empty.
	Pod string
	Log *slog.Logger
	// Lines are the last ones of Log, for who asks; nil: none are kept.
	Lines *journal.Journal
	// Ready is called once this process leads and answers; may be nil.
	Ready func()
}

// Run looks after the applications of a cluster until the context ends.
func Run(ctx context.Context, o Options) (err error) {
	changes := &controller.Changes{}
	w := &worker{options: o}
	w.store = status.NewStore(clock.RealClock{}, changes.Changed)
	w.pool = &follow.Pool{Client: o.Client, Panicked: func(cause any, stack []byte) {
		o.Log.Error("an event was lost: what heard of it panicked", "cause", object.PanicText(cause), "stack", string(stack))
	}}
	w.health = &health.Monitor{Pool: w.pool, Namespaces: o.Namespaces, Report: func(name string, c status.Condition) { w.store.Set(name, c) }}
	scratch, err := runtime.OpenScratch(o.Dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()
	w.scratch = scratch
	catalogs := catalog.Options{CacheDir: o.CacheDir, TempDir: scratch.Dir(), UserAgent: o.UserAgent, Warn: w.warn}
	if err := w.assemble(changes, catalogs); err != nil {
		return err
	}
	if err := w.label(ctx, false); err != nil {
		return err
	}
	o.Timing.Look = o.DriftInterval
	return controller.Run(ctx, controller.Options{
		Config: o.Config, Runtime: w, Store: w.store, Changes: changes, ForgetKinds: o.Client.ForgetKinds, Timing: o.Timing,
		Queues:     func() queue.Dump { return w.Queues("") },
		Open:       func(spec api.RegistrySpec) (catalog.Catalog, error) { return catalog.Open(spec, catalogs) },
		Namespaces: o.Namespaces, PlatformVersion: o.PlatformVersion, SystemNamespace: o.SystemNamespace, Version: o.Version, Pod: o.Pod,
		LeaderElection: o.LeaderElection, InstallDefinitions: o.InstallDefinitions,
		MetricsAddress: o.MetricsAddress, HealthAddress: o.HealthAddress, Log: o.Log,
	}, nil)
}

// worker is the Runtime with all that has to work while it does.
type worker struct {
	*runtime.Runtime
	options Options
	store   *status.Store
	pool    *follow.Pool
	health  *health.Monitor
	scratch *runtime.Scratch
}

func (w *worker) warn(text string) { w.options.Log.Warn(text) }

// assemble makes the Runtime.
func (w *worker) assemble(changes *controller.Changes, catalogs catalog.Options) error {
	o := w.options
	monitor := &drift.Monitor{
		Cluster: o.Client, Random: rand.N[time.Duration], Every: o.DriftInterval,
		Failed: func(err error) { o.Log.Warn("missing objects could not be looked for", "error", err.Error()) },
	}
	made, err := runtime.New(runtime.Options{
		Bundles:  runtime.Catalogs{Options: catalogs},
		Releases: &release.Service{Cluster: o.Client, Limit: o.ApplyLimit, Namespaces: o.Namespaces},
		Drift:    monitor,
		Orphans:  &orphans.Purger{Cluster: o.Client, Log: o.Log},
		Health:   w.health,
		Hooks: runtime.LiveHooks{
			Sink:    &live.Sink{Client: o.Client, Kinds: &live.Kinds{Discovery: o.Client}, Manager: controller.FieldManager},
			Watches: w.pool,
		},
		Cluster: &runtime.LiveCluster{Client: o.Client, Warn: w.warn},
		Store:   w.store, Changed: changes.Changed,
		Dir: o.Dir, Scratch: w.scratch, Namespaces: o.Namespaces, Run: o.Hooks, Log: o.Log, Lines: o.Lines,
	})
	if err != nil {
		return err
	}
	monitor.Missing = made.Missing
	w.Runtime = made
	return nil
}

// Run works while this process leads.
func (w *worker) Run(ctx context.Context, applications []runtime.Desired) error {
	if err := w.health.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // it ends before it began
		}
		return err
	}
	defer w.health.Stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, answered := make(chan struct{}), make(chan error, 1)
	go func() { answered <- w.answer(ctx, cancel, func() { close(ready) }) }()
	select {
	case err := <-answered:
		return err // nobody could look into it
	case <-ready:
	}
	admitted := make(chan error, 1)
	go func() {
		defer cancel() // without it, what is refused elsewhere would be let through
		admitted <- w.admit(ctx)
	}()
	w.ready()
	err := w.Runtime.Run(ctx, applications)
	cancel()
	return errors.Join(err, <-answered, <-admitted)
}

// answer answers questions. That it can't any more ends the work.
func (w *worker) answer(ctx context.Context, end func(), ready func()) error {
	if w.options.Socket == "" {
		ready()
		<-ctx.Done()
		return nil
	}
	defer end()
	return debug.Serve(ctx, w.options.Socket, w.Runtime, ready)
}

func (w *worker) ready() {
	w.options.Log.Info("ready", "socket", w.options.Socket)
	if w.options.Ready != nil {
		w.options.Ready()
	}
}
