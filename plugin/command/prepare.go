package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/memo"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// prepared is everything a run knows before it plans.
type prepared struct {
	source  *source
	client  *cluster.Client
	store   *state.Store
	results []build.Result
	// rules are those of kapp's configuration: built-in ones and the files'.
	rules   *config.KappConfig
	records map[string]*state.Record
	hasher  object.Hasher
	inputs  []plan.Input
	// helmHas are the releases, new to us, that Helm has installed.
	helmHas map[releaseKey]bool
	// destroyed are the manifests of a run without files.
	destroyed []string
}

// prepare connects, reads the records and builds all manifests. It writes nothing.
func (e *Env) prepare(ctx context.Context, o *sourceOptions) (*prepared, error) {
	src, err := o.read(e)
	if err != nil {
		return nil, err
	}
	client, err := e.connect()
	if err != nil {
		return nil, err
	}
	if err := guard(src, client); err != nil {
		return nil, err
	}
	p := &prepared{source: src, client: client, store: e.store(client), records: map[string]*state.Record{}}
	if err := p.readRecords(ctx, e); err != nil {
		return nil, err
	}
	if err := p.build(ctx, e); err != nil {
		return nil, err
	}
	if err := p.finish(ctx, e); err != nil {
		return nil, err
	}
	return p, nil
}

// guard is the context check of a tazuna.yaml, made against the context that
// the run really uses.
func guard(src *source, client *cluster.Client) error {
	if src.file == nil {
		return nil
	}
	if err := src.file.CheckContext(client.Context().Context); err != nil {
		return exit(ExitRefused, err)
	}
	if flag := client.Elsewhere(); flag != "" && src.file.Guarded() {
		return exit(ExitRefused, fmt.Errorf("%s: %s sends the run to another cluster than that of context %q, "+
			"and context_matches can't tell which: select a context that has it, with --context", src.file.Path, flag, client.Context().Context))
	}
	return nil
}

// buildAll builds one result a manifest and takes kapp configuration out of them:
// its rules hold for the whole run, on top of the built-in ones.
func (e *Env) buildAll(ctx context.Context, src *source) ([]build.Result, config.KappConfig, error) {
	results, err := e.buildEach(ctx, src)
	if err != nil {
		return nil, config.KappConfig{}, err
	}
	rules, err := config.DefaultKappConfig()
	if err != nil {
		return nil, rules, err
	}
	if src.file != nil {
		named := src.file.Tazuna.Spec.Rules
		for _, n := range named.Notes() {
			e.note("note: %s", n)
		}
		rules = rules.With(named)
	}
	for i := range results {
		found, rest, err := config.ExtractKappConfig(results[i].Objects)
		if err != nil {
			return nil, rules, err
		}
		found = results[i].Rules.With(found)
		for _, n := range found.Notes() {
			e.note("note: %s", n)
		}
		rules, results[i].Objects = rules.With(found), rest
	}
	for i := range results {
		results[i].Objects = plan.WithAdditionalLabels(&rules, results[i].Objects)
	}
	return results, rules, nil
}

// build builds all manifests for the cluster, in the namespaces of their records.
func (p *prepared) build(ctx context.Context, e *Env) error {
	p.source.client, p.source.records = p.client, p.records
	_, p.source.namespaceGiven = p.client.Namespace()
	results, rules, err := e.buildAll(ctx, p.source)
	if err != nil {
		return err
	}
	p.results, p.rules = results, &rules
	p.findHelmReleases(ctx, e)
	for i := range p.results {
		if rec := p.records[p.results[i].Manifest]; rec != nil {
			p.keepNamespace(e, &p.results[i], rec)
		}
	}
	return nil
}

// readRecords reads the record of each manifest, once.
func (p *prepared) readRecords(ctx context.Context, e *Env) error {
	if !p.source.recorded {
		return nil
	}
	for _, m := range p.source.all {
		name := m.Name
		if p.records[name] != nil {
			continue
		}
		rec, err := p.store.Read(ctx, name)
		if err != nil {
			return err
		}
		p.records[name] = rec
		if err := p.source.ofProject(rec); err != nil {
			return err
		}
		for _, n := range worthNoting(rec) {
			e.note("note: manifest %s: %s", name, n)
		}
		for _, d := range rec.Damaged {
			e.warn(fmt.Sprintf("record of manifest %s: %s; nothing is deleted while this lasts", name, d))
		}
	}
	return nil
}

