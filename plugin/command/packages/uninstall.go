package packages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/install"
)

// Remover deletes what a record lists, as "destroy" does, and the record.
type Remover interface {
	// AddFlags adds those of a run, --yes and --dry-run among them.
	AddFlags(cmd *cobra.Command)
	// DryRun is none or client.
	DryRun() string
	// Recorded reads which objects a record lists, and whether there is one.
	Recorded(ctx context.Context, manifest string) ([]object.Ref, bool, error)
	// Remove asks, unless it is agreed, and deletes. Its error has the exit code.
	Remove(ctx context.Context, manifest string, agreed bool) error
}

// What becomes of the definitions.
const (
	crdsDelete = "delete"
	crdsKeep   = "keep"
)

// uninstallOptions are those of "packages uninstall".
type uninstallOptions struct {
	remover Remover
	crds    string
}

func newUninstall(env *Env) *cobra.Command {
	o := &uninstallOptions{remover: env.Remover()}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the packages controller from the cluster",
		Long: `Deletes what "packages install" installed, by its records: first the controller with
all that belongs to it, then the definitions of its kinds, and with these its
PackageRepositories and what was found in them.

While there are Applications it refuses: with the definition of Applications they would
go too, and nobody would remove their objects. Delete them first, or give --crds=keep:
then definitions and Applications stay and what they installed runs on, but nobody
looks after it, and an Application that is deleted waits for a controller.

Exit codes: 0 done or nothing to do, 1 something failed, 3 refused.`,
		Args: noArg,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.remover.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.crds, "crds", crdsDelete, "What becomes of the definitions: delete, or keep")
	completeFlag(cmd, "crds", cobra.FixedCompletions([]string{crdsDelete, crdsKeep}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *uninstallOptions) run(ctx context.Context, env *Env) error {
	if o.crds != crdsDelete && o.crds != crdsKeep {
		return fmt.Errorf("--crds: wanted %s or %s, found %q", crdsDelete, crdsKeep, o.crds)
	}
	client, err := env.Connect()
	if err != nil {
		return err
	}
	left, err := install.FindLeft(ctx, client)
	if err != nil {
		return err
	}
	if err := o.mayGo(env, left); err != nil {
		return err
	}
	objects, there, err := o.remover.Recorded(ctx, install.Manifest)
	if err != nil {
		return err
	}
	if there {
		if err := o.remover.Remove(ctx, install.Manifest, false); err != nil {
			return err
		}
	}
	return o.finish(ctx, env, client, install.NamespaceOf(objects), there)
}

// mayGo refuses where Applications would be lost, and says what else goes or stays.
func (o *uninstallOptions) mayGo(env *Env, left install.Left) error {
	if o.crds == crdsKeep {
		if n := len(left.Applications); n > 0 {
			env.note("%d Application(s) stay, and what they installed runs on: %s. Nobody looks after it, and one that is deleted waits for a controller.", n, some(left.Applications))
		}
		return nil
	}
	if n := len(left.Applications); n > 0 {
		return env.Exit(Refused, fmt.Errorf("there are %d Application(s): %s. Without the controller nobody removes what they installed, and with the definitions they would go themselves. "+
			"Delete them first (kubectl delete applications.deckhouse.io NAME -n NAMESPACE), or keep definitions and Applications with --crds=keep. Nothing was deleted", n, some(left.Applications)))
	}
	var gone []string
	for kind, objects := range left.Others {
		gone = append(gone, fmt.Sprintf("%d %s(s)", len(objects), kind))
	}
	if slices.Sort(gone); len(gone) > 0 {
		env.note("With the definitions go %s.", strings.Join(gone, ", "))
	}
	return nil
}

// mostNames is how many names a message has.
const mostNames = 5

func some(names []string) string {
	if len(names) <= mostNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
}

// finish removes what isn't on the record of the controller, which was in a namespace.
// agreed tells that the user has already said yes.
func (o *uninstallOptions) finish(ctx context.Context, env *Env, client *cluster.Client, namespace string, agreed bool) error {
	_, defined, err := o.remover.Recorded(ctx, install.DefinitionsManifest)
	if err != nil {
		return err
	}
	if o.crds == crdsKeep {
		defined = false
	}
	if !agreed && !defined {
		env.note("Nothing to do: there is no record of an installation. What was printed by \"packages install\" and applied by something else, that deletes.")
		return nil
	}
	if o.remover.DryRun() == "none" {
		if err := o.settle(ctx, client, namespace); err != nil {
			return err
		}
	}
	if !defined {
		return nil
	}
	return o.remover.Remove(ctx, install.DefinitionsManifest, agreed)
}

// settle waits until the controller is gone, and does what it would have done where it
// ran on.
func (o *uninstallOptions) settle(ctx context.Context, client *cluster.Client, namespace string) error {
	if err := install.AwaitStop(ctx, client, namespace); err != nil {
		return err
	}
	if err := install.ForgetLeader(ctx, client, namespace); err != nil {
		return fmt.Errorf("remove the Lease of the controller: %w", err)
	}
	if o.crds == crdsKeep {
		return nil
	}
	left, err := install.FindLeft(ctx, client)
	if err != nil {
		return err
	}
	if n := len(left.Applications); n > 0 {
		return fmt.Errorf("the controller is gone, but %d Application(s) came meanwhile: %s. The definitions stay; install it again to have them removed", n, some(left.Applications))
	}
	return install.LetGo(ctx, client)
}
