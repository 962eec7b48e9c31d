package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// Options are what a Runtime works with. All parts are needed.
type Options struct {
	Bundles  Bundles
	Releases Releases
	Drift    Drift
	Orphans  Orphans
	Health   Health
	Hooks    Hooks
	Cluster  Cluster
	Store    *status.Store
	// Changed is told when Remove would give another answer; it must not block.
	Changed func(name string)

	// Dir is where bundles are kept.
	Dir string
	// Scratch is on the same disk; nil: the Runtime has its own.
	Scratch *Scratch
	// Namespaces are those that are looked after; none: all. Releases elsewhere are left
	// alone.
	Namespaces []string
	// Run says how hooks run, and what they may touch.
	Run instance.HookOptions

	Clock clock.Clock // that of the system if it is nil
	Retry queue.Retry // queue.DefaultRetry if it is zero
	Log   *slog.Logger
	// Lines are the last ones of Log, for who asks; nil: none are kept.
	Lines *journal.Journal
	// Shutdown is how long tasks may take to end; zero: DefaultShutdown.
	Shutdown time.Duration
	// Rendering is how long the templates of an application may take; zero:
	// DefaultRendering.
	Rendering time.Duration
	// Download is how long a bundle may take to be fetched; zero: DefaultDownload.
	Download time.Duration
}

// DefaultDownload is how long a bundle may take to be fetched: a registry that sends a byte
// now and then is one that doesn't answer.
const DefaultDownload = 30 * time.Minute

// DefaultShutdown is how long tasks may take to end when the controller stops.
const DefaultShutdown = 25 * time.Second

// Runtime runs applications. Its methods may be called by several goroutines, and don't
// wait for what they begin, Run aside.
type Runtime struct {
	Options
	queues *queue.Set
	shelf  instance.Shelf
	disk   *disk
	// ctx ends all operations.
	ctx  context.Context //nolint:containedctx // operations outlive the calls that begin them
	stop context.CancelCauseFunc

	// mu is never held while anything is waited for.
	mu        sync.Mutex
	apps      map[string]*app
	removed   map[string]bool
	scheduler *schedule.Scheduler
	platform  map[string]any
	// loops are renderings that were given up and go on, by application.
	loops map[string]*rendering
}

