package packages

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/repository"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle/source"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/pack"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/registry"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// publishOptions say where the images of a package go.
type publishOptions struct {
	form      string // what -t has to look like
	registry  registryOptions
	tag       string
	overwrite bool
	output    string
}

func newBuild(env *Env) *cobra.Command {
	o := &publishOptions{form: "oci:LAYOUT[:VERSION]"}
	cmd := &cobra.Command{
		Use:   "build DIR -t " + o.form,
		Short: "Make the images of a package in an OCI layout directory",
		Long: `Makes the bundle image and the metadata image of a package and puts them into an
OCI layout directory. The same files and version give the same digests everywhere.
Without a VERSION it is that of package.yaml. Nothing is sent to a registry: that
is "packages push".`,
		Args:              oneArg("DIR"),
		ValidArgsFunction: completeDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), env, args[0], func(to registry.Reference) error {
				if to.IsLayout() {
					return nil
				}
				return fmt.Errorf("-t: wanted %s, found %s: that is for packages push", o.form, to)
			})
		},
	}
	o.addFlags(cmd)
	return cmd
}

func newPush(env *Env) *cobra.Command {
	o := &publishOptions{form: "HOST/REPOSITORY/NAME[:VERSION]"}
	cmd := &cobra.Command{
		Use:   "push DIR|LAYOUT -t " + o.form,
		Short: "Publish a package in a registry",
		Long: `Makes the images of a package, or takes those of an OCI layout that was built before,
and publishes them in a registry: REPOSITORY/NAME:VERSION is the bundle,
REPOSITORY/NAME/version:VERSION its metadata, and the tag NAME of REPOSITORY lists
it. A version that is there with another content is refused unless --overwrite is
given. Credentials are those of docker, podman or helm login, or
TAZUNA_REGISTRY_HOST, _USERNAME, _PASSWORD and _TOKEN.`,
		Args:              oneArg("DIR or LAYOUT"),
		ValidArgsFunction: completeDirectory,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), env, args[0], func(to registry.Reference) error {
				if !to.IsLayout() {
					return nil
				}
				return fmt.Errorf("-t: wanted %s, found %s: that is for packages build", o.form, to)
			})
		},
	}
	o.addFlags(cmd)
	o.registry.addFlags(cmd)
	return cmd
}

func (o *publishOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.tag, "tag", "t", "", "Where it goes")
	f.BoolVar(&o.overwrite, "overwrite", false, "Replace a version that is there with another content")
	f.StringVarP(&o.output, "output", "o", "", outputUsage)
	_ = cmd.MarkFlagRequired("tag") // an error is only that there is no such flag
}

func (o *publishOptions) run(ctx context.Context, env *Env, from string, judge func(registry.Reference) error) error {
	to, err := registry.ParseReference(o.tag)
	if err != nil {
		return fmt.Errorf("-t: wanted %s: %w", o.form, err)
	}
	if to.Digest != "" {
		return fmt.Errorf("-t: wanted no digest, found %s: the digest comes of what is built", to)
	}
	if err := judge(to); err != nil {
		return err
	}
	client, err := o.registry.client(env)
	if err != nil {
		return err
	}
	images, err := o.build(ctx, env, client, from, to.Tag)
	if err != nil {
		return err
	}
	root, err := rootOf(to, images.Name)
	if err != nil {
		return err
	}
	published, err := images.Push(ctx, repository.Repository{Client: client, Root: root}, o.overwrite)
	if errors.Is(err, registry.ErrExists) {
		return env.Exit(Refused, fmt.Errorf("%w (--overwrite)", err))
	}
	if err != nil {
		return err
	}
	return o.print(env, images, published)
}

// build makes the images of a directory or layout, and says what is left out.
func (o *publishOptions) build(ctx context.Context, env *Env, client *registry.Client, from, version string) (*pack.Images, error) {
	p, err := source.Opener{Client: client}.Open(ctx, from)
	if err != nil {
		return nil, err
	}
	defer env.close(p)
	images, findings, err := pack.Build(p.FS, pack.Options{Version: version})
	env.warnOf(bundle.Warnings(findings))
	if err != nil {
		return nil, err
	}
	for _, left := range images.Left {
		env.note("left out: %s (%s)", left.Path, left.Reason)
	}
	return images, nil
}

// rootOf is the repository that holds the package: what is before its name.
func rootOf(to registry.Reference, name string) (registry.Reference, error) {
	if to.IsLayout() {
		to.Tag = ""
		return to, nil
	}
	root, last := path.Split(to.Repository)
	root = strings.TrimSuffix(root, "/")
	if last != name || root == "" {
		return to, fmt.Errorf("-t: wanted HOST/REPOSITORY/%s, since that is the name of the package, found %s", name, to.Name())
	}
	return registry.Reference{Host: to.Host, Repository: root}, nil
}

func (o *publishOptions) print(env *Env, images *pack.Images, published []pack.Published) error {
	result := report.NewPublished(images.Name, images.Version)
	for _, p := range published {
		result.Images = append(result.Images, report.Image{Reference: p.Reference.String(), Digest: p.Digest, Unchanged: p.Unchanged})
	}
	if o.output != "" {
		return printers.Structured(env.Out, o.output, result)
	}
	for _, image := range result.Images {
		suffix := ""
		if image.Unchanged {
			suffix = "  (was there)"
		}
		fmt.Fprintf(env.Out, "%s@%s%s\n", image.Reference, image.Digest, suffix)
	}
	return nil
}
