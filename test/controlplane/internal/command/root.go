package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/control"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

// New returns the root command.
func New() *cobra.Command {
	root := &cobra.Command{
		Use:           "controlplane",
		Short:         "Run a real Kubernetes control plane in one process, for tests",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var dir string
	root.PersistentFlags().StringVar(&dir, "dir", "", "directory of the control plane (required)")
	open := func() (home.Home, error) {
		if dir == "" {
			return home.Home{}, errors.New("--dir is required")
		}
		return home.Open(dir)
	}
	root.AddCommand(
		newStart(open), newRun(open), newStop(open), newStatus(open), newUser(open),
		newRequests(open), newLatency(open), newFault(open),
	)
	return root
}

// opener opens the home that the flags name.
type opener func() (home.Home, error)

// client returns a client of the running control plane.
func (o opener) client() (*control.Client, error) {
	h, err := o()
	if err != nil {
		return nil, err
	}
	pid, err := h.Running()
	if err != nil {
		return nil, err
	}
	if pid == 0 {
		return nil, errors.New("no control plane runs in this directory")
	}
	state, err := h.LoadState()
	if err != nil {
		return nil, err
	}
	return control.NewClient(state), nil
}

func printJSON(to io.Writer, value any) error {
	encoder := json.NewEncoder(to)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
