package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
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
	hide := plan.HiddenBy(p.rules)
	key, err := p.store.HashKey(ctx, false)
	if err != nil && !errors.Is(err, state.ErrNoHashKey) && hasHidden(results, p.records, hide) {
		e.note("note: Secrets are compared without their record: %v", err)
	}
	p.hasher = object.Hasher{Key: key, Hide: hide}
	for _, r := range results {
		for _, w := range r.Warnings {
			e.warn(w.String())
		}
		p.inputs = append(p.inputs, plan.Input{
			Manifest: r.Manifest, Objects: r.Objects, Record: p.records[r.Manifest],
			DefaultNamespace: r.DefaultNamespace, Unselected: !p.source.selected[r.Manifest],
			Authoritative: r.AlwaysSync, Project: p.source.project(), Refused: disputed(r),
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

// dirOf is the directory of a file.
func dirOf(path string) string { return filepath.Dir(path) }
