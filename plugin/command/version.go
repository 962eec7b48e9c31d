package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// versionPatience bounds what is asked of a server, unless --request-timeout does.
const versionPatience = 5 * time.Second

type versionOptions struct {
	client bool
	output string
	// linked gives the version of a module in this program, empty where the build
	// doesn't say.
	linked func(module string) string
}

func newVersion(env *Env) *cobra.Command {
	o := &versionOptions{linked: linkedVersion}
	return o.command(env)
}

// linkedVersion reads the version of a module from the running program.
func linkedVersion(module string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return moduleVersion(info, module)
}

// addVersionFlag makes --version of the program itself mean version --client, as the
// original tool has it.
func addVersionFlag(root *cobra.Command, env *Env) {
	var asked bool
	root.Flags().BoolVar(&asked, "version", false, "Print the version of this program")
	help := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if !asked {
			return help(cmd, args)
		}
		o := versionOptions{client: true, linked: linkedVersion}
		return o.run(cmd.Context(), env)
	}
}

func (o *versionOptions) command(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the versions of this program and of the server",
		Long: `Prints the version of this program, with the Kubernetes that its libraries are of, and
that of the server, and warns where the two are further apart than Kubernetes supports:
one minor version. Where a controller of packages works in the cluster, its version and
where it runs are told as well. It is found by its Lease, in any namespace; who may not
list Leases in all of them is told of one in namespace ` + controller.DefaultSystemNamespace + ` only.

A server that doesn't answer within 5 seconds (or --request-timeout) is an error, after
the program's own version is printed. Where no kubeconfig names a cluster, none is asked.`,
		Example: fmt.Sprintf(`  # without asking a server
  %[1]s version --client

  # in a script
  %[1]s version --client -o jsonpath={.client.version}`, env.Name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	cmd.Flags().BoolVar(&o.client, "client", false, "Ask no server")
	cmd.Flags().StringVarP(&o.output, "output", "o", "", "Print as json, yaml, kyaml, jsonpath=… or go-template=…")
	return cmd
}

func (o *versionOptions) run(ctx context.Context, env *Env) error {
	result := printers.NewVersions(printers.ClientVersion{
		Version: env.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Kubernetes: cluster.ReleaseOfLibrary(o.linked("k8s.io/client-go")),
	})
	var unanswered error
	if !o.client {
		unanswered = askVersions(ctx, env, result)
	}
	if err := env.printResult(o.output, result); err != nil {
		return err
	}
	if result.Skew != "" {
		env.warn(result.Skew)
	}
	return unanswered
}

// moduleVersion is that of a linked module, empty where it isn't.
func moduleVersion(info *debug.BuildInfo, path string) string {
	for _, dep := range info.Deps {
		if dep.Path != path {
			continue
		}
		if dep.Replace != nil {
			return dep.Replace.Version
		}
		return dep.Version
	}
	return ""
}

// askVersions adds the versions that are found in the cluster, in bounded time.
func askVersions(ctx context.Context, env *Env, result *printers.Versions) error {
	client, err := env.connect()
	if err != nil {
		return err
	}
	if !client.Configured() {
		env.note("note: no kubeconfig names a cluster, so no server was asked")
		return nil
	}
	patience := env.requestTimeout(versionPatience)
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	server, err := client.ServerVersion(bounded)
	// Whichever of the bound and the client's own time limit comes first.
	var slow net.Error
	switch {
	case errors.Is(bounded.Err(), context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return fmt.Errorf("get the version of the server %s: no answer within %s", client.Context().Server, patience)
	case err != nil:
		return err
	}
	if err := askController(bounded, env, client, result); err != nil {
		env.warn(err.Error())
	}
	result.Server = &printers.ServerVersion{Version: server.GitVersion, Platform: server.Platform}
	if result.Client.Kubernetes == "" {
		return nil
	}
	// A server whose version can't be read is not an old one.
	if result.Skew, err = cluster.Skew(result.Client.Kubernetes, server.GitVersion); err != nil {
		env.warn(err.Error())
	}
	return nil
}

// askController adds the controller of packages, where one leads, and warns where
// several do.
func askController(ctx context.Context, env *Env, client *cluster.Client, result *printers.Versions) error {
	leaders, err := controller.FindLeaders(ctx, client)
	if err != nil || len(leaders) == 0 {
		return err
	}
	leader := leaders[0]
	result.Controller = &printers.ControllerVersion{Version: leader.Version, Namespace: leader.Namespace, Holder: leader.Holder}
	if !leader.Renewed.IsZero() {
		result.Controller.Renewed = leader.Renewed.UTC().Format(time.RFC3339)
	}
	for _, other := range leaders[1:] {
		env.warn(fmt.Sprintf("another controller of packages works in namespace %s (%s %s): both change the same objects, so stop one of them",
			other.Namespace, other.Holder, other.Version))
	}
	return nil
}

// requestTimeout is what --request-timeout says, otherwise the default.
func (e *Env) requestTimeout(otherwise time.Duration) time.Duration {
	// What is no duration was an error when the client was made.
	if given, err := time.ParseDuration(*e.flags.Timeout); err == nil && given > 0 {
		return given
	}
	return otherwise
}

func newOptions(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "options",
		Short: "List the flags that every command takes",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(env.Out, "These flags can be passed to any command:\n\n%s", cmd.InheritedFlags().FlagUsages())
			return err
		},
	}
}
