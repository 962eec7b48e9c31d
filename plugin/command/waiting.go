package command

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
)

// waitOptions bound what a run waits for beside --timeout, and what it tells of
// what did not come true.
type waitOptions struct {
	waitTimeout time.Duration
	runTimeout  time.Duration
	logs        bool
}

func (o *waitOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&o.waitTimeout, "wait-timeout", 0,
		"How long one object may take to become ready or gone, if not as long as --timeout; its annotation tazuna.pepabo.com/wait-timeout beats both")
	f.DurationVar(&o.runTimeout, "run-timeout", 0, "How long the whole run may take; 0 is without a limit")
	f.BoolVar(&o.logs, "logs", true, "Show the last lines of the log of a failing Pod, whatever its program writes there")
}

func (o *waitOptions) validate() error {
	if o.waitTimeout < 0 {
		return fmt.Errorf("--wait-timeout: wanted a time such as 90s, found %s", o.waitTimeout)
	}
	if o.runTimeout < 0 {
		return fmt.Errorf("--run-timeout: wanted a time such as 1h, found %s", o.runTimeout)
	}
	return nil
}

// set puts the options into a run's policy.
func (o *waitOptions) set(p *apply.Policy) {
	p.WaitTimeout, p.Timeout, p.CollectLogs = o.waitTimeout, o.runTimeout, o.logs
}
