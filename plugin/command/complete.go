package command

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// completionTime is how long somebody who pressed a key waits for a cluster.
const completionTime = 2 * time.Second

// completer knows the values that words of a command line may have. It reads the
// kubeconfig and a tazuna.yaml, and asks a cluster only for its namespaces and for
// the names of the records. What can't be found out gives no choices and no error:
// the command itself says what is wrong.
type completer struct{ env *Env }

// addCompletions tells every command of the tree the values of its flags.
func addCompletions(root *cobra.Command, env *Env) {
	c := completer{env}
	flags := map[string]cobra.CompletionFunc{
		"context": c.contexts, "namespace": c.namespaces,
		"manifest": c.manifests, "tags": c.tags, "environment": c.environments,
	}
	for flag, words := range map[string][]cobra.Completion{
		"color":    {"auto", "always", "never"},
		"profile":  profileKinds,
		"pager":    {"auto", "never"},
		"progress": {progressAuto, "table", "lines", "none"},
		"validate": {"strict", "warn", "ignore"},
		"view":     {viewText, viewFields, viewServer},
	} {
		flags[flag] = cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	c.register(root, flags)
}

// register walks the tree. Whatever asks a cluster for arguments is given an end here,
// also where a command brought its own.
func (c completer) register(cmd *cobra.Command, flags map[string]cobra.CompletionFunc) {
	for name, complete := range flags {
		if cmd.Flags().Lookup(name) != nil || cmd.PersistentFlags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, inTime(complete)) // fails only where the command has one of its own
		}
	}
	if strings.Contains(cmd.Use, " MANIFEST") && cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = c.firstRecord
	}
	if cmd.ValidArgsFunction != nil {
		cmd.ValidArgsFunction = inTime(cmd.ValidArgsFunction)
	}
	for _, sub := range cmd.Commands() {
		c.register(sub, flags)
	}
}

// inTime has a completion asked no longer than completionTime.
func inTime(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		outer := cmd.Context()
		ctx, cancel := context.WithTimeout(outer, completionTime)
		defer cancel()
		cmd.SetContext(ctx)
		defer cmd.SetContext(outer)
		return complete(cmd, args, word)
	}
}

// firstRecord completes the first argument of commands for one record.
func (c completer) firstRecord(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.records(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
}

func (c completer) contexts(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	raw, err := c.env.flags.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(raw.Contexts)), cobra.ShellCompDirectiveNoFileComp
}

func (c completer) namespaces(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	client, err := c.env.connect()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	kind, err := client.Mapping(cmd.Context(), schema.GroupKind{Kind: "Namespace"}, "v1")
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	found, _ := client.List(cmd.Context(), kind, cluster.ListOptions{MetadataOnly: true}) // none, with an error
	var names []cobra.Completion
	for _, namespace := range found {
		names = append(names, namespace.GetName())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// manifests are those of the file; without one, those that have a record.
func (c completer) manifests(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	file := c.file(cmd)
	if file == nil {
		return c.records(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, m := range file.Tazuna.Spec.Manifests {
		names = append(names, cobra.CompletionWithDesc(m.Name, m.Description))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (c completer) tags(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	if file := c.file(cmd); file != nil {
		for _, tag := range file.Tags() {
			names = append(names, cobra.CompletionWithDesc(tag.Name, strings.Join(tag.Manifests, ", ")))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (c completer) environments(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if file := c.file(cmd); file != nil {
		return file.Tazuna.Spec.Environments, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// file is the tazuna.yaml that the command line so far means; nil if there is none
// that can be read.
func (c completer) file(cmd *cobra.Command) *config.File {
	path := defaultFile
	if files, err := cmd.Flags().GetStringSlice("filename"); err == nil && len(files) > 0 {
		path = files[0]
	}
	if is, err := isTazunaFile(path); err != nil || !is {
		return nil
	}
	environment, _ := cmd.Flags().GetString("environment") // "" where there is no such flag
	file, err := config.Load(path, config.LoadOptions{
		Version: c.env.Version, Environment: environment, Lenient: true, Types: build.ConfigTypes(),
	})
	if err != nil {
		return nil
	}
	return file
}

// records are the names of all records in the cluster.
func (c completer) records(ctx context.Context) []cobra.Completion {
	client, err := c.env.connect()
	if err != nil {
		return nil
	}
	names, _ := c.env.store(client).Manifests(ctx) // none, with an error
	return names
}