// worthNoting is what couldn't be read of a record. While nothing was applied
// there is nothing to be missed: a first run that failed leaves a record without
// bodies.
func worthNoting(rec *state.Record) []string {
	if !slices.ContainsFunc(rec.Entries, func(e state.Entry) bool { return e.ContentHash != "" }) {
		return nil
	}
	return rec.Notes
}

// keepNamespace uses the namespace that objects without one were given before:
// another namespace in the kubeconfig must not make a second copy of them.
func (p *prepared) keepNamespace(e *Env, r *build.Result, rec *state.Record) {
	now, explicit := p.client.Namespace()
	if explicit || rec.DefaultNamespace == "" || r.DefaultNamespace != "" {
		return
	}
	if rec.DefaultNamespace != now {
		e.warn(fmt.Sprintf("manifest %s: objects without a namespace stay in %q, where its record has them, although the context says %q (-n changes it)",
			r.Manifest, rec.DefaultNamespace, now))
	}
	r.DefaultNamespace = rec.DefaultNamespace
}

// finish gives objects their namespaces and makes the plan's inputs.
func (p *prepared) finish(ctx context.Context, e *Env) error {
	namespace, _ := p.client.Namespace()
	scopes := &scoper{ctx: ctx, client: p.client}
	results, err := build.Finish(ctx, p.results, scopes, namespace)
	if scopes.failed != nil {
		// One broken connection, not one error for each object.
		return fmt.Errorf("ask %s which kinds it serves: %w", p.client.Context().Server, scopes.failed)
	}
	if err != nil {
		return err
	}
	if err := refuseReserved(results); err != nil {
		return err
	}
	p.results = results
	p.warnOfRules(e)
	key, err := p.store.HashKey(ctx, false)
	if err != nil && !errors.Is(err, state.ErrNoHashKey) {
		e.note("note: Secrets are compared without their record: %v", err)
	}
	p.hasher = object.Hasher{Key: key, Hide: plan.HiddenBy(p.rules)}
	for _, r := range results {
		for _, w := range r.Warnings {
			e.warn(w.String())
		}
		p.inputs = append(p.inputs, plan.Input{
			Manifest: r.Manifest, Objects: r.Objects, Record: p.records[r.Manifest],
			DefaultNamespace: r.DefaultNamespace, Unselected: !p.source.selected[r.Manifest],
			Authoritative: r.AlwaysSync, Project: p.source.project(),
		})
	}
	return p.version(ctx)
}

// version gives versioned objects the names of their versions, in the inputs and in
// the results alike.
func (p *prepared) version(ctx context.Context) error {
	policy := plan.ManifestPolicy()
	policy.Rules = p.rules
	planner := plan.Planner{Cluster: p.client, Policy: policy, Hasher: p.hasher}
	for i := range p.inputs {
		in, err := planner.WithVersions(ctx, p.inputs[i])
		if err != nil {
			return err
		}
		p.inputs[i], p.results[i].Objects = in, in.Objects
	}
	return nil
}

// warnOfRules tells of rules and annotations that do nothing.
func (p *prepared) warnOfRules(e *Env) {
	var all []object.Object
	for _, r := range p.results {
		all = append(all, r.Objects...)
	}
	for _, text := range plan.RuleWarnings(p.rules, all) {
		e.warn(text)
	}
}

// planOptions are the flags that change how a plan is made.
type planOptions struct {
	policy        plan.Policy
	dryRunCreates bool
	refresh       bool
	// explained plans say why each object is judged as it is.
	explained bool
	// writeUnchanged writes what is as wanted too.
	writeUnchanged bool
}

