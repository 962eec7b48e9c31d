package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan/saved"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// applyOptions are those of apply and state sync, which are one run.
type applyOptions struct {
	source      sourceOptions
	view        viewOptions
	policy      policyOptions
	progress    progressOptions
	waiting     waitOptions
	yes         bool
	dryRun      string
	wait        bool
	timeout     time.Duration
	replan      bool
	concurrency int
	validate    string
	maxPrune    string
	lockTimeout time.Duration
	sync        bool
	// atomic takes a failed run back; alwaysWrite writes what is unchanged too.
	atomic, alwaysWrite bool
	planFile            string
	// saved is the plan of planFile; nil without one.
	saved     *saved.File
	operation string
	// plans makes the plan, also when another run came in between. everyRecord locks
	// all records of the run, written to or not.
	plans       plans
	everyRecord bool
	// finish, if set, ends a run under its locks.
	finish func(ctx context.Context, env *Env, s sessionSet) error
}

func newApply(env *Env) *cobra.Command {
	o := &applyOptions{operation: "apply"}
	o.plans = o.fromFiles
	cmd := &cobra.Command{
		Use:   "apply [-f FILE|DIR|-] [-k DIR]",
		Short: "Apply manifests: show the diff, ask, apply what was shown, record it",
		Long: `Shows what would change, asks, and applies exactly that with server-side apply.
What others changed since the last apply is put back; a field that another
manager owns with another value is a conflict: the object is refused and shown.
What was applied is recorded in the cluster.

With --plan it applies what "plan --save" saved, with the same flags, and refuses if
files or cluster changed since in anything that the plan shows.

Exit codes: 0 done or nothing to do, 1 something failed, 3 something was refused.`,
		Example: fmt.Sprintf(`  # the tazuna.yaml of this directory
  %[1]s apply

  # plain files under the record "web", from CI
  %[1]s apply -f manifests/ --manifest web --yes

  # exactly what another job showed
  %[1]s plan --save plan.json
  %[1]s apply --plan plan.json --yes`, env.Name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.planFile != "" && o.alwaysWrite {
				return errors.New("--plan does what was saved: it can't be used with --always-write")
			}
			if err := o.usePlan(cmd); err != nil {
				return err
			}
			return o.run(cmd.Context(), env)
		},
	}
	o.addFlags(cmd)
	cmd.Flags().StringVar(&o.planFile, "plan", "", "Apply this plan, which plan --save wrote, and nothing else")
	return cmd
}

func (o *applyOptions) addFlags(cmd *cobra.Command) {
	o.source.addFlags(cmd)
	o.view.addFlags(cmd)
	o.policy.addFlags(cmd)
	o.addRunFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.dryRun, "dry-run", "none", "none, client (only show the diff), or server (also ask the server about new objects)")
	f.BoolVar(&o.wait, "wait", true, "Wait until what was applied is ready")
	f.BoolVar(&o.replan, "replan", false, "Go on with the new plan where an object changed since the diff")
	f.StringVar(&o.validate, "validate", "strict", "The server's field validation: strict, warn or ignore")
	f.StringVar(&o.maxPrune, "max-prune", "", "Refuse to delete more objects than this number or percentage (10, 20%)")
	f.BoolVar(&o.atomic, "atomic", false, "All or nothing: refuse a plan that can't be done in whole, and take a run back that failed")
	f.BoolVar(&o.alwaysWrite, "always-write", false, "Write objects that are as wanted too, as the original tool does with each apply")
	f.BoolVar(&o.sync, "sync", false, "Accepted for old scripts: apply always works by differences")
	_ = f.MarkHidden("sync")
}

// addRunFlags adds those of every run that writes.
func (o *applyOptions) addRunFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "Don't ask before writing")
	f.DurationVar(&o.timeout, "timeout", 15*time.Minute, "How long one object may take to be accepted, and then to become ready or gone")
	f.IntVar(&o.concurrency, "concurrency", 16, "Requests in flight")
	o.progress.addFlags(cmd)
	o.waiting.addFlags(cmd)
	f.DurationVar(&o.lockTimeout, "lock-timeout", 0, "How long to wait for other runs on the same record; 0 gives up when one is seen to be alive")
}

