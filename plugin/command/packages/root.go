package packages

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
)

// New makes the command "packages" with all of its sub-commands.
func New(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "packages",
		Aliases: []string{"package"},
		Short:   "Write, publish and run application packages, and look inside",
		Long: `Works on application packages (package.yaml, schemas, templates, hooks): begins one,
says what is wrong with it, shows what an instance of it would be, tries out its
hooks, and publishes it, all without a cluster; and looks into the controller that
runs applications. See docs/packages.md.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		newInit(env), newLint(env), newRender(env), newValues(env), newHooks(env),
		newBuild(env), newPush(env),
		newController(env), newInstall(env), newUninstall(env), newModule(env), newList(env), newStatus(env), newExplain(env), newEvents(env), newLogs(env), newDiff(env),
		newDump(env), newSnapshots(env), newQueue(env), newScheduler(env), newAsk(env),
	)
	return cmd
}

// registryOptions say how a registry is reached, beside what the environment says.
type registryOptions struct {
	caFile    string
	plainHTTP bool
	insecure  bool
	offline   bool
}

func (o *registryOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.caFile, "registry-ca-file", "", "A file of certificates (PEM) that registries are trusted by, besides the system's")
	f.BoolVar(&o.plainHTTP, "registry-plain-http", false, "Talk to registries without TLS")
	f.BoolVar(&o.insecure, "registry-insecure", false, "Don't check the certificates of registries")
}

// addOfflineFlag is for commands that only read.
func (o *registryOptions) addOfflineFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.offline, "offline", false, "Ask no registry: take what the local cache has")
}

// client makes a client; it sends no request.
func (o *registryOptions) client(env *Env) (*registry.Client, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then there are no files of credentials
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = ""
	}
	options, err := registry.FromEnvironment(env.Getenv, home, cache)
	if err != nil {
		return nil, err
	}
	if o.caFile != "" {
		options.CAFile = o.caFile
	}
	options.PlainHTTP, options.Insecure, options.Offline = o.plainHTTP, o.insecure, o.offline
	options.UserAgent, options.Warn = env.UserAgent(), env.warn
	return registry.New(options)
}

// packageOptions say which package, and of which instance of it is spoken.
type packageOptions struct {
	registry registryOptions
	bundle   string
	instance string
}

const bundleUsage = "The package: its directory, an OCI layout (oci:DIR[:TAG]), or HOST/REPOSITORY:TAG"

func (o *packageOptions) addFlags(cmd *cobra.Command) {
	o.addPackageFlags(cmd)
	o.addInstanceFlag(cmd)
}

// addPackageFlags is for commands to which all instances are the same.
func (o *packageOptions) addPackageFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.bundle, "bundle", ".", bundleUsage)
	_ = cmd.MarkFlagDirname("bundle") // an error is only that there is no such flag
	o.addRegistryFlags(cmd)
}

func (o *packageOptions) addRegistryFlags(cmd *cobra.Command) {
	o.registry.addFlags(cmd)
	o.registry.addOfflineFlag(cmd)
}

func (o *packageOptions) addInstanceFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.instance, "instance", "test", "The name of the instance; its namespace is that of -n, or default")
}

// maxInstanceName is the longest name that an Application can have.
const maxInstanceName = 24

// oneArg wants one argument and says which.
func oneArg(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("wanted one argument, %s, found %d", what, len(args))
		}
		return nil
	}
}

// noArg refuses arguments: many would give the package as one, as lint has it.
func noArg(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("wanted no argument, found %q: the package is given with --bundle", args[0])
	}
	return nil
}

// identity is the instance that is spoken of. The kubeconfig is not looked at:
// nothing here has to do with a cluster.
func (o *packageOptions) identity(env *Env) (hook.Instance, error) {
	if len(o.instance) > maxInstanceName || o.instance == "" {
		return hook.Instance{}, fmt.Errorf("--instance: wanted 1 to %d characters, found %d in %q", maxInstanceName, len(o.instance), o.instance)
	}
	if reasons := validation.IsDNS1123Label(o.instance); len(reasons) > 0 {
		return hook.Instance{}, fmt.Errorf("--instance %q: %s", o.instance, reasons[0])
	}
	namespace := "default"
	if given := env.Namespace(); given != "" {
		namespace = given
	}
	if reasons := validation.IsDNS1123Label(namespace); len(reasons) > 0 {
		return hook.Instance{}, fmt.Errorf("namespace %q: %s", namespace, reasons[0])
	}
	return hook.Instance{Namespace: namespace, Name: o.instance}, nil
}

// open opens the package and warns of what is odd about it. The caller closes it.
func (o *packageOptions) open(ctx context.Context, env *Env) (*source.Package, error) {
	client, err := o.registry.client(env)
	if err != nil {
		return nil, err
	}
	p, err := source.Opener{Client: client}.Open(ctx, o.bundle)
	if err != nil {
		return nil, err
	}
	env.warnOf(p.Warnings)
	return p, nil
}
