package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/build"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// chartListOptions are those of chart list.
type chartListOptions struct {
	source      sourceOptions
	output      string
	checkLatest bool
}

func newChart(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "chart",
		Short: "Look at the charts of a tazuna.yaml",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newChartList(env))
	return cmd
}

func newChartList(env *Env) *cobra.Command {
	o := &chartListOptions{}
	cmd := &cobra.Command{
		Use:   "list [-f FILE]",
		Short: "List the charts that manifests render, with their versions",
		Long: `Lists the charts of manifests of the types helm, helmfile and oras, with the version
that the file asks for. No chart is fetched or rendered, and no cluster is asked.

With --check-latest, chart repositories and registries are asked for the highest version
that is no pre-release. --offline takes the index of a repository that was seen last; a
registry can't be asked then.

Exit codes: 0, also if something is outdated; 1 if a version could not be looked up.`,
		Example: fmt.Sprintf(`  %[1]s chart list
  %[1]s chart list --check-latest -o 'jsonpath={.charts[?(@.outdated)].release}'`, env.Name),
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), env) },
	}
	f := cmd.Flags()
	f.StringSliceVarP(&o.source.files, "filename", "f", nil, "The tazuna.yaml (default ./tazuna.yaml)")
	f.StringSliceVar(&o.source.manifests, "manifest", nil, "Only these manifests")
	f.StringSliceVarP(&o.source.tags, "tags", "t", nil, "Only manifests with one of these tags")
	o.source.addFileFlags(cmd)
	f.BoolVar(&o.source.offline, "offline", false, "Fetch nothing: indexes and artifacts come from the cache")
	f.BoolVar(&o.source.noCache, "no-cache", false, "Fetch indexes and artifacts anew, and keep nothing of them")
	f.BoolVar(&o.checkLatest, "check-latest", false, "Ask repositories and registries for the highest version")
	f.StringVarP(&o.output, "output", "o", "", "Print as json, yaml, kyaml, name (with --check-latest, of what is outdated), jsonpath=… or go-template=…")
	return cmd
}

func (o *chartListOptions) run(ctx context.Context, env *Env) error {
	src, err := o.source.read(env)
	if err != nil {
		return err
	}
	if src.file == nil {
		return errors.New("plain objects have no charts: -f must name a tazuna.yaml")
	}
	builder, err := env.builder(src)
	if err != nil {
		return err
	}
	uses, err := src.charts(ctx, builder)
	if err != nil {
		return err
	}
	items := make([]printers.ChartItem, len(uses))
	for i, u := range uses {
		items[i] = printers.ChartItem{
			Manifest: u.Manifest, Release: u.Release, Namespace: u.Namespace, Chart: u.Chart,
			Repository: u.Repository, Version: u.Version, File: u.File, Line: u.Line,
		}
	}
	failed := 0
	if o.checkLatest {
		failed = env.lookUp(ctx, builder, uses, items)
	}
	if err := env.printResult(o.output, printers.NewChartList(items, o.checkLatest)); err != nil {
		return ignoreLeft(err)
	}
	if failed > 0 {
		return fmt.Errorf("the latest version of %s could not be looked up", counted(failed, "chart"))
	}
	return ctx.Err()
}

// charts lists those of the selected manifests.
func (s *source) charts(ctx context.Context, builder build.Builder) ([]build.ChartUse, error) {
	var all []build.ChartUse
	for i, m := range s.all {
		if !s.selected[m.Name] {
			continue
		}
		uses, err := builder.Charts(ctx, m)
		if err != nil {
			return nil, err
		}
		entry := s.file.Tazuna.Spec.Manifests[i]
		for _, u := range uses {
			if u.File == "" {
				u.File, u.Line = entry.File, entry.Line
			}
			all = append(all, u)
		}
	}
	return all, nil
}

// lookUp asks for the latest versions, some side by side, and tells how many it could
// not find out.
func (e *Env) lookUp(ctx context.Context, builder build.Builder, uses []build.ChartUse, items []printers.ChartItem) int {
	const atOnce = 4
	var g errgroup.Group
	g.SetLimit(atOnce)
	for i, u := range uses {
		g.Go(func() error {
			var err error
			if items[i].Latest, items[i].Outdated, err = builder.LatestChart(ctx, u); err != nil {
				items[i].Error = err.Error()
			}
			return nil
		})
	}
	_ = g.Wait() // every chart has an error of its own
	failed := 0
	for _, item := range items {
		if item.Error != "" {
			e.warn(item.Error)
			failed++
		}
	}
	return failed
}
