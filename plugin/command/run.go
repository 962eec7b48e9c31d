package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/trace"
)

// run shows, asks, applies.
func (o *applyOptions) run(ctx context.Context, env *Env) error {
	err := o.showAskApply(ctx, env)
	switch {
	case env.lost == nil:
		return err
	case err == nil:
		return env.lost
	}
	return errors.Join(err, env.lost)
}

func (o *applyOptions) showAskApply(ctx context.Context, env *Env) error {
	if err := o.validateFlags(); err != nil {
		return err
	}
	env.window = o.concurrency
	r, err := o.plans(ctx, env)
	if err != nil {
		return err
	}
	report := o.view.report(r.plan)
	if err := o.show(ctx, env, report, r.plan); err != nil {
		return err
	}
	r.noteCutOff(env)
	r.noteLosses(env, o.view.summary)
	if err := o.checkSaved(ctx, env, r); err != nil {
		return err
	}
	switch {
	case o.hopeless(r.plan) != nil:
		return o.without(ctx, env, r.plan, o.hopeless(r.plan))
	case o.dryRun != "none":
		return o.without(ctx, env, r.plan, refusals(r.plan))
	case unserved(r.plan) != nil:
		return o.without(ctx, env, r.plan, unserved(r.plan))
	case !o.acts(r.plan):
		return o.without(ctx, env, r.plan, o.checked(ctx, env, r))
	}
	if r.plan.Disorder != nil {
		return o.without(ctx, env, r.plan, r.plan.Disorder)
	}
	if err := o.mayWrite(ctx, env, report, r.plan); err != nil {
		return err
	}
	return o.execute(ctx, env, r)
}

// acts tells whether there is anything to do; a destroyed record is removed even
// where none of its objects is left.
func (o *applyOptions) acts(p *plan.Plan) bool {
	return acts(p) || o.everyRecord && recordExists(p) || o.goesOn(p)
}

func recordExists(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Manifests, func(m plan.Manifest) bool { return m.Record != nil && m.Record.Exists })
}

// mayWrite asks before a run that writes something; one that only waits for what
// others make needs no leave.
func (o *applyOptions) mayWrite(ctx context.Context, env *Env, report *plan.Report, p *plan.Plan) error {
	if !writes(p) && !o.everyRecord {
		return nil
	}
	question := "Apply these changes"
	if o.everyRecord {
		question = "Destroy these objects"
	}
	return env.confirm(ctx, o.yes, question, report.Context)
}

// writes reports whether the plan writes an object or a record.
func writes(p *plan.Plan) bool {
	for _, o := range p.Objects {
		if o.Op.Writes() {
			return true
		}
	}
	for _, m := range p.Manifests {
		if m.Repair != "" {
			return true
		}
	}
	return false
}

// execute writes what the plan says.
func (o *applyOptions) execute(ctx context.Context, env *Env, r round) error {
	sessions, err := o.lock(ctx, env, &r)
	defer sessions.end(ctx, env)
	if err != nil {
		return err
	}
	if !o.acts(r.plan) { // another run did it
		return o.without(ctx, env, r.plan, o.checked(ctx, env, r))
	}
	sessions.describe(r, o.planDigest())
	result, err := o.perform(ctx, env, r, sessions)
	if err != nil {
		return unrecorded(env, result, err)
	}
	err = o.takeBack(ctx, env, r, sessions, result, conclude(env, result))
	if err == nil && o.finish != nil {
		err = o.finish(ctx, env, sessions)
	}
	if err != nil || o.everyRecord {
		return err
	}
	r.p.texts(env, o.view.showSecrets)
	return r.p.testFile(ctx, env)
}

// checked ends a run without writes: the tests of a tazuna.yaml run all the same.
func (o *applyOptions) checked(ctx context.Context, env *Env, r round) error {
	if err := o.nothingToDo(env, r.plan); err != nil || o.everyRecord {
		return err
	}
	r.p.texts(env, o.view.showSecrets)
	return r.p.testAll(ctx, env)
}

// perform runs the plan in its order.
func (o *applyOptions) perform(ctx context.Context, env *Env, r round, sessions sessionSet) (apply.Result, error) {
	p, current, planner := r.p, r.plan, r.planner
	if err := p.makeHashKey(ctx, current, &planner); err != nil {
		return apply.Result{}, err
	}
	graph, err := plan.Order(current.Objects, p.rules)
	if err != nil {
		return apply.Result{}, err
	}
	executor, err := o.executor(ctx, env, p, planner, sessions)
	if err != nil {
		return apply.Result{}, err
	}
	var stages []plan.Stage
	if stages, executor.Gates, err = o.stages(env, r, sessions); err != nil {
		return apply.Result{}, err
	}
	if graph, err = graph.Staged(current.Objects, stages); err != nil {
		return apply.Result{}, err
	}
	tell, err := o.progress.teller(env, o.view.output)
	if err != nil {
		return apply.Result{}, err
	}
	defer tell.close()
	executor.Events, executor.Heartbeat = tell.event, heartbeat
	ctx, span := trace.Start(ctx, "tazuna.ApplyToCluster", trace.Attribute{Key: "objects", Value: len(current.Objects)})
	result, err := executor.Run(ctx, current, graph)
	span.End(err)
	return result, err
}

func (o *applyOptions) executor(ctx context.Context, env *Env, p *prepared, planner plan.Planner, sessions sessionSet) (*apply.Executor, error) {
	limit, err := prune.ParseLimit(o.maxPrune)
	if err != nil {
		return nil, fmt.Errorf("--max-prune: %w", err)
	}
	policy := apply.DefaultPolicy(o.policy.pruneProtected)
	policy.FieldManager, policy.Validation = o.policy.fieldManager, capitalised(o.validate)
	policy.NoWait, policy.ObjectTimeout, policy.Replan, policy.MaxPrune = !o.wait, o.timeout, o.replan, limit
	policy.WaitRules = p.rules.WaitRules
	o.waiting.set(&policy)
	mask := o.view.masker()
	return &apply.Executor{
		Client: p.client, Sessions: sessions.forApply(), Policy: policy,
		Concurrency: o.concurrency, Window: p.client.Limiter().Window, Clock: env.Clock,
		Logs: p.client.Logs, Replan: planner.Replan, Hasher: planner.Hasher, Proof: planner.Proof, Masker: &mask,
		Metadata: state.Metadata{GitCommitHash: gitCommit(ctx, p.source)},
	}, nil
}

func capitalised(word string) string {
	return strings.ToUpper(word[:1]) + strings.ToLower(word[1:])
}

// makeHashKey makes the key for hashes of Secrets before the first is recorded.
func (p *prepared) makeHashKey(ctx context.Context, current *plan.Plan, planner *plan.Planner) error {
	if len(p.hasher.Key) > 0 || !current.NeedsHashKey() {
		return nil
	}
	key, err := p.store.HashKey(ctx, true)
	if err != nil {
		return err
	}
	p.hasher.Key = key
	planner.Hasher = p.hasher
	return current.Rehash(p.hasher)
}

// gitCommit is the commit of the directory the file stands in, empty without git.
func gitCommit(ctx context.Context, src *source) string {
	dir := "."
	if src.file != nil {
		dir = dirOf(src.file.Path)
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// acts reports whether a run has anything to do: to write, or to wait until
// somebody else has made an object.
func acts(p *plan.Plan) bool {
	return writes(p) || slices.ContainsFunc(p.Objects, func(o *plan.Object) bool { return o.Op == plan.OpExists })
}
