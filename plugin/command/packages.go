package command

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/command/packages"
)

// newPackages gives the commands of packages what they need of us.
func newPackages(env *Env) *cobra.Command {
	return packages.New(&packages.Env{
		IOStreams: env.IOStreams, Getenv: env.Getenv, Environ: os.Environ, Name: env.Name, Version: env.Version,
		UserAgent: env.userAgent, Colors: env.colors, Connect: env.connect,
		Now:        func() time.Time { return env.Clock.Now() }, // not asked for while the tree is made
		RESTConfig: env.restConfig,
		Namespace:  func() string { return *env.flags.Namespace },
		PlanView:   func() packages.PlanView { return &planView{env: env} },
		Applier:    func() packages.Applier { return newPackagesApplier(env) },
		Remover:    func() packages.Remover { return newPackagesRemover(env) },
		Exit:       func(code int, err error) error { return &ExitError{Code: code, Err: err} },
	})
}
