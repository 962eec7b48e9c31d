package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newTags(env *Env) *cobra.Command {
	o := &sourceOptions{}
	cmd := &cobra.Command{
		Use:   "tags [-f FILE]",
		Short: "List the tags of a tazuna.yaml and the manifests that carry them",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			src, err := o.read(env)
			if err != nil {
				return err
			}
			if src.file == nil {
				return fmt.Errorf("plain objects have no tags: -f must name a tazuna.yaml")
			}
			for _, tag := range src.file.Tags() {
				fmt.Fprintf(env.Out, "%s: %s\n", tag.Name, strings.Join(tag.Manifests, ", "))
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVarP(&o.files, "filename", "f", nil, "The tazuna.yaml (default ./tazuna.yaml)")
	return cmd
}
