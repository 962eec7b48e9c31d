package packages

import (
	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Completion looks at nothing but names of files: asking a package for its hooks would
// run them because somebody pressed a key.

// completeDirectory completes the first argument with directories.
func completeDirectory(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeBinding completes names of stages, which are the same for all hooks.
func completeBinding(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, stage := range binding.Stages() {
		names = append(names, string(stage))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeFlag registers the completion of a flag that the command has.
func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // an error is only that there is no such flag
}
