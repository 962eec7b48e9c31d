package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/pki"
)

func newUser(open opener) *cobra.Command {
	var user pki.Client
	cmd := &cobra.Command{
		Use:   "user",
		Short: "Make a kubeconfig with a client certificate and print its path",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := open()
			if err != nil {
				return err
			}
			path, err := makeUser(h, user)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.Flags().StringVar(&user.Name, "name", "", "name of the user (required)")
	cmd.Flags().StringArrayVar(&user.Groups, "group", nil, "group of the user (repeatable)")
	cmd.Flags().BoolVar(&user.Expired, "expired", false, "make a certificate that has expired already")
	return cmd
}

// makeUser replaces the kubeconfig of an earlier user of the same name.
func makeUser(h home.Home, user pki.Client) (string, error) {
	if user.Name == "" {
		return "", errors.New("--name is required")
	}
	state, err := h.LoadState()
	if err != nil {
		return "", err
	}
	store, err := pki.Open(h.PKI())
	if err != nil {
		return "", err
	}
	// Names such as system:serviceaccount:a:b are fine in a certificate, but
	// not all are in a path.
	path := h.UserKubeconfig(strings.NewReplacer("/", "_", ":", "_").Replace(user.Name))
	return path, pki.WriteKubeconfig(store, state.APIURL(), path, user)
}
