package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

// adoptOptions are those of state adopt, which is a run of apply whose objects are
// wanted as they are live.
type adoptOptions struct {
	run      applyOptions
	from     string
	selector string
	// manifest is the record, name what --from means there.
	manifest, name string
}

func newStateAdopt(env *Env) *cobra.Command {
	o := &adoptOptions{run: applyOptions{operation: "state adopt", validate: "strict", dryRun: "none"}}
	o.run.plans = o.plan
	cmd := &cobra.Command{
		Use:   "adopt MANIFEST --from kapp APP | helm RELEASE | applyset ID | kubectl",
		Short: "Put objects that another tool deployed into a record, as they are",
		Long: `Finds the objects of a kapp app, a Helm release, an ApplySet or of kubectl apply, shows
them, asks, and takes them over into the record of a manifest: fields that the tool owns
become ours, its bookkeeping goes, our label is put on. No value changes, and each object
keeps its uid. What somebody changed since the tool applied it is recorded as it is now.

No files are needed; the next apply compares them with this record. Apps, releases and
objects of kubectl are looked for in the namespace of -n or the kubeconfig.`,
		Example: fmt.Sprintf(`  %[1]s state adopt web --from kapp web
  %[1]s state adopt ingress --from helm ingress-nginx -n ingress
  %[1]s state adopt legacy --from kubectl -l app=legacy`, env.Name),
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.manifest = args[0]
			if len(args) > 1 {
				o.name = args[1]
			}
			return o.adopt(cmd.Context(), env)
		},
	}
	o.run.view.addFlags(cmd)
	o.run.addRunFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "The tool: kapp, helm, applyset or kubectl")
	f.StringVarP(&o.selector, "selector", "l", "", "Of kubectl's, only objects with these labels")
	f.StringVar(&o.run.policy.fieldManager, "field-manager", "tazuna", "The field manager of our server-side applies")
	return cmd
}

func (o *adoptOptions) adopt(ctx context.Context, env *Env) error {
	if err := config.CheckName(o.manifest); err != nil {
		return err
	}
	if !slices.Contains([]string{"kapp", "helm", "applyset", "kubectl"}, o.from) {
		return fmt.Errorf("--from: wanted kapp, helm, applyset or kubectl, found %q", o.from)
	}
	switch {
	case o.from == "kubectl" && o.name != "":
		return fmt.Errorf("--from kubectl: wanted no name, found %q; -l narrows it", o.name)
	case o.from != "kubectl" && o.selector != "":
		return fmt.Errorf("-l is for --from kubectl, found --from %q", o.from)
	case o.from != "kubectl" && o.name == "":
		return fmt.Errorf("--from %s: wanted the name of what to adopt, found none", o.from)
	}
	o.run.policy.adopt = true
	return o.run.run(ctx, env)
}

// plan makes the plan of the adoption.
func (o *adoptOptions) plan(ctx context.Context, env *Env) (round, error) {
	client, err := env.connect()
	if err != nil {
		return round{}, err
	}
	rules, err := config.DefaultKappConfig()
	if err != nil {
		return round{}, err
	}
	p := &prepared{source: &source{}, client: client, store: env.store(client), rules: &rules, destroyed: []string{o.manifest}}
	p.store.Wait = o.run.lockTimeout
	key, err := p.store.HashKey(ctx, false)
	if err != nil && !errors.Is(err, state.ErrNoHashKey) {
		return round{}, err
	}
	p.hasher = object.Hasher{Key: key}
	rec, err := p.store.Read(ctx, o.manifest)
	if err != nil {
		return round{}, err
	}
	p.records = map[string]*state.Record{o.manifest: rec}
	objects, err := o.find(ctx, env, client)
	if err != nil {
		return round{}, err
	}
	p.inputs = []plan.Input{{Manifest: o.manifest, Objects: objects, Record: rec, DefaultNamespace: rec.DefaultNamespace}}
	current, planner, err := p.plan(ctx, env, planOptions{policy: o.run.policy.policy(), refresh: true})
	if err != nil {
		return round{}, err
	}
	current.Leftover = nil // what the record lists besides is none of this
	refuseValues(current)
	return round{p, current, planner}, nil
}

// refuseValues keeps the promise that no value changes, whatever the plan found.
func refuseValues(p *plan.Plan) {
	for _, o := range p.Objects {
		if o.Op.Writes() && o.Op != plan.OpAdopt {
			o.Op, o.Adopt, o.Reason = plan.OpRefuse, nil, "it can't be taken over as it is: its values would change; apply it from files"
		}
	}
}

// find reads the objects of the tool as what is wanted.
func (o *adoptOptions) find(ctx context.Context, env *Env, client *cluster.Client) ([]object.Object, error) {
	keys, err := o.keys(ctx, env, client)
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		where := "" // other tools' objects are looked for everywhere
		if namespace, _ := client.Namespace(); o.from == "kubectl" {
			where = " in namespace " + namespace
		}
		return nil, fmt.Errorf("--from %s: no objects found%s", strings.TrimSpace(o.from+" "+o.name), where)
	}
	var entries []state.Entry
	for _, k := range keys {
		entries = append(entries, state.Entry{Key: k})
	}
	live, err := inventory.Live(ctx, client, entries)
	if err != nil {
		return nil, err
	}
	adoptables := plan.Adoptables{Reader: client}
	var out []object.Object
	for _, k := range keys {
		f := live[k]
		switch {
		case f.Err != nil:
			return nil, fmt.Errorf("read %s: %w", k.Ref(), f.Err)
		case f.Object == nil:
			env.warn(fmt.Sprintf("%s is gone: it is not recorded", k.Ref()))
			continue
		}
		body, err := adoptables.Of(ctx, f.Mapping, f.Object)
		if err != nil {
			return nil, err
		}
		out = append(out, object.Object{Body: body, Origin: object.Origin{File: strings.TrimSpace(o.from + " " + o.name)}})
	}
	return out, nil
}

func (o *adoptOptions) keys(ctx context.Context, env *Env, client *cluster.Client) ([]state.Key, error) {
	namespace, _ := client.Namespace()
	var s inventory.Search
	var err error
	switch o.from {
	case "helm":
		rendered, err := plan.HelmRelease(ctx, client, namespace, o.name)
		if err != nil {
			return nil, fmt.Errorf("read the Helm release %s in namespace %s: %w", o.name, namespace, err)
		}
		keys, err := inventory.OfRelease(ctx, client, o.manifest, namespace, rendered)
		if err != nil {
			return nil, fmt.Errorf("find the Helm release %s in namespace %s: %w", o.name, namespace, err)
		}
		return keys, nil
	case "kapp":
		s, err = inventory.KappApp(ctx, client, namespace, o.name)
	case "applyset":
		s, err = inventory.ApplySet(o.name)
	case "kubectl":
		s, err = inventory.Kubectl(namespace, o.selector)
	}
	if err != nil {
		return nil, err
	}
	if s.Kinds, err = env.kinds(ctx, client); err != nil {
		return nil, err
	}
	s.Manifest = o.manifest
	found, err := inventory.Find(ctx, client, s)
	for _, u := range found.Unread {
		env.warn("not looked through: " + u)
	}
	return found.Keys, err
}
