package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan/saved"
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
