package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// exportOptions are those of secret-to-genesissecret.
type exportOptions struct {
	host, vault, note string
	selector, regex   string
	all               bool
	dir               string
	dryRun, yes       bool
}

func newSecretToGenesisSecret(env *Env) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:   "secret-to-genesissecret --op-host HOST --vault VAULT",
		Short: "Put live Secrets into 1Password, and write the GenesisSecret files that make them again",
		Long: `Makes an item of 1Password of each Secret of a namespace, named NAMESPACE.NAME, with the
command op, and writes a GenesisSecret file for it. An item that is there is compared and
never changed; where its values differ, the Secret is left out. Nothing is written to the
cluster, and no value is shown, or handed over otherwise than on op's standard input.

Left out are Secrets that are made by controllers, tokens of service accounts, releases
of Helm, the records of this tool, and those with values that are no text.

Exit codes: 0 done, 1 if a Secret could not be exported.`,
		Example: fmt.Sprintf(`  %[1]s secret-to-genesissecret -n shop --op-host example.1password.com --vault Infra --dry-run
  %[1]s secret-to-genesissecret -A -l team=shop --op-host example.1password.com --vault Infra --dump-dir secrets`, env.Name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	f := cmd.Flags()
	f.StringVar(&o.host, "op-host", "", "The host in the addresses of items, op://HOST/VAULT/ITEM")
	f.StringVar(&o.vault, "vault", "", "The vault of the items")
	f.StringVar(&o.note, "note", "", "The note of new items")
	f.StringVarP(&o.selector, "selector", "l", "", "Only Secrets with these labels (kubectl's selector)")
	f.StringVar(&o.selector, "label-selector", "", "Accepted for old scripts: the same as --selector")
	_ = f.MarkHidden("label-selector")
	f.StringVar(&o.regex, "name-regex", "", "Only Secrets whose name matches (Go syntax, not anchored)")
	f.BoolVarP(&o.all, "all-namespaces", "A", false, "Secrets of all namespaces; the files are named NAMESPACE.NAME.yaml then")
	f.StringVar(&o.dir, "dump-dir", ".", "Where the files are written")
	f.BoolVar(&o.dryRun, "dry-run", false, "Only show what would be done; op is asked for the titles of the vault's items")
	f.BoolVarP(&o.yes, "yes", "y", false, "Don't ask before writing")
	return cmd
}

// exported is a Secret with the file that is written for it.
type exported struct {
	genesis.Export
	path string
}

func (o *exportOptions) run(ctx context.Context, env *Env) error {
	if o.host == "" || o.vault == "" {
		return errors.New("--op-host and --vault: wanted both, they name where the items go")
	}
	client, err := env.connect()
	if err != nil {
		return err
	}
	found, err := o.secrets(ctx, client)
	if err != nil {
		return err
	}
	e := &genesis.Exporter{Run: genesis.RunCommandInput, Host: o.host, Vault: o.vault, Note: o.note}
	titles, err := e.Titles(ctx)
	if err != nil {
		return err
	}
	list, failed := o.prepare(env, e, titles, found)
	if len(list) == 0 {
		env.note("There is no Secret to export.")
		return errors.Join(failed...)
	}
	if o.dryRun {
		return errors.Join(failed...)
	}
	question := fmt.Sprintf("Write items of vault %s and %s for Secrets", o.vault, counted(len(list), "file"))
	if err := env.confirm(ctx, o.yes, question, client.Context().Context); err != nil {
		return err
	}
	for _, x := range list {
		if err := x.write(ctx, env, e); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// secrets lists those that are asked for and can be meant.
func (o *exportOptions) secrets(ctx context.Context, client *cluster.Client) ([]*unstructured.Unstructured, error) {
	regex, err := regexp.Compile(o.regex)
	if err != nil {
		return nil, fmt.Errorf("--name-regex: %w", err)
	}
	namespace, _ := client.Namespace()
	if o.all {
		namespace = ""
	}
	m, err := client.Mapping(ctx, schema.GroupKind{Kind: "Secret"}, "v1")
	if err != nil {
		return nil, err
	}
	list, err := client.List(ctx, m, cluster.ListOptions{Namespace: namespace, LabelSelector: o.selector})
	if err != nil {
		return nil, fmt.Errorf("list Secrets: %w", err)
	}
	list = slices.DeleteFunc(list, func(u *unstructured.Unstructured) bool {
		return !regex.MatchString(u.GetName()) || madeByPrograms(u)
	})
	slices.SortFunc(list, func(a, b *unstructured.Unstructured) int {
		return strings.Compare(a.GetNamespace()+"."+a.GetName(), b.GetNamespace()+"."+b.GetName())
	})
	return list, nil
}

// madeByPrograms tells Secrets that come back by themselves, or mean nothing elsewhere.
func madeByPrograms(u *unstructured.Unstructured) bool {
	kind, _, _ := unstructured.NestedString(u.Object, "type")
	return metav1.GetControllerOf(u) != nil || u.GetNamespace() == state.Namespace ||
		kind == "kubernetes.io/service-account-token" || kind == "bootstrap.kubernetes.io/token" || strings.HasPrefix(kind, "helm.sh/release")
}

// prepare describes each Secret, and tells what is going to happen with it.
func (o *exportOptions) prepare(env *Env, e *genesis.Exporter, titles map[string]int, found []*unstructured.Unstructured) (list []exported, failed []error) {
	for _, u := range found {
		x, err := e.Prepare(u.Object, titles)
		if err != nil {
			failed = append(failed, fmt.Errorf("Secret %s/%s is not exported: %w", u.GetNamespace(), u.GetName(), err))
			continue
		}
		name := u.GetName()
		if o.all {
			name = x.Title
		}
		next := exported{x, filepath.Join(o.dir, name+".yaml")}
		word := "a new item"
		if x.Exists {
			word = "the item that is there, if its values are the same"
		}
		env.note("Secret %s/%s: %s %q, and %s", u.GetNamespace(), u.GetName(), word, x.Title, next.path)
		list = append(list, next)
	}
	return list, failed
}

// write makes the item and the file, which never takes another's place.
func (x exported) write(ctx context.Context, env *Env, e *genesis.Exporter) error {
	have, err := os.ReadFile(x.path)
	switch {
	case err == nil && !bytes.Equal(have, x.File):
		return fmt.Errorf("%s is there already, with another content: nothing of it is written", x.path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := e.Store(ctx, x.Export); err != nil {
		return err
	}
	if have != nil {
		fmt.Fprintf(env.Out, "unchanged: %s\n", x.path)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(x.path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", x.path, err)
	}
	if err := os.WriteFile(x.path, x.File, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", x.path, err)
	}
	fmt.Fprintf(env.Out, "created: %s\n", x.path)
	return nil
}
