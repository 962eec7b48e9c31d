package command

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// hideGlobalFlags leaves the flags of every command out of the help of each: they
// are many, they are kubectl's, and `options` lists them, as it does for kubectl.
// Completion and parsing still know them.
func hideGlobalFlags(root *cobra.Command, env *Env) {
	usage := root.UsageFunc()
	hide := func(hidden bool) {
		root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = hidden || isOldFlag(f.Name) })
	}
	root.SetUsageFunc(func(c *cobra.Command) error {
		hide(true)
		defer hide(false)
		if err := usage(c); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.OutOrStderr(), "\nUse %q for the flags of every command: the connection, --color, -v and --profile.\n", env.Name+" options")
		return err
	})
}
