package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// planView shows a plan that was made elsewhere, as the command diff does.
type planView struct {
	env  *Env
	diff diffOptions
}

// AddFlags adds those of diff that say how it is shown.
func (v *planView) AddFlags(cmd *cobra.Command) {
	v.diff.view.addFlags(cmd)
	cmd.Flags().BoolVar(&v.diff.exitCode, "exit-code", true, "Exit with 1 when there are differences")
}

// Validate refuses values that the flags don't have.
func (v *planView) Validate() error { return v.diff.view.validate() }

// Whole tells that the server's view is asked for.
func (v *planView) Whole() bool { return v.diff.view.view == viewServer }

// Unmasked tells that secrets are asked for.
func (v *planView) Unmasked() bool { return v.diff.view.showSecrets }

// Show prints a plan and gives the exit code of diff.
func (v *planView) Show(ctx context.Context, r *plan.Report) error {
	if err := v.diff.view.print(ctx, v.env, r); err != nil {
		return exit(ExitDiffFailed, err)
	}
	return v.diff.verdict(v.env, r)
}

// Fail is an error of diff.
func (v *planView) Fail(err error) error {
	if err == nil {
		return nil
	}
	return &ExitError{Code: ExitDiffFailed, Err: err}
}