// New makes a Runtime without applications.
func New(o Options) (*Runtime, error) {
	switch {
	case o.Bundles == nil, o.Releases == nil, o.Drift == nil, o.Orphans == nil, o.Health == nil, o.Hooks == nil, o.Cluster == nil, o.Store == nil:
		return nil, errors.New("runtime: Bundles, Releases, Drift, Orphans, Health, Hooks, Cluster and Store are needed")
	case o.Dir == "":
		return nil, errors.New("runtime: a directory for bundles is needed")
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Shutdown == 0 {
		o.Shutdown = DefaultShutdown
	}
	if o.Rendering == 0 {
		o.Rendering = DefaultRendering
	}
	if o.Download == 0 {
		o.Download = DefaultDownload
	}
	d, err := openDisk(o.Dir, o.Scratch)
	if err != nil {
		return nil, err
	}
	if o.Run.TempDir == "" {
		o.Run.TempDir = d.temp()
	}
	r := &Runtime{
		Options: o, disk: d, apps: map[string]*app{}, removed: map[string]bool{}, loops: map[string]*rendering{}, scheduler: schedule.New(),
		queues: queue.New(queue.Options{Clock: o.Clock, Retry: o.Retry, Log: o.Log}),
	}
	r.ctx, r.stop = context.WithCancelCause(context.Background())
	return r, nil
}

// Run works until the context ends, and returns when all that it began has ended.
// applications are all that there are: what was installed for others before is removed.
func (r *Runtime) Run(ctx context.Context, applications []Desired) error {
	watching, unwatch := context.WithCancel(ctx)
	var drifting sync.WaitGroup
	drifting.Go(func() { r.Drift.Run(watching) })
	failed := r.preflight(ctx, applications)
	if failed == nil {
		r.mu.Lock()
		r.dispatch(r.scheduler.Resume())
		r.mu.Unlock()
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		failed = nil // it ends before it has looked
	}
	unwatch()
	drifting.Wait()
	return errors.Join(failed, r.close())
}

// close ends everything.
func (r *Runtime) close() error {
	r.stop(&lifecycle.CanceledError{Cause: lifecycle.Stopped})
	ctx, cancel := context.WithTimeoutCause(context.Background(), r.Shutdown, fmt.Errorf("tasks have not ended within %s", r.Shutdown))
	defer cancel()
	err := r.queues.Close(ctx, &lifecycle.CanceledError{Cause: lifecycle.Stopped})
	r.mu.Lock()
	apps := make([]*app, 0, len(r.apps))
	for _, a := range r.apps {
		apps = append(apps, a)
	}
	r.mu.Unlock()
	for _, a := range apps {
		r.Health.Forget(a.namespace, a.instance)
		if monitor := r.takeMonitor(a); monitor != nil {
			monitor.Stop()
		}
		if loaded := r.takeLoaded(a); loaded != nil {
			err = errors.Join(err, loaded.Close())
		}
	}
	return errors.Join(err, r.disk.close())
}

// SetFacts tells what the cluster has.
func (r *Runtime) SetFacts(f Facts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.scheduler.SetFacts(schedule.Facts{Kubernetes: f.Kubernetes, Deckhouse: f.Platform, Bootstrapped: f.Bootstrapped})
	more, err := r.scheduler.SetModules(f.nodes())
	if err != nil {
		r.Log.Error("some modules count as absent", "error", err.Error())
	}
	r.dispatch(append(events, more...))
}

// SetPlatform tells what templates see as .Platform besides its defaults. Applications
// see it with their next run.
func (r *Runtime) SetPlatform(values map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.platform = values
}

// Update says what an application is to be. The same again is no news.
func (r *Runtime) Update(d Desired) error {
	name := d.InstanceName()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.removed, name)
	a, known := r.apps[name]
	var before *lifecycle.Desired
	if known {
		asked := a.desired.asked()
		before = &asked
	} else {
		a = newApp(d)
		r.apps[name] = a
		r.queues.Open(name)
	}
	if a.operations.Removing() {
		return nil // it goes on; what comes after it is another application
	}
	decision := lifecycle.Decide(before, d.asked())
	a.desired = d
	r.tellMaintenance(a)
	switch decision.Kind {
	case lifecycle.Replace:
		r.Log.Info("update", "application", name, "version", d.Version, "because", decision.Triggers)
		r.replace(a)
	case lifecycle.Reconfigure:
		r.again(a, decision.Triggers[0])
	case lifecycle.Nothing:
	}
	return nil
}

// Remove has an application removed, and tells whether that is done. It may be called
// any number of times.
func (r *Runtime) Remove(d Desired) (done bool, err error) {
	name := d.InstanceName()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.removed[name] {
		return true, nil
	}
	a, known := r.apps[name]
	if !known {
		a = newApp(d)
		r.apps[name] = a
		r.queues.Open(name)
	}
	ctx, first := a.operations.Remove(r.ctx)
	if !first {
		return false, nil
	}
	r.Log.Info("removal", "application", name)
	r.Store.Forget(name, append(ofRun(), status.Pending, status.RequirementsMet, status.ReadyOnFilesystem, status.Loaded)...)
	r.dispatch(r.scheduler.Remove(name))
	if !known && d.Package != "" {
		r.attempt(ctx, a, r.download(a))
		r.attempt(ctx, a, r.load(a, false))
	}
	r.add(ctx, a, task{name: "Remove", do: func(context.Context) error { return nil }, done: func() { r.teardown(ctx, a) }})
	return false, nil
}

// tellMaintenance reports whether an application is in maintenance.
func (r *Runtime) tellMaintenance(a *app) {
	c := status.False(status.MaintenanceMode, "", "")
	if a.desired.Maintenance {
		c = status.TrueBecause(status.MaintenanceMode, "NoResourceReconciliation", "objects are left to people: nothing is applied")
	}
	r.Store.Set(a.name, c)
}
