package command

import (
	"context"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/memo"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

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
