package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan/saved"
)

// planKeyVariable holds the secret under which saved plans are digested; the
// cluster's hash key stands in for it.
const planKeyVariable = "TAZUNA_PLAN_KEY"

// leastPlanKey is how long that secret has to be, in bytes: a digest of a Secret's
// value is as good as the key it is made under.
const leastPlanKey = 16

// planKey finds the key of a saved plan. source is where it has to come from;
// nil takes what there is.
func (e *Env) planKey(h object.Hasher, source *saved.KeySource) ([]byte, saved.KeySource, error) {
	text := e.Getenv(planKeyVariable)
	from := saved.KeyNone
	switch {
	case source != nil:
		from = *source
	case text != "":
		from = saved.KeyEnvironment
	case len(h.Key) > 0:
		from = saved.KeyCluster
	}
	switch {
	case from == saved.KeyEnvironment && len(text) < leastPlanKey:
		return nil, from, fmt.Errorf("%s: wanted the secret that the plan is saved under, of at least %d bytes, found %d", planKeyVariable, leastPlanKey, len(text))
	case from == saved.KeyEnvironment:
		return saved.NewKey([]byte(text)), from, nil
	case from == saved.KeyCluster && len(h.Key) == 0:
		return nil, from, errors.New("the plan was saved under the cluster's hash key, which can't be read now")
	case from == saved.KeyCluster:
		return saved.NewKey(h.Key), from, nil
	default:
		return nil, from, nil
	}
}

// bind makes the saved form of a plan.
func (e *Env) bind(ctx context.Context, r round, mask object.Masker, flags map[string][]string, source *saved.KeySource) (*saved.File, error) {
	key, from, err := e.planKey(r.p.hasher, source)
	if err != nil {
		return nil, err
	}
	uid, err := r.p.client.ClusterUID(ctx)
	if err != nil {
		return nil, err
	}
	f, err := saved.Make(r.plan, saved.Digester{Key: key, Masker: mask}, saved.About{
		Created: e.Clock.Now(), ToolVersion: e.Version, ClusterUID: uid, Flags: flags, KeyedBy: from, Hooks: r.p.allHooks(),
	})
	if errors.Is(err, saved.ErrNoKey) {
		return nil, fmt.Errorf("the plan can't be saved: %w. The cluster has no key for that yet, which the first apply of a Secret makes: set %s to a secret of at least %d bytes here and for apply", err, planKeyVariable, leastPlanKey)
	}
	return f, err
}

// allHooks are the hooks of the selected charts, each behind what says when it runs.
func (p *prepared) allHooks() []map[string]any {
	var out []map[string]any
	for _, r := range p.results {
		if !p.source.selected[r.Manifest] {
			continue
		}
		for _, release := range r.Releases {
			for _, h := range release.Hooks {
				when := fmt.Sprint(r.Manifest, " ", release.Name, " ", h.Events, " ", h.Weight, " ", h.DeletePolicies)
				// With a kind, or it would be taken for a Secret's part.
				out = append(out, map[string]any{"apiVersion": "v1", "kind": "Hook", "when": when}, h.Object.Body)
			}
		}
	}
	return out
}

// writePlan saves a plan for apply --plan. One in which an object could not be
// compared would be bound to nothing, and one without a record can't be applied.
func (o *diffOptions) writePlan(ctx context.Context, env *Env, r round, cmd *cobra.Command) error {
	if failed := r.plan.Failed(); len(failed) > 0 {
		return errors.Join(append(failed, errors.New("the plan is not saved"))...)
	}
	if err := r.p.source.needRecord(); err != nil {
		return err
	}
	f, err := env.bind(ctx, r, o.view.masker(), boundFlags(cmd), nil)
	if err != nil {
		return err
	}
	if err := saved.Write(o.save, f); err != nil {
		return err
	}
	env.note("The plan is saved: %s apply --plan %s", env.Name, o.save)
	return nil
}

// boundFlagNames are those flags that say what is built and what may be done.
func boundFlagNames() []string {
	c := &cobra.Command{}
	(&sourceOptions{}).addFlags(c)
	(&policyOptions{}).addFlags(c)
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "refresh" { // how it was found out is not what is done
			names = append(names, f.Name)
		}
	})
	return names
}

// boundFlags are those of them that were given.
func boundFlags(cmd *cobra.Command) map[string][]string {
	out := map[string][]string{}
	for _, name := range boundFlagNames() {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			out[name] = flagValue(f)
		}
	}
	return out
}

func flagValue(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// usePlan reads the plan that apply is bound to and takes over its flags. One that
// was given as well must say the same.
func (o *applyOptions) usePlan(cmd *cobra.Command) error {
	if o.planFile == "" {
		return nil
	}
	f, err := saved.Read(o.planFile)
	if err != nil {
		return err
	}
	given := boundFlags(cmd)
	for name, value := range given {
		if !slices.Equal(value, f.Flags[name]) {
			return exit(ExitRefused, fmt.Errorf("--%s is given as %q, and the plan was saved with %q: leave it away, or make a new plan", name, value, f.Flags[name]))
		}
	}
	for _, name := range boundFlagNames() {
		value, ok := f.Flags[name]
		if _, set := given[name]; !ok || set {
			continue
		}
		if err := setFlag(cmd.Flags().Lookup(name), value); err != nil {
			return fmt.Errorf("%s: flag %s: %w", o.planFile, name, err)
		}
	}
	if len(f.Flags) > 0 {
		for name := range f.Flags {
			if !slices.Contains(boundFlagNames(), name) {
				return fmt.Errorf("%s: flag %s is none that a plan is bound to", o.planFile, name)
			}
		}
	}
	o.saved = f
	return nil
}

func setFlag(f *pflag.Flag, value []string) error {
	if f == nil {
		return errors.New("there is no such flag here")
	}
	f.Changed = true
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.Replace(value)
	}
	return f.Value.Set(strings.Join(value, ","))
}

// checkSaved refuses a plan that is not the saved one.
func (o *applyOptions) checkSaved(ctx context.Context, env *Env, r round) error {
	if o.saved == nil {
		return nil
	}
	uid, err := r.p.client.ClusterUID(ctx)
	if err != nil {
		return err
	}
	// First, since another cluster's hash key is another key.
	if other := o.saved.Cluster.Other(saved.ClusterOf(r.plan, uid)); other != "" {
		return o.stale([]string{other})
	}
	now, err := env.bind(ctx, r, o.view.masker(), o.saved.Flags, &o.saved.KeyedBy)
	if err != nil {
		return err
	}
	if changes := saved.Changes(o.saved, now); len(changes) > 0 {
		return o.stale(changes)
	}
	return nil
}

// stale is the refusal of a saved plan that no longer holds.
func (o *applyOptions) stale(changes []string) error {
	return exit(ExitRefused, fmt.Errorf("the plan in %s no longer holds, nothing was written; make a new one:\n  %s", o.planFile, strings.Join(changes, "\n  ")))
}

// planDigest names the saved plan in the record; empty without one.
func (o *applyOptions) planDigest() string {
	if o.saved == nil {
		return ""
	}
	hash := sha256.New()
	for _, object := range o.saved.Objects {
		fmt.Fprintf(hash, "%q\n", []string{object.Input, object.Seen, object.Intent})
	}
	return hex.EncodeToString(hash.Sum(nil))
}
