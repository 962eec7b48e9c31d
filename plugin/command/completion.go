package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
)

const (
	pluginName = "kubectl-tazuna"
	// completionProgram is what kubectl looks for on PATH to complete the words
	// behind "kubectl tazuna".
	completionProgram = "kubectl_complete-tazuna"
	completionScript  = "#!/bin/sh\n# kubectl calls this to complete \"kubectl tazuna\".\nexec kubectl-tazuna __complete \"$@\"\n"
)

// addCompletionForKubectl adds a command to those that cobra makes, one a shell.
func addCompletionForKubectl(root *cobra.Command, env *Env) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.AddCommand(newCompletionForKubectl(env))
		}
	}
}

type completionOptions struct{ install, force bool }

func newCompletionForKubectl(env *Env) *cobra.Command {
	o := &completionOptions{}
	cmd := &cobra.Command{
		Use:   "kubectl",
		Short: "Print the program by which kubectl completes \"kubectl tazuna\", or install it",
		Long: `Kubectl's own completion asks a program called ` + completionProgram + ` for the
words behind "kubectl tazuna". This prints it, a shell script of three lines; it has
to be executable and on PATH. With --install it is put beside ` + pluginName + `, where
PATH finds that.

For kubectl's own completion see "kubectl completion --help".`,
		Example: fmt.Sprintf("  %s completion kubectl --install", env.Name),
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if o.install {
				return o.run(env)
			}
			_, err := fmt.Fprint(env.Out, completionScript)
			return err
		},
	}
	cmd.Flags().BoolVar(&o.install, "install", false, "Put it on PATH, beside "+pluginName)
	cmd.Flags().BoolVar(&o.force, "force", false, "With --install, overwrite a file of that name")
	return cmd
}

func (o *completionOptions) run(env *Env) error {
	if runtime.GOOS == "windows" {
		return errors.New("--install is for systems with a shell: on Windows kubectl starts no scripts of this kind")
	}
	dir, err := pluginDirectory(env.Getenv("PATH"))
	if err != nil {
		return err
	}
	file := filepath.Join(dir, completionProgram)
	switch there, err := os.ReadFile(file); {
	case err == nil && string(there) != completionScript && !o.force:
		return fmt.Errorf("%s is there already and is another; --force overwrites it", file)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.WriteFile(file, []byte(completionScript), 0o755); err != nil { //nolint:gosec // a program
		return fmt.Errorf("%w; without --install it is printed, to be put elsewhere on PATH", err)
	}
	if err := os.Chmod(file, 0o755); err != nil { //nolint:gosec // one that was there keeps its mode otherwise
		return err
	}
	_, err = fmt.Fprintf(env.Out, "installed: %s\n", file)
	return err
}

// pluginDirectory is the directory of PATH in which kubectl finds us. Ours may be a
// link to another place that is not on PATH, as krew has it.
func pluginDirectory(path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, pluginName)); err == nil && info.Mode().IsRegular() {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s is in no directory of PATH: kubectl would not find it either", pluginName)
}
