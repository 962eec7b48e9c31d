package command

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// dueHook is a release whose hooks run around its objects in this run.
type dueHook struct {
	build.Release
	manifest string
	install  bool
}

// before and behind are the events around the objects.
func (d dueHook) before() chart.Event {
	if d.install {
		return chart.PreInstall
	}
	return chart.PreUpgrade
}

func (d dueHook) behind() chart.Event {
	if d.install {
		return chart.PostInstall
	}
	return chart.PostUpgrade
}

// at lists the hooks of an event.
func (d dueHook) at(e chart.Event) []chart.Hook { return (&chart.Result{Hooks: d.Hooks}).HooksAt(e) }

// hooksDue finds the releases whose hooks run: those that are new, of which an
// object is written, or whose last run did not come to its end.
func (p *prepared) hooksDue(current *plan.Plan) []dueHook {
	written := map[string][]object.Ref{}
	for _, o := range current.Objects {
		if o.Op.Writes() {
			written[o.Manifest] = append(written[o.Manifest], o.Ref)
		}
	}
	var all []dueHook
	for _, r := range p.results {
		if !p.source.selected[r.Manifest] || slices.Contains(p.destroyed, r.Manifest) {
			continue
		}
		for _, release := range r.Releases {
			d := dueHook{Release: release, manifest: r.Manifest, install: !installed(p.records[r.Manifest], release) && !p.helmHas[releaseKey{release.Name, release.Namespace}]}
			if len(d.at(d.before()))+len(d.at(d.behind())) == 0 {
				continue
			}
			if d.install || touches(release, written[r.Manifest]) || cutOff(p.records[r.Manifest]) {
				all = append(all, d)
			}
		}
	}
	return all
}

// releaseKey names a release in a cluster; Namespace is empty for that of the run.
type releaseKey struct{ name, namespace string }

// findHelmReleases notes which of the releases that are new here Helm has installed:
// applying them is an upgrade, and Helm must be told to forget them.
func (p *prepared) findHelmReleases(ctx context.Context, env *Env) {
	run, _ := p.client.Namespace()
	p.helmHas = map[releaseKey]bool{}
	for _, r := range p.results {
		for _, release := range r.Releases {
			if !p.source.selected[r.Manifest] || installed(p.records[r.Manifest], release) {
				continue
			}
			namespace := release.Namespace
			if namespace == "" {
				namespace = run
			}
			if p.isHelmRelease(ctx, namespace, release.Name) {
				p.helmHas[releaseKey{release.Name, release.Namespace}] = true
				env.note("note: manifest %s: Helm has installed release %s in namespace %s: apply takes its objects over. Afterwards `kubectl delete secret -n %s -l owner=helm,name=%s` makes Helm forget it; `helm uninstall` would delete the objects.",
					r.Manifest, release.Name, namespace, namespace, release.Name)
			}
		}
	}
}

// isHelmRelease looks for Helm's own record. Who may not read it can't tell.
func (p *prepared) isHelmRelease(ctx context.Context, namespace, name string) bool {
	m, err := p.client.Mapping(ctx, schema.GroupKind{Kind: "Secret"}, "v1")
	if err != nil {
		return false
	}
	found, err := p.client.List(ctx, m, cluster.ListOptions{
		Namespace: namespace, LabelSelector: "owner=helm,name=" + name, MetadataOnly: true,
	})
	if err != nil {
		klog.V(2).InfoS("Helm's record can't be read", "release", name, "error", err)
	}
	return len(found) > 0
}

// installed tells whether a release was there before: the manifest has been
// applied to its end, and the record has one of the release's objects, or the
// release has none.
func installed(rec *state.Record, release build.Release) bool {
	if rec == nil || rec.LastSyncedAt.IsZero() {
		return false
	}
	return len(release.Objects) == 0 || slices.ContainsFunc(rec.Entries, func(e state.Entry) bool {
		return e.ContentHash != "" && within(release, e.Key.Ref())
	})
}

func cutOff(rec *state.Record) bool {
	return rec != nil && (rec.LastRun.Result == state.ResultRunning || rec.LastRun.Result == state.ResultFailed)
}

func touches(release build.Release, written []object.Ref) bool {
	return slices.ContainsFunc(written, func(ref object.Ref) bool { return within(release, ref) })
}

// within reports whether an object is one of a release's.
func within(release build.Release, ref object.Ref) bool {
	return slices.ContainsFunc(release.Objects, func(own object.Ref) bool {
		return own.Group == ref.Group && own.Kind == ref.Kind && own.Name == ref.Name &&
			(own.Namespace == "" || ref.Namespace == "" || own.Namespace == ref.Namespace)
	})
}

// announceHooks puts into the plan which hooks a run would run, and why a record is
// written although no object is.
func (p *prepared) announceHooks(current *plan.Plan) {
	for _, d := range p.hooksDue(current) {
		for _, e := range []chart.Event{d.before(), d.behind()} {
			for _, h := range d.at(e) {
				current.Notes = append(current.Notes, fmt.Sprintf("manifest %s: apply runs the %s hook %s of release %s", d.manifest, e, h.Object.Ref(), d.Name))
			}
		}
		for i := range current.Manifests {
			m := &current.Manifests[i]
			if m.Name == d.manifest && m.Repair == "" && !slices.ContainsFunc(current.Objects, func(o *plan.Object) bool { return o.Manifest == m.Name && o.Op.Writes() }) {
				m.Repair = fmt.Sprintf("the hooks of release %s have not come to their end", d.Name)
			}
		}
	}
}

// deleteHooks are the releases of a manifest that have hooks around their deletion.
func (p *prepared) deleteHooks(manifest string) []dueHook {
	var all []dueHook
	for _, r := range p.results {
		for _, release := range r.Releases {
			d := dueHook{Release: release, manifest: r.Manifest}
			if r.Manifest == manifest && len(d.at(chart.PreDelete))+len(d.at(chart.PostDelete)) > 0 {
				all = append(all, d)
			}
		}
	}
	return all
}

// findDeleteHooks renders the charts of what is destroyed, for their hooks alone:
// what is deleted is in the records.
func (p *prepared) findDeleteHooks(ctx context.Context, env *Env, names []string) error {
	p.source.all = slices.DeleteFunc(slices.Clone(p.source.all), func(m build.Manifest) bool {
		return !slices.Contains(names, m.Name) || p.records[m.Name] == nil || !build.HasReleases(m.Type)
	})
	p.source.client, p.source.records = p.client, p.records
	results, err := env.buildEach(ctx, p.source)
	if err != nil {
		return fmt.Errorf("%w\nits hooks before and after the deletion are not known; --no-hooks deletes without them", err)
	}
	for _, r := range results {
		p.results = append(p.results, build.Result{Manifest: r.Manifest, Releases: r.Releases})
	}
	return nil
}

// announceDeleteHooks puts into the plan which hooks a destruction would run.
func (p *prepared) announceDeleteHooks(current *plan.Plan) {
	for _, r := range p.results {
		for _, d := range p.deleteHooks(r.Manifest) {
			for _, e := range []chart.Event{chart.PreDelete, chart.PostDelete} {
				for _, h := range d.at(e) {
					current.Notes = append(current.Notes, fmt.Sprintf("manifest %s: destroy runs the %s hook %s of release %s", d.manifest, e, h.Object.Ref(), d.Name))
				}
			}
		}
	}
}
