package command

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// requestsOptions are the flags of the requests command.
type requestsOptions struct {
	filter traffic.Filter
	reset  bool
	count  bool
	list   bool
}

// summary is what the command prints by default.
type summary struct {
	Since   time.Time       `json:"since"`
	Total   int             `json:"total"`
	Dropped int             `json:"dropped"`
	Groups  []traffic.Count `json:"groups"`
}

func newRequests(open opener) *cobra.Command {
	var opts requestsOptions
	cmd := &cobra.Command{
		Use:   "requests",
		Short: "Count the requests since the last reset",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := open.client()
			if err != nil {
				return err
			}
			snapshot, err := client.Requests(cmd.Context(), opts.filter, opts.reset)
			if err != nil {
				return err
			}
			return printRequests(cmd.OutOrStdout(), snapshot, opts)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&opts.reset, "reset", false, "forget all requests after printing")
	flags.StringVar(&opts.filter.UserAgent, "user-agent", "", "only user agents with this prefix")
	flags.StringVar(&opts.filter.Verb, "verb", "", "only this verb")
	flags.StringVar(&opts.filter.Resource, "resource", "",
		`only this resource: "deployments", "deployments.apps", "pods/log", "pods/*" or a path such as "/version"`)
	flags.BoolVar(&opts.filter.Writes, "writes", false, "only create, update, patch, delete and deletecollection without dry run")
	flags.BoolVar(&opts.filter.Clients, "clients", false, "leave out the control plane's own components")
	flags.BoolVar(&opts.count, "count", false, "print the number alone")
	flags.BoolVar(&opts.list, "list", false, "print every request as a line of JSON")
	cmd.MarkFlagsMutuallyExclusive("count", "list")
	return cmd
}

func printRequests(to io.Writer, snapshot traffic.Snapshot, opts requestsOptions) error {
	switch {
	case opts.count:
		_, err := fmt.Fprintln(to, len(snapshot.Requests))
		return err
	case opts.list:
		encoder := json.NewEncoder(to)
		encoder.SetEscapeHTML(false)
		for i := range snapshot.Requests {
			if err := encoder.Encode(snapshot.Requests[i]); err != nil {
				return fmt.Errorf("print request: %w", err)
			}
		}
		return nil
	default:
		return printJSON(to, summary{
			Since: snapshot.Since, Total: len(snapshot.Requests), Dropped: snapshot.Dropped, Groups: snapshot.Counts(),
		})
	}
}
