package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

func newTags(env *Env) *cobra.Command {
	o := &sourceOptions{}
	cmd := &cobra.Command{
		Use:   "tags [-f FILE]",
		Short: "List the tags of a tazuna.yaml and the manifests that carry them",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return o.listTags(env) },
	}
	cmd.Flags().StringSliceVarP(&o.files, "filename", "f", nil, "The tazuna.yaml (default ./tazuna.yaml)")
	cmd.Flags().StringSliceVarP(&o.tags, "tags", "t", nil, "Only these tags")
	o.addFileFlags(cmd)
	return cmd
}

// listTags prints each tag with a colon and its manifests below.
func (o *sourceOptions) listTags(env *Env) error {
	src, err := o.read(env)
	if err != nil {
		return err
	}
	if src.file == nil {
		return errors.New("plain objects have no tags: -f must name a tazuna.yaml")
	}
	for _, tag := range src.file.Tags() {
		if len(o.tags) > 0 && !slices.Contains(o.tags, tag.Name) {
			continue
		}
		fmt.Fprintf(env.Out, "%s:\n", tag.Name)
		for _, name := range tag.Manifests {
			fmt.Fprintf(env.Out, "- %s\n", name)
		}
	}
	return nil
}