// plan compares the inputs with the cluster.
func (p *prepared) plan(ctx context.Context, e *Env, o planOptions) (*plan.Plan, plan.Planner, error) {
	o.policy.RecreateRuns = p.source.file != nil
	o.policy.Prune = o.policy.Prune && len(p.source.unbuilt) == 0
	o.policy.Rules = p.rules
	others := &claims{store: p.store, run: p.manifests()}
	planner := plan.Planner{
		Claims:  others.manifest,
		Cluster: p.client, Policy: o.policy, Hasher: p.hasher, ToolVersion: e.Version,
		DryRunCreates: o.dryRunCreates, Refresh: o.refresh, KeepEvidence: o.explained || o.writeUnchanged, Circumstances: p.circumstances(ctx),
	}
	remembered := p.memo(e, planner.Circumstances, o.refresh)
	if remembered != nil {
		planner.Memo = remembered
	}
	result, err := planner.Plan(ctx, p.inputs)
	if closed := remembered.Close(); closed != nil {
		klog.V(2).InfoS("not remembered", "error", closed)
	}
	if err != nil {
		return result, planner, err
	}
	if o.writeUnchanged {
		result.WriteUnchanged()
	}
	p.announceHooks(result)
	p.announceFarewells(result)
	p.limitWaits(result)
	return result, planner, nil
}

// limitWaits gives objects the time that their manifest has for them.
func (p *prepared) limitWaits(current *plan.Plan) {
	if p.source == nil || p.source.file == nil {
		return
	}
	limits := map[string]time.Duration{}
	for _, m := range p.source.file.Tazuna.Spec.Manifests {
		limits[m.Name] = m.Timeout
	}
	for _, o := range current.Objects {
		if o.Strategy.WaitTimeout == 0 {
			o.Strategy.WaitTimeout = limits[o.Manifest]
		}
	}
}

// manifests are those that were built, selected or not.
func (p *prepared) manifests() map[string]bool {
	out := map[string]bool{}
	for _, r := range p.results {
		out[r.Manifest] = true
	}
	for _, name := range p.destroyed {
		out[name] = true
	}
	return out
}

// circumstances is what proofs in the record depend on, also in one that this run
// makes. Without the rights to tell there are no proofs.
func (p *prepared) circumstances(ctx context.Context) string {
	if !p.source.recorded {
		return ""
	}
	found, err := plan.Circumstances(ctx, p.client)
	if err != nil {
		klog.V(2).InfoS("every object is looked at", "error", err)
		return ""
	}
	return found
}

// memo opens what earlier runs found to be as wanted. Without a record, a cache
// directory or the rights to tell whether it still holds there is none.
func (p *prepared) memo(e *Env, circumstances string, refresh bool) *memo.Memo {
	records := p.recordUIDs()
	if refresh || len(records) == 0 || circumstances == "" || cacheDir() == "" {
		return nil
	}
	scope := plan.MemoScope(records, p.client.Identity(), circumstances)
	return memo.Open(filepath.Join(cacheDir(), "memo"), scope, e.Clock.Now())
}

// recordUIDs name the records of the run; none where nothing was applied before.
func (p *prepared) recordUIDs() []string {
	var out []string
	for _, r := range p.results {
		if rec := p.records[r.Manifest]; rec != nil && rec.Exists {
			out = append(out, rec.UID())
		}
	}
	return out
}

// scoper answers build's questions about kinds from discovery.
type scoper struct {
	ctx    context.Context
	client *cluster.Client
	// failed is the first error that made further questions pointless.
	failed error
}

// Namespaced implements build.Scoper. A kind that is not served, or can't be
// looked up, is not known: whether that is an error is the plan's to say.
func (s *scoper) Namespaced(gk schema.GroupKind, version string) (namespaced, known bool, err error) {
	if s.failed != nil {
		return false, false, s.failed
	}
	m, err := s.client.Mapping(s.ctx, gk, version)
	var none *cluster.ErrNoKind
	var away *cluster.ErrUnavailable
	switch {
	case errors.As(err, &none) && len(none.Served) > 0:
		m, err = s.client.Mapping(s.ctx, gk, none.Served[0])
		return m.Namespaced, err == nil, nil
	case errors.As(err, &none), errors.As(err, &away):
		return false, false, nil
	case err != nil:
		s.failed = err
		return false, false, err
	}
	return m.Namespaced, true, nil
}

// dirOf is the directory of a file.
func dirOf(path string) string { return filepath.Dir(path) }
