package packages

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/skeleton"
)

func newInit(env *Env) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Begin a package: a directory with one that works",
		Long: `Makes a directory with a whole small package in it: settings, a server with an
endpoint, a hook, and objects to try it with. Nothing that exists is overwritten.`,
		Example: fmt.Sprintf(`  # a package in ./shop
  %s packages init shop`, env.Name),
		Args: oneArg("NAME"),
		RunE: func(_ *cobra.Command, args []string) error { return initialise(env, args[0], dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "Where to make it (default ./NAME)")
	_ = cmd.MarkFlagDirname("dir") // an error is only that there is no such flag
	return cmd
}

func initialise(env *Env, name, dir string) error {
	if dir == "" {
		dir = name
	}
	files, err := skeleton.Write(dir, name)
	if err != nil {
		return err
	}
	for _, file := range files {
		fmt.Fprintln(env.Out, filepath.Join(dir, filepath.FromSlash(file)))
	}
	env.note(`
Next:
  %[1]s packages lint %[2]s
  %[1]s packages render --bundle %[2]s
  %[1]s packages hooks run --bundle %[2]s --snapshots %[3]s`,
		env.Name, dir, filepath.Join(dir, "examples", "objects.yaml"))
	return nil
}
