package command

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/inventory"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// statusOptions are those of status.
type statusOptions struct {
	source   sourceOptions
	output   string
	exitCode bool
	watch    bool
	timeout  time.Duration
}

func newStatus(env *Env) *cobra.Command {
	o := &statusOptions{}
	cmd := &cobra.Command{
		Use:   "status [-f FILE]",
		Short: "Show how far all recorded objects have come",
		Long: `Shows of every object in the records of the file, or of the whole cluster where there
is no file, whether it is Ready, NotReady or Missing, by the rules that apply waits
by. Nothing is built and nothing is written.

With --watch, what changes is printed until everything is ready, or Ctrl-C.

Exit codes: 0, also if something isn't ready; with --exit-code 1 then.`,
		Example: fmt.Sprintf(`  # everything that this tool has installed in the cluster
  %[1]s status

  # wait in a script until one manifest is ready
  %[1]s status --manifest web --watch --timeout 5m --exit-code`, env.Name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	o.source.addFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "Print as json, yaml, kyaml, name (of what isn't ready), jsonpath=… or go-template=…")
	f.BoolVar(&o.exitCode, "exit-code", false, "Exit with 1 when something isn't ready")
	f.BoolVarP(&o.watch, "watch", "w", false, "Go on until everything is ready")
	f.DurationVar(&o.timeout, "timeout", 0, "How long to --watch; 0 is without end")
	return cmd
}

func (o *statusOptions) run(ctx context.Context, env *Env) error {
	switch {
	case o.watch && o.output != "":
		return errors.New("--watch prints lines as things change: it can't be used with -o")
	case o.timeout != 0 && !o.watch:
		return errors.New("--timeout is for --watch")
	}
	client, err := env.connect()
	if err != nil {
		return err
	}
	scope, err := o.source.recorded(ctx, env, client)
	if err != nil {
		return err
	}
	result, err := scope.status(ctx, env)
	if err != nil {
		return err
	}
	if err := env.printResult(o.output, result); err != nil {
		return err
	}
	if o.watch {
		if result, err = o.follow(ctx, env, scope, result); err != nil {
			return err
		}
	}
	if o.exitCode && result.Ready < result.Total {
		return &ExitError{Code: ExitFailed}
	}
	return nil
}

// recordScope are the records that a command is about.
type recordScope struct {
	client *cluster.Client
	store  *state.Store
	names  []string
	// orphans are those that the file doesn't name.
	orphans []string
	rules   config.KappConfig
}

// recorded finds the records that a command without builds is about.
func (o *sourceOptions) recorded(ctx context.Context, env *Env, client *cluster.Client) (*recordScope, error) {
	s := &recordScope{client: client, store: env.store(client)}
	var err error
	if s.rules, err = config.DefaultKappConfig(); err != nil {
		return nil, err
	}
	names, src, err := o.which(env)
	if err != nil {
		return nil, err
	}
	if err := guard(src, client); err != nil {
		return nil, err
	}
	switch s.names = names; {
	case src.file != nil:
		s.rules = s.rules.With(src.file.Tazuna.Spec.Rules)
		s.orphans = orphans(ctx, env, s.store, src)
	case len(names) > 0:
	case o.nothingGiven():
		s.names, err = s.store.Manifests(ctx)
	default:
		err = src.needRecord()
	}
	return s, err
}

// orphans are the records of manifests that a whole tazuna.yaml doesn't name; none
// where only a part of it was asked for. They are those of the file's project; where
// it has none, those without one, which other such files may name.
func orphans(ctx context.Context, env *Env, store *state.Store, src *source) []string {
	if len(src.options.manifests) > 0 || len(src.options.tags) > 0 {
		return nil
	}
	projects, err := store.Projects(ctx)
	if err != nil {
		env.note("note: manifests that left the file can't be told: %v", err)
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(projects)), func(name string) bool {
		return projects[name] != src.project() || slices.ContainsFunc(src.file.Tazuna.Spec.Manifests, func(m config.Manifest) bool { return m.Name == name })
	})
}

// noteOrphans tells of records that no manifest of the file stands for.
func (s *recordScope) noteOrphans(env *Env) {
	if len(s.orphans) > 0 {
		env.note("note: the cluster has records of manifests that this file doesn't name: %s; `state list` shows what they list", strings.Join(s.orphans, ", "))
	}
}

// read reads one record, and warns of what can't be read of it.
func (s *recordScope) read(ctx context.Context, env *Env, name string) (*state.Record, error) {
	rec, err := s.store.Read(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, d := range rec.Damaged {
		env.warn(d.String())
	}
	return rec, nil
}

func (s *recordScope) status(ctx context.Context, env *Env) (*printers.Status, error) {
	var records []*state.Record
	live := map[state.Key]inventory.Found{}
	for _, name := range s.names {
		rec, err := s.read(ctx, env, name)
		if err != nil {
			return nil, err
		}
		found, err := inventory.Live(ctx, s.client, rec.Entries)
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
		maps.Copy(live, found)
	}
	return s.judged(records, live), nil
}
