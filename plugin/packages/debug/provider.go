package debug

import (
	"context"
	"errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// ErrNotLoaded is of an application whose package isn't loaded (yet).
var ErrNotLoaded = errors.New("its package is not loaded")

// Provider is what is looked into: the runtime of a controller. Names are
// NAMESPACE.INSTANCE. Nothing of what it gives has to be masked. Its methods are
// called by several goroutines, and must not wait for tasks that run.
type Provider interface {
	// Names lists the applications.
	Names() []string
	// Instance tells everything about one; ok is false if there is none.
	Instance(name string) (i report.Instance, ok bool)
	// Snapshots gives what its hooks see; nil while the package isn't loaded.
	Snapshots(name string) map[string]map[string]live.State
	// Render renders its templates with the present values. Errors: ErrNotLoaded,
	// render.ErrNoChart, those of templates.
	Render(ctx context.Context, name string) ([]object.Object, error)
	// Diff compares what it would render to with the cluster. Errors: ErrNotLoaded,
	// render.ErrNoChart, those of settings, bundles and templates. Of an error the
	// Comparison may still hold Secrets.
	Diff(ctx context.Context, name string, w Wanted) (Comparison, error)
	// Hide says what may not be shown of it.
	Hide(name string) Hide
	// Journal has the last lines of the log; nil if none are kept.
	Journal() *journal.Journal
	// Queues gives the queues of one instance; "" is those of all.
	Queues(name string) queue.Dump
	// Scheduler gives the graph.
	Scheduler() schedule.Dump
}

// Wanted is what an application is asked to be; the zero value is what it is.
type Wanted struct {
	// Version is that of its package; "" is the one of the Application.
	Version string
	// Settings are those that a user would give; nil are those of the Application.
	Settings map[string]any
}

// Comparison is what an apply would do.
type Comparison struct {
	Plan *plan.Plan
	// Secrets are to be hidden beside those of Hide.
	Secrets []map[string]any
}

// Hide says what of an application may not be shown.
type Hide struct {
	// Values masks settings or values, by the schemas of the package; nil hides
	// nothing, as for a package without schemas.
	Values func(values map[string]any) map[string]any
	// Secrets hold the values that may not be in any text, such as those that the
	// schemas mark, as data of Secrets (output.SecretOf).
	Secrets []map[string]any
}
