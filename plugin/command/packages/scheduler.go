package packages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func newScheduler(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "scheduler",
		Short: "Look at which applications may run, and why not",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSchedulerDump(env))
	return cmd
}

// schedulerOptions are those of "packages scheduler dump".
type schedulerOptions struct {
	ask     askOptions
	name    string
	of      packageOptions
	modules []string
	graph   string
	kube    string
	version string
}

func newSchedulerDump(env *Env) *cobra.Command {
	o := &schedulerOptions{}
	cmd := &cobra.Command{
		Use:   "dump [NAME]",
		Short: "Show which requirement of an application is not met",
		Long: `Asks the running controller for the scheduler's view of an application, or of all and
the modules: whether it may run, which requirement is not met, and what it depends on.

With --bundle, no controller and no cluster is asked: the requirements of that package
are held against --kube-version, --platform-version and the modules of --module and
--graph. A file for --graph is a YAML list of modules that need each other:
[{name: ingress, version: v1.2.0, needs: [certificates]}]; it can be looked at without a
package, too. Modules that form a circle are refused, and the others count.

NAME is ` + nameUsage + `.`,
		Example: fmt.Sprintf(`  %[1]s packages scheduler dump --name demo.shop

  # would this package run there?
  %[1]s packages scheduler dump --bundle . --kube-version v1.31.0 --module ingress=v1.2.0`, env.Name),
		Args:              atMostName,
		RunE:              func(cmd *cobra.Command, args []string) error { return o.run(cmd, env, args) },
		ValidArgsFunction: completeInstances(env, &o.ask),
	}
	o.ask.addFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.name, "name", "", "The application, as an argument would name it")
	o.of.addPackageFlags(cmd)
	f.Lookup("bundle").DefValue, o.of.bundle = "", ""
	f.StringVar(&o.kube, "kube-version", chart.DefaultKubeVersion, "With --bundle: the version of Kubernetes")
	f.StringVar(&o.version, "platform-version", "", "With --bundle: the version of the platform")
	f.StringArrayVar(&o.modules, "module", nil, "With --bundle: an enabled module, NAME or NAME=VERSION; may be repeated")
	f.StringVar(&o.graph, "graph", "", "Without a controller: a file with modules that need each other")
	completeFlag(cmd, "name", completeInstances(env, &o.ask))
	return cmd
}

func (o *schedulerOptions) run(cmd *cobra.Command, env *Env, args []string) error {
	if o.of.bundle != "" || o.graph != "" {
		return o.offline(cmd.Context(), env, args)
	}
	for _, flag := range []string{"kube-version", "platform-version", "module"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for --bundle: a controller knows its cluster", flag)
		}
	}
	name, err := namedArg(env, args, o.name)
	if err != nil {
		return err
	}
	client, err := o.ask.client(cmd.Context(), env)
	if err != nil {
		return err
	}
	if name == "" {
		all, err := client.Scheduler(cmd.Context())
		if err != nil {
			return err
		}
		return o.print(env, all, all)
	}
	node, err := client.Node(cmd.Context(), name)
	if err != nil {
		return err
	}
	return o.print(env, node, &report.Scheduler{Nodes: map[string]report.Node{name: *node}})
}

// print writes one node alone as data, and as a line of the table as text.
func (o *schedulerOptions) print(env *Env, data any, table *report.Scheduler) error {
	return o.ask.print(env, data, func(p printers.Options) error { return printers.PackageScheduler(table, p) })
}

// offline schedules a package in an imagined cluster.
func (o *schedulerOptions) offline(ctx context.Context, env *Env, args []string) error {
	if len(args) > 0 || o.name != "" || o.ask.given() {
		return errors.New("--bundle or --graph asks no controller: it can't be used with a name, --socket or --via")
	}
	modules, err := o.enabled()
	if err != nil {
		return err
	}
	s := schedule.New()
	s.SetFacts(schedule.Facts{Kubernetes: o.kube, Deckhouse: o.version, Bootstrapped: true})
	_, refused := s.SetModules(modules)
	if o.of.bundle != "" {
		if err := o.put(ctx, env, s); err != nil {
			return err
		}
	}
	s.Resume()
	all, err := reported(s.Dump())
	if err != nil {
		return err
	}
	return errors.Join(o.print(env, all, all), refused)
}

// put schedules the package.
func (o *schedulerOptions) put(ctx context.Context, env *Env, s *schedule.Scheduler) error {
	p, err := o.of.open(ctx, env)
	if err != nil {
		return err
	}
	defer env.close(p)
	namespace := env.Namespace()
	if namespace == "" {
		namespace = "default"
	}
	_, err = s.Put(schedule.Node{
		Kind: schedule.Application, Name: api.InstanceName(namespace, p.Definition.Name), Version: p.Definition.Version,
		Order: schedule.ApplicationOrder, Requirements: p.Definition.Requirements,
	})
	return err
}

// reported is a dump as a controller would answer it.
func reported(d schedule.Dump) (*report.Scheduler, error) {
	data, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("encode the scheduler: %w", err)
	}
	all := &report.Scheduler{}
	return all, json.Unmarshal(data, all)
}

// enabled lists the modules of the imagined cluster.
func (o *schedulerOptions) enabled() ([]schedule.Node, error) {
	var modules []schedule.Node
	for _, text := range o.modules {
		name, version, _ := strings.Cut(text, "=")
		modules = append(modules, schedule.Node{Kind: schedule.Module, Name: name, Version: version})
	}
	if o.graph == "" {
		return modules, nil
	}
	data, err := os.ReadFile(o.graph)
	if err != nil {
		return nil, fmt.Errorf("--graph: %w", err)
	}
	var graph []struct {
		Name    string   `yaml:"name"`
		Version string   `yaml:"version"`
		Needs   []string `yaml:"needs"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data)) // it leaves a module named y as it is
	decoder.KnownFields(true)
	if err := decoder.Decode(&graph); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("--graph %s: wanted a list of {name, version, needs}: %w", o.graph, err)
	}
	for i, m := range graph {
		if m.Name == "" {
			return nil, fmt.Errorf("--graph %s: item %d has no name", o.graph, i+1)
		}
		node := schedule.Node{Kind: schedule.Module, Name: m.Name, Version: m.Version}
		for _, name := range m.Needs {
			node.Requirements.Mandatory = append(node.Requirements.Mandatory, bundle.ModuleRequirement{Name: name})
		}
		modules = append(modules, node)
	}
	return modules, nil
}
