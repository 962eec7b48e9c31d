package packages

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/install"
)

// Manifest is objects that are applied under one record.
type Manifest struct {
	Name string
	// YAML are the objects, as documents.
	YAML []byte
}

// Applier applies objects that a command makes itself, as "apply" does those of files:
// it shows what would change, asks, applies and records that, and deletes what the
// records list and the objects no longer have.
type Applier interface {
	// AddFlags adds those of a run, --yes and --dry-run among them.
	AddFlags(cmd *cobra.Command)
	// DryRun is none, client or server.
	DryRun() string
	// Apply runs. Its error has the exit code.
	Apply(ctx context.Context, manifests []Manifest) error
}

// installOptions are those of "packages install".
type installOptions struct {
	install  install.Options
	applier  Applier
	rights   string
	output   string
	monitors string
}

func newInstall(env *Env) *cobra.Command {
	o := &installOptions{install: install.DefaultOptions(env.Version), applier: env.Applier()}
	cmd := &cobra.Command{
		Use:   "install [-- FLAG...]",
		Short: "Install the packages controller into the cluster",
		Long: `Installs what "packages controller" needs to run in the cluster: definitions of its
kinds, namespace, ServiceAccount with roles, Deployment, Service, the webhook that
judges Applications before they are stored, and policies that protect their objects.

It is one run of "apply" under the records packages-crds and packages-controller: it
shows what would change, asks, and waits until the controller is up. Run it again for
another version or other flags: only what differs is written, and what is no longer
needed is deleted. "packages uninstall" takes it back.

With --dry-run=client -o yaml it prints the objects instead and asks no cluster; each
rule of the roles says what it is for. Arguments after -- are further flags of
"packages controller". It refuses where Deckhouse itself runs.
See docs/packages-controller.md and docs/rbac.md.`,
		Example: fmt.Sprintf(`  # install, or bring up to this version
  %[1]s packages install

  # for the applications of two namespaces, with rights there only
  %[1]s packages install --namespaces shop,blog

  # into a repository of manifests
  %[1]s packages install --dry-run=client -o yaml > controller.yaml

  # look for missing objects less often
  %[1]s packages install -- --drift-interval=15m`, env.Name),
		Args: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); len(args) > 0 && n != 0 {
				return fmt.Errorf("wanted no argument but flags of the controller after --, found %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.install.Args, o.install.Namespace = args, systemNamespace(cmd, env)
			return o.run(cmd.Context(), env)
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *installOptions) addFlags(cmd *cobra.Command) {
	f, i := cmd.Flags(), &o.install
	o.applier.AddFlags(cmd)
	f.StringVarP(&o.output, "output", "o", "", "With --dry-run=client, print the objects as yaml or json instead of what would change")
	f.StringVar(&i.Image, "image", i.Image, "The image of the controller (default that of this release)")
	f.StringSliceVar(&i.PullSecrets, "image-pull-secret", nil, "A Secret of the controller's namespace that the image is pulled with")
	f.IntVar(&i.Replicas, "replicas", i.Replicas, "How many controllers there are; one works, the others stand by")
	f.StringToStringVar(&i.Requests, "requests", i.Requests, "What the container is promised")
	f.StringToStringVar(&i.Limits, "limits", i.Limits, "What the container may take; hooks run in it")
	f.StringToStringVar(&i.Annotations, "pod-annotation", nil, "Annotations of the Pods")
	addSystemNamespace(cmd)
	f.BoolVar(&i.CreateNamespace, "create-namespace", i.CreateNamespace, "Make that namespace; without it, it has to be there, and uninstall leaves it")
	f.StringSliceVar(&i.Namespaces, "namespaces", nil, "Look after the Applications of these namespaces only, and have rights there only (default all)")
	f.StringVar(&o.rights, "rbac", string(i.Rights), "What the controller may do in the namespaces of applications: common (kinds that packages usually have), minimal (what it does itself; roles of yours add to either), cluster-admin, or none (no roles at all are made)")
	f.StringVar(&i.PlatformVersion, "platform-version", "", "The version that requirements on deckhouse are held against; without it none of them is met")
	f.BoolVar(&i.Webhook, "webhook", i.Webhook, "Have the API server ask the controller about Applications before it stores them")
	f.BoolVar(&i.Protect, "protect", i.Protect, "Keep everybody but the controller from changing objects of applications, by admission policies")
	f.StringVar(&o.monitors, "prometheus", "auto", "Make a PrometheusRule and a ServiceMonitor: auto (where the cluster serves them; none in what is printed), true or false")
	completeFlag(cmd, "output", cobra.FixedCompletions([]string{"yaml", "json"}, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "rbac", cobra.FixedCompletions(install.AllRights(), cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "prometheus", cobra.FixedCompletions([]string{"auto", "true", "false"}, cobra.ShellCompDirectiveNoFileComp))
}

const systemNamespaceFlag = "system-namespace"

func addSystemNamespace(cmd *cobra.Command) {
	cmd.Flags().String(systemNamespaceFlag, controller.DefaultSystemNamespace, "The namespace of the controller; -n is the same")
}

// systemNamespace is that of its flag, else that of -n.
func systemNamespace(cmd *cobra.Command, env *Env) string {
	f := cmd.Flags().Lookup(systemNamespaceFlag)
	if given := env.Namespace(); given != "" && !f.Changed {
		return given
	}
	return f.Value.String()
}

func (o *installOptions) run(ctx context.Context, env *Env) error {
	if err := o.validate(); err != nil {
		return err
	}
	if o.output != "" {
		return o.print(env)
	}
	client, err := env.Connect()
	if err != nil {
		return err
	}
	if err := controller.RefuseDeckhouse(ctx, client); err != nil {
		return env.Exit(Refused, fmt.Errorf("packages install: %w", err))
	}
	if err := o.findMonitoring(ctx, client); err != nil {
		return err
	}
	objects, err := install.Objects(o.install)
	if err != nil {
		return err
	}
	manifests, err := manifestsOf(objects)
	if err != nil {
		return err
	}
	if o.install.Rights == install.RightsNone {
		env.note("No roles are made (--rbac=none): the controller works once you bind some to the user %s", o.install.User())
	}
	if err := o.applier.Apply(ctx, manifests); err != nil {
		return err
	}
	if o.applier.DryRun() == "none" {
		env.note("The controller runs in namespace %s. Next: a PackageRepository, and then Applications; see docs/packages-controller.md", o.install.Namespace)
	}
	return nil
}

func (o *installOptions) validate() error {
	o.install.Rights = install.Rights(o.rights)
	switch o.monitors {
	case "auto":
	case "true", "false":
		o.install.Rules, o.install.Monitor = o.monitors == "true", o.monitors == "true"
	default:
		return fmt.Errorf("--prometheus: wanted auto, true or false, found %q", o.monitors)
	}
	switch o.output {
	case "", "yaml", "json":
	default:
		return fmt.Errorf("--output: wanted yaml or json, found %q", o.output)
	}
	if o.output != "" && o.applier.DryRun() != "client" {
		return errors.New("--output prints the objects and applies nothing: give --dry-run=client with it")
	}
	return o.install.Validate()
}

// print prints the objects; no cluster is asked.
func (o *installOptions) print(env *Env) error {
	objects, err := install.Objects(o.install)
	if err != nil {
		return err
	}
	format := install.YAML
	if o.output == "json" {
		format = install.JSON
	}
	data, err := format(objects)
	if err != nil {
		return err
	}
	_, err = env.Out.Write(data)
	return err
}

// findMonitoring finds out which kinds of Prometheus's operator there are, where that
// is left to the cluster.
func (o *installOptions) findMonitoring(ctx context.Context, client *cluster.Client) error {
	if o.monitors != "auto" {
		return nil
	}
	for kind, wanted := range map[string]*bool{install.KindRule: &o.install.Rules, install.KindMonitor: &o.install.Monitor} {
		_, err := client.Mapping(ctx, schema.GroupKind{Group: install.MonitoringGroup, Kind: kind}, install.MonitoringVersion)
		var none *cluster.ErrNoKind
		if err != nil && !errors.As(err, &none) {
			return fmt.Errorf("find out whether the cluster serves %s: %w (--prometheus=false does without)", kind, err)
		}
		*wanted = err == nil
	}
	return nil
}

// manifestsOf puts objects under their records.
func manifestsOf(objects []install.Object) ([]Manifest, error) {
	var definitions, rest []install.Object
	for _, o := range objects {
		if o.Definition {
			definitions = append(definitions, o)
		} else {
			rest = append(rest, o)
		}
	}
	var out []Manifest
	for _, of := range []struct {
		name    string
		objects []install.Object
	}{{install.DefinitionsManifest, definitions}, {install.Manifest, rest}} {
		data, err := install.YAML(of.objects)
		if err != nil {
			return nil, err
		}
		out = append(out, Manifest{Name: of.name, YAML: data})
	}
	return out, nil
}