// run shows, asks, applies.
func (o *applyOptions) run(ctx context.Context, env *Env) error {
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

func (o *applyOptions) planOptions() planOptions {
	return planOptions{
		policy: o.policy.policy(), dryRunCreates: o.dryRun == "server",
		refresh: o.policy.refresh || o.view.showIgnored || o.alwaysWrite, writeUnchanged: o.alwaysWrite,
	}
}

func (o *applyOptions) validateFlags() error {
	switch o.dryRun {
	case "none", "client", "server":
	default:
		return fmt.Errorf("--dry-run: wanted none, client or server, found %q", o.dryRun)
	}
	if o.concurrency < 1 {
		return fmt.Errorf("--concurrency: wanted 1 or more, found %d", o.concurrency)
	}
	if err := o.waiting.validate(); err != nil {
		return err
	}
	if err := o.progress.validate(o.view.output, !o.yes && o.dryRun == "none"); err != nil {
		return err
	}
	switch strings.ToLower(o.validate) {
	case "strict", "warn", "ignore":
		return o.view.validate()
	default:
		return fmt.Errorf("--validate: wanted strict, warn or ignore, found %q", o.validate)
	}
}

// nothingToDo ends a run without writes. Refused objects still give exit code 3, and
// what has failed since it was applied is a failure, as when it was waited for.
func (o *applyOptions) nothingToDo(env *Env, p *plan.Plan) error {
	if err := refusals(p); err != nil {
		return err
	}
	var failed []error
	for _, u := range p.NotReady() {
		if u.Failed && o.wait {
			failed = append(failed, fmt.Errorf("not ready: %s", u))
			continue
		}
		env.warn("not ready: " + u.String())
	}
	if len(failed) > 0 {
		return errors.Join(append(failed, errors.New("everything is as wanted and was applied before, but has failed"))...)
	}
	env.note("Nothing to do: everything is as wanted.")
	return nil
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

// acts reports whether a run has anything to do: to write, or to wait until
// somebody else has made an object.
func acts(p *plan.Plan) bool {
	return writes(p) || slices.ContainsFunc(p.Objects, func(o *plan.Object) bool { return o.Op == plan.OpExists })
}

// refusals is the error of a plan in which objects failed or are refused.
func refusals(p *plan.Plan) error {
	if failed := p.Failed(); len(failed) > 0 {
		return errors.Join(failed...)
	}
	var refused []string
	for _, o := range p.Objects {
		if o.Op == plan.OpRefuse || o.Op == plan.OpBlocked {
			refused = append(refused, fmt.Sprintf("%s: %s", o.Ref, apply.Refusal(o)))
		}
	}
	if len(refused) == 0 {
		return nil
	}
	text := fmt.Sprintf("refused: %d of %s", len(refused), counted(len(p.Objects), "object"))
	for i, line := range refused {
		if i == mostRefusals {
			text += fmt.Sprintf("\n  and %d more", len(refused)-i)
			break
		}
		text += "\n  " + line
	}
	return exit(ExitRefused, errors.New(text))
}

// mostRefusals bounds how many refusals the end of a run repeats.
const mostRefusals = 5

// unserved stops a run before its first write where a kind or version of the
// files doesn't exist in the cluster: such files were not meant for it.
func unserved(p *plan.Plan) error {
	var all []error
	for _, o := range p.Objects {
		if plan.Unserved(o.Err) {
			all = append(all, o.Err)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.Join(append(all, errors.New("nothing was written"))...)
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
	return executor.Run(ctx, current, graph)
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

// unrecorded words a run of which a record can't be written: at its end what became
// of the objects is told all the same, and how to go on.
func unrecorded(env *Env, r apply.Result, err error) error {
	if len(r.Unsaved) == 0 {
		return err
	}
	env.countOutcomes(r.Counts)
	if r.Interrupted {
		err = errors.Join(err, fmt.Errorf("interrupted: %s not started", counted(len(r.Left), "object")))
	}
	return errors.Join(err, fmt.Errorf("what this run did is not recorded yet for manifest %s. Nothing is lost, since the record announces it: "+
		"once the server answers, run the same command again; it goes on from there", strings.Join(r.Unsaved, ", ")))
}

func (e *Env) countOutcomes(c apply.Counts) {
	e.note("%d created, %d updated, %d replaced, %d deleted, %d unchanged, %d refused, %d failed, %d skipped, %d left",
		c.Created, c.Updated, c.Replaced, c.Deleted, c.Unchanged, c.Refused+c.Kept, c.Failed, c.Skipped, c.Left)
}

// conclude says how the run ended, and with which code.
func conclude(env *Env, r apply.Result) error {
	env.countOutcomes(r.Counts)
	c := r.Counts
	switch r.Verdict {
	case apply.VerdictDone:
		return nil
	case apply.VerdictRefused:
		return exit(ExitRefused, errors.New("some objects were refused"))
	case apply.VerdictInterrupted:
		if len(r.Left) == 0 {
			return exit(ExitInterrupted, errors.New("interrupted while waiting; run the same command again to go on"))
		}
		return exit(ExitInterrupted, fmt.Errorf("interrupted: %s not started; run the same command again to go on", counted(len(r.Left), "object")))
	case apply.VerdictFailed:
	}
	var all []error
	for _, g := range r.Gates {
		all = append(all, g)
	}
	if c.Failed > 0 || len(all) == 0 {
		all = append(all, errors.New("some objects failed"))
	}
	return errors.Join(all...)
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
