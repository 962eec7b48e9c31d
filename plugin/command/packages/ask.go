package packages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/overview"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// askOptions say which controller is asked, and how its answer is printed.
type askOptions struct {
	socket  string
	secrets bool
	output  string
}

func (o *askOptions) addFlags(cmd *cobra.Command) {
	o.addSocketFlag(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "text", "Print as text, json, yaml, kyaml, name, jsonpath=… or go-template=…")
	f.BoolVar(&o.secrets, "show-secrets", false, "Don't mask values that are secret")
}

func (o *askOptions) addSocketFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.socket, "socket", "", "The socket of the controller (default: that of this cluster's controller on this machine)")
}

// client finds the controller of the cluster.
func (o *askOptions) client(ctx context.Context, env *Env) (debug.Client, error) {
	path := o.socket
	if path == "" {
		uid, err := clusterUID(ctx, env)
		if err != nil {
			return debug.Client{}, err
		}
		path = debug.SocketPath(env.Getenv, uid)
	}
	return debug.Client{Transport: debug.Socket{Path: path}, Secrets: o.secrets}, nil
}

// clusterUID is what controllers are told apart by.
func clusterUID(ctx context.Context, env *Env) (string, error) {
	client, err := env.Connect()
	if err != nil {
		return "", err
	}
	uid, err := client.ClusterUID(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("find the controller of this cluster: %w (--socket names it without asking the cluster)", err)
	case uid == "":
		return "", errors.New("find the controller of this cluster: you may not read the namespace kube-system, whose uid names it; give --socket")
	}
	return uid, nil
}

// held tells of an application that the cluster has, but the controller doesn't hold,
// what it waits for. All other errors stay as they are, also where the cluster doesn't
// tell.
func held(ctx context.Context, env *Env, name string, err error) error {
	var none *debug.NotHeldError
	if !errors.As(err, &none) {
		return err
	}
	apps, unasked := findApplications(ctx, env)
	if unasked != nil {
		return err
	}
	app, unasked := apps.get(ctx, name)
	if unasked != nil {
		return err
	}
	line := overview.Line(app, env.Now())
	return fmt.Errorf("the controller has not taken up the application %s yet (%s): %s", name, line.State, line.Message)
}

// print writes an answer.
func (o *askOptions) print(env *Env, answer any, text func(printers.Options) error) error {
	format := o.output
	if format == "text" {
		format = ""
	}
	return env.print(format, answer, text)
}

const nameUsage = "NAMESPACE.INSTANCE, NAMESPACE/INSTANCE, or INSTANCE with -n"

// instanceName reads the name of an application in any of its spellings; without a
// namespace it is that of -n or of the context.
func instanceName(env *Env, text string) (string, error) {
	namespace, name, both := strings.Cut(text, "/")
	if !both {
		if namespace, name, both = api.SplitInstanceName(text); !both {
			namespace, name = "", text
		}
	}
	given := env.Namespace()
	switch {
	case !isLabel(name) || both && !isLabel(namespace):
		return "", fmt.Errorf("name of an application: wanted %s, found %q", nameUsage, text)
	case both && given != "" && given != namespace:
		return "", fmt.Errorf("name of an application: %q and -n %s name two namespaces", text, given)
	case both:
		return api.InstanceName(namespace, name), nil
	case given != "":
		return api.InstanceName(given, name), nil
	}
	client, err := env.Connect()
	if err != nil {
		return "", err
	}
	namespace, _ = client.Namespace()
	return api.InstanceName(namespace, name), nil
}

func isLabel(text string) bool { return len(validation.IsDNS1123Label(text)) == 0 }

// namedArg takes the name as the only argument or by --name, as the commands of
// Deckhouse do; "" where it may be left out and is.
func namedArg(env *Env, args []string, flag string) (string, error) {
	switch {
	case len(args) > 0 && flag != "":
		return "", fmt.Errorf("the name is given twice: %q and --name %s", args[0], flag)
	case len(args) > 0:
		return instanceName(env, args[0])
	case flag != "":
		return instanceName(env, flag)
	}
	return "", nil
}

// atMostName allows one argument.
func atMostName(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("wanted at most one argument, %s, found %d", nameUsage, len(args))
	}
	return nil
}

// completeInstances completes the names of the controller's applications.
func completeInstances(env *Env, o *askOptions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		client, err := o.client(cmd.Context(), env)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		all, err := client.Instances(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for name := range all.Apps {
			names = append(names, name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
