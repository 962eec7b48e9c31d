package packages

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/remote"
)

// newAsk makes the command that the others run in the container of a controller
// (remote.AskCommand). It is no command for people, and not listed.
func newAsk(env *Env) *cobra.Command {
	o := &askOptions{}
	cmd := &cobra.Command{
		Use:    "ask",
		Short:  "Pass a question on to the controller on this machine, and its answer back",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(cmd *cobra.Command, _ []string) error { return o.bridge(cmd.Context(), env) },
	}
	o.addSocketFlag(cmd)
	return cmd
}

// bridge passes a question on to the socket, and the answer back. That there is no
// controller is an error; what a controller answers is none, whatever it is.
func (o *askOptions) bridge(ctx context.Context, env *Env) error {
	path, query, err := remote.ReadQuestion(env.In)
	if err != nil {
		return err
	}
	socket := o.socket
	if socket == "" {
		if socket, err = socketPath(ctx, env); err != nil {
			return err
		}
	}
	status, body, err := debug.Socket{Path: socket}.Get(ctx, path, query)
	if err != nil {
		return err
	}
	return remote.WriteAnswer(env.Out, status, body)
}
