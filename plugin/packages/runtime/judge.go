package runtime

import (
	"context"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// Requirements holds those of a package against the cluster, as if the application were
// added now. Nothing changes.
func (r *Runtime) Requirements(name string, wanted bundle.Requirements) schedule.Decision {
	r.mu.Lock()
	defer r.mu.Unlock()
	facts, modules := r.scheduler.Facts()
	if err := r.scheduler.Check(schedule.Node{Kind: schedule.Application, Name: name, Order: schedule.ApplicationOrder, Requirements: wanted}); err != nil {
		return schedule.Decision{Kind: schedule.Forbid, Reason: "DependencyCycle", Message: err.Error()}
	}
	return schedule.Decide(wanted, facts, modules)
}

// Live has the loaded package judge settings: rules that compare with old ones, and its
// own programs. asked is false where another version is loaded, or none. Nothing
// changes. Errors are scrubbed.
func (r *Runtime) Live(ctx context.Context, name, version string, settings map[string]any, change values.Change) (warnings []string, asked bool, err error) {
	v, ok := r.find(name)
	if !ok || v.loaded == nil || v.desired.Version != version {
		return nil, false, nil
	}
	warnings, err = v.loaded.Judge(ctx, settings, change)
	for i, w := range warnings {
		warnings[i] = v.loaded.Scrub(w)
	}
	if err != nil && ctx.Err() == nil {
		r.mu.Lock()
		a := r.apps[name]
		r.mu.Unlock()
		if a != nil {
			err = r.scrubbed(a, err)
		}
	}
	return warnings, true, err
}
