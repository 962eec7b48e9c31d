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
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/remote"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// askOptions say which controller is asked, and how its answer is printed.
type askOptions struct {
	via             string
	socket          string
	systemNamespace string
	secrets         bool
	output          string
}

func (o *askOptions) addFlags(cmd *cobra.Command) {
	o.addWayFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "text", "Print as text, json, yaml, kyaml, name, jsonpath=… or go-template=…")
	f.BoolVar(&o.secrets, "show-secrets", false, "Don't mask values that are secret")
}

// addWayFlags adds the flags that say who is asked.
func (o *askOptions) addWayFlags(cmd *cobra.Command) {
	o.addSocketFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&o.via, "via", "", "Who is asked: a controller on this machine (socket), one in a Pod of the cluster (exec), or Deckhouse (deckhouse) (default: the first of them that is there)")
	f.StringVar(&o.systemNamespace, "system-namespace", "", "The namespace of the Lease and the Pods of the controller (default: wherever its Lease is)")
	completeFlag(cmd, "via", cobra.FixedCompletions(remote.Names(), cobra.ShellCompDirectiveNoFileComp))
}

func (o *askOptions) addSocketFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.socket, "socket", "", "The socket of the controller (default: that of this cluster's controller on this machine)")
}

// given tells that the command line says who is asked.
func (o *askOptions) given() bool { return o.socket != "" || o.via != "" }

// client finds the controller of the cluster.
func (o *askOptions) client(ctx context.Context, env *Env) (debug.Client, error) {
	transport, err := o.transport(ctx, env)
	return debug.Client{Transport: transport, Secrets: o.secrets}, err
}

// transport finds whom to ask.
func (o *askOptions) transport(ctx context.Context, env *Env) (debug.Transport, error) {
	way, err := remote.ParseWay(o.via)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--via: %w", err)
	case o.socket != "" && way != "" && way != remote.Socket:
		return nil, fmt.Errorf("--socket is a way of its own: it can't be used with --via %s", way)
	case o.socket != "": // the cluster is not asked
		return debug.Socket{Path: o.socket}, nil
	}
	client, err := env.Connect()
	if err != nil {
		return nil, err
	}
	config, err := env.RESTConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.UserAgent = env.UserAgent()
	return remote.Finder{
		Client: client, Runner: remote.Streams{Config: config}, SystemNamespace: o.systemNamespace,
		Socket: func(ctx context.Context) (string, error) { return socketPath(ctx, env) },
	}.Find(ctx, way)
}

// socketPath is where a controller of the cluster on this machine answers.
func socketPath(ctx context.Context, env *Env) (string, error) {
	uid, err := clusterUID(ctx, env)
	if err != nil {
		return "", err
	}
	return debug.SocketPath(env.Getenv, uid), nil
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

// completeInstances completes the names of the cluster's applications, or of those of a
// controller whose socket is given.
func completeInstances(env *Env, o *askOptions) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if o.socket == "" {
			return completeApplications(env)(cmd, args, text)
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
