package command

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// faultOptions are the flags of the fault command.
type faultOptions struct {
	rule     traffic.Rule
	cutAfter bool
	when     string
	list     bool
	clear    bool
}

func newFault(open opener) *cobra.Command {
	var opts faultOptions
	cmd := &cobra.Command{
		Use:   "fault",
		Short: "Disturb requests that match",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := open.client()
			if err != nil {
				return err
			}
			var result any
			switch {
			case opts.list:
				result, err = client.Rules(cmd.Context())
			case opts.clear:
				result, err = client.ClearRules(cmd.Context())
			default:
				var rule traffic.Rule
				if rule, err = opts.complete(); err == nil {
					result, err = client.AddRule(cmd.Context(), rule)
				}
			}
			if err != nil {
				return err
			}
			return printJSON(cmd.OutOrStdout(), result)
		},
	}
	bindFault(cmd, &opts)
	return cmd
}

func bindFault(cmd *cobra.Command, opts *faultOptions) {
	flags, rule := cmd.Flags(), &opts.rule
	flags.StringVar(&rule.Match, "match", "",
		"which requests: key=value pairs of verb, group, resource, subresource, namespace, name, method, path, user-agent, writes, dry-run, nth")
	flags.IntVar(&rule.Status, "status", 0, "answer with this code instead of performing")
	flags.IntVar(&rule.RetryAfter, "retry-after", 0, "with --status: seconds the client shall wait")
	flags.StringVar(&rule.Message, "message", "", "with --status: message of the answer")
	flags.BoolVar(&rule.Cut, "cut", false, "close the connection instead of performing")
	flags.BoolVar(&opts.cutAfter, "cut-after", false, "perform, then close the connection without an answer")
	flags.DurationVar(&rule.CutIn.Duration, "cut-in", 0, "perform and answer, and close the connection after this time")
	flags.DurationVar(&rule.Delay.Duration, "delay", 0, "wait this time first")
	flags.IntVar(&rule.KillPID, "kill-pid", 0, "kill this process and close the connection")
	flags.StringVar(&rule.KillPIDFile, "kill-pid-file", "", "like --kill-pid, with the process id read from a file at that moment")
	flags.StringVar(&opts.when, "when", "", "with --kill-pid or --cut: before (default) or after performing")
	flags.IntVar(&rule.Times, "times", 0, "fire so many times (default: always, or once with nth)")
	flags.BoolVar(&opts.list, "list", false, "list the rules with their counts")
	flags.BoolVar(&opts.clear, "clear", false, "take all rules away")
	cmd.MarkFlagsMutuallyExclusive("status", "cut", "cut-after", "cut-in", "kill-pid", "kill-pid-file", "list", "clear")
}

// complete returns the rule that the flags describe.
func (o faultOptions) complete() (traffic.Rule, error) {
	rule := o.rule
	rule.When = traffic.When(o.when)
	if o.cutAfter {
		rule.Cut, rule.When = true, traffic.After
	}
	return rule, rule.Validate()
}

func newLatency(open opener) *cobra.Command {
	var latency traffic.Latency
	var add string
	cmd := &cobra.Command{
		Use:   "latency",
		Short: "Delay the requests of clients, or list the delays",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := open.client()
			if err != nil {
				return err
			}
			if add == "" {
				latencies, err := client.Latencies(cmd.Context())
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), latencies)
			}
			if latency.Add.Duration, err = time.ParseDuration(add); err != nil {
				return errors.New("--add: want a duration such as 20ms, or 0")
			}
			latencies, err := client.SetLatency(cmd.Context(), latency)
			if err != nil {
				return err
			}
			return printJSON(cmd.OutOrStdout(), latencies)
		},
	}
	cmd.Flags().StringVar(&add, "add", "", "delay of each request; 0 takes it away, and all delays without --user-agent")
	cmd.Flags().StringVar(&latency.UserAgent, "user-agent", "", "only user agents with this prefix (default: every client)")
	return cmd
}
