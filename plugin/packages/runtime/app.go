package runtime

import (
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/instance"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/lifecycle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// app is what is known of one application. Runtime.mu guards what changes, and only
// tasks of its queue change more than desired.
type app struct {
	name, namespace, instance string
	operations                lifecycle.Operations

	desired Desired
	// dir is where the bundle of the desired version lies; "" before Download.
	dir string
	// loaded is nil while no package is loaded, monitor while its hooks are not watched
	// for.
	loaded  *instance.Instance
	monitor Monitor
	// runs are the last ones of the hooks of loaded.
	runs map[string]report.LastRun
	// armed: the hooks are called by what happens.
	armed bool
	// stale: the package has been suspended, and is loaded anew before it runs again.
	stale bool
	// applied are the effective settings of the last apply of this process, and its
	// version.
	applied        map[string]any
	appliedVersion string
	// unserved are hooks whose metrics have been told to be served by nobody.
	unserved map[string]bool
	// ran: objects have been applied, or may have been.
	ran bool
	// answers are what the programs of loaded that tell whether it is ready said last:
	// "" is yes. One that was not asked yet is missing.
	answers map[string]string
	// taken is how far Disable has come, so that another try goes on there.
	taken progress
}

// progress is how far a package has been taken away.
type progress int

const (
	nothingTaken progress = iota
	beforeDelete
	uninstalled
	afterDelete
)

func newApp(d Desired) *app {
	return &app{name: d.InstanceName(), namespace: d.Namespace, instance: d.Name, desired: d}
}

// view is what a task works with: as it was when the task began.
type view struct {
	desired Desired
	dir     string
	loaded  *instance.Instance
	monitor Monitor
	armed   bool
	change  values.Change
	// before tells that it was applied once, by this process or another.
	before bool
	taken  progress
}

func (r *Runtime) view(a *app) view {
	r.mu.Lock()
	defer r.mu.Unlock()
	applied, version := a.applied, a.appliedVersion
	if applied == nil && a.desired.AppliedVersion != "" {
		applied, version = a.desired.Applied, a.desired.AppliedVersion
	}
	return view{
		desired: a.desired, dir: a.dir, loaded: a.loaded, monitor: a.monitor, armed: a.armed, taken: a.taken,
		change: values.Change{Applied: applied, NewVersion: version != "" && version != a.desired.Version},
		before: a.ran || version != "",
	}
}

// set changes what is known of an application.
func (r *Runtime) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

func (r *Runtime) takeMonitor(a *app) Monitor {
	r.mu.Lock()
	defer r.mu.Unlock()
	monitor := a.monitor
	a.monitor, a.armed = nil, false
	return monitor
}

func (r *Runtime) takeLoaded(a *app) *instance.Instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	loaded := a.loaded
	a.loaded = nil
	return loaded
}
