package runtime

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

var _ debug.Provider = (*Runtime)(nil)

// Names lists the applications.
func (r *Runtime) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.apps))
}

func (r *Runtime) find(name string) (view, bool) {
	r.mu.Lock()
	a, ok := r.apps[name]
	r.mu.Unlock()
	if !ok {
		return view{}, false
	}
	return r.view(a), true
}

// Instance tells everything about one application. It holds secrets.
func (r *Runtime) Instance(name string) (i report.Instance, ok bool) {
	v, ok := r.find(name)
	if !ok {
		return i, false
	}
	d := v.desired
	known, _ := r.Store.Get(name)
	i = report.Instance{
		Status: statusOf(known), Name: d.Name, Namespace: d.Namespace, Running: v.armed,
		Repository: report.Repository{
			Name: d.Repository, Repository: d.Registry.Repo, DockerConfig: d.Registry.DockerCfg, Login: d.Registry.Login,
			Password: d.Registry.Password, Scheme: d.Registry.Scheme, CA: d.Registry.CA,
		},
		Digests: map[string]string{}, Values: map[string]any{}, Hooks: []string{},
	}
	if v.dir != "" {
		i.Path = r.disk.link(name)
	}
	if v.loaded == nil {
		i.Definition = report.Definition{Name: d.Package, Version: d.Version}
		return i, true
	}
	i.Definition = debug.DefinitionOf(v.loaded.Definition())
	maps.Copy(i.Digests, v.loaded.Digests())
	if values := v.loaded.Values(); values != nil {
		i.Values = values
	}
	if settings := v.loaded.Settings(); settings != nil {
		i.Status.Settings = settings
	}
	for _, h := range v.loaded.Hooks().Hooks {
		i.Hooks = append(i.Hooks, h.ID)
	}
	i.LastRuns = r.lastRuns(name)
	return i, true
}

func (r *Runtime) lastRuns(name string) map[string]report.LastRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.apps[name]; ok && len(a.runs) > 0 {
		return maps.Clone(a.runs)
	}
	return nil
}

func statusOf(known status.Internal) report.InstanceStatus {
	s := report.InstanceStatus{Version: known.Version, Conditions: []report.Condition{}, Settings: map[string]any{}, URLs: []report.URL{}}
	for _, c := range known.Conditions {
		s.Conditions = append(s.Conditions, report.Condition{
			Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			LastTransitionTime: c.LastTransitionTime.UTC().Format(time.RFC3339),
		})
	}
	if known.Tracking != nil {
		s.Tracking = known.Tracking
	}
	if known.Applied != nil {
		for _, u := range known.Applied.URLs {
			s.URLs = append(s.URLs, report.URL{URL: u.URL, Description: u.Description})
		}
	}
	return s
}

// Snapshots gives what the hooks of an application see; nil while they are not watched
// for.
func (r *Runtime) Snapshots(name string) map[string]map[string]live.State {
	v, ok := r.find(name)
	if !ok || v.loaded == nil {
		return nil
	}
	if v.monitor != nil {
		return v.monitor.State()
	}
	none := map[string]map[string]live.State{}
	for _, h := range v.loaded.Hooks().Hooks {
		none[h.ID] = nil
	}
	return none
}

// Render renders the templates of an application with its present values.
func (r *Runtime) Render(ctx context.Context, name string) ([]object.Object, error) {
	v, ok := r.find(name)
	if !ok || v.loaded == nil {
		return nil, debug.ErrNotLoaded
	}
	result, err := r.rendered(ctx, v)
	if err != nil {
		return nil, err
	}
	return result.All(), nil
}

// Hide says what may not be shown of an application.
func (r *Runtime) Hide(name string) debug.Hide {
	v, ok := r.find(name)
	if !ok {
		return debug.Hide{}
	}
	hide := debug.Hide{}
	for _, secret := range []string{v.desired.Registry.Password, v.desired.Registry.DockerCfg} {
		if secret != "" {
			hide.Secrets = append(hide.Secrets, output.SecretOf(secret))
		}
	}
	if v.loaded != nil {
		hide.Values = v.loaded.Masked
		for _, secret := range v.loaded.Secrets() {
			hide.Secrets = append(hide.Secrets, output.SecretOf(secret))
		}
	}
	return hide
}

// Journal has the last lines of the log.
func (r *Runtime) Journal() *journal.Journal { return r.Lines }

// Queues gives the queues of one application; "" is those of all.
func (r *Runtime) Queues(name string) queue.Dump { return r.queues.Dump(name) }

// Scheduler gives the graph.
func (r *Runtime) Scheduler() schedule.Dump {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.scheduler.Dump()
}
