package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

// Views of a plan.
const (
	viewText   = "text"
	viewFields = "fields"
	viewServer = "server"
)

// viewOptions say how a plan is shown.
type viewOptions struct {
	output      string
	view        string
	context     int
	lineNumbers bool
	showIgnored bool
	showSecrets bool
	summary     bool
	explain     bool
	pager       string
	// rules add the files' own mask rules; nil until they are built.
	rules *config.KappConfig
}

func (o *viewOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&o.output, "output", "o", "", "Print the plan as json, yaml, kyaml, name, jsonpath=… or go-template=…")
	f.StringVar(&o.view, "view", viewText, "text (lines of YAML), fields (a line a path) or server (the whole live object against the server's dry-run)")
	f.IntVar(&o.context, "context-lines", 2, "Unchanged lines around a change; -1 shows all")
	f.BoolVar(&o.lineNumbers, "line-numbers", true, "Number the lines of a diff")
	f.BoolVar(&o.summary, "summary", false, "Show the table of operations only")
	f.BoolVar(&o.explain, "explain", false, "Say why each difference is what it is called")
	f.BoolVar(&o.showIgnored, "show-ignored", false, "Also show differences that the server would undo, or that rules leave to the cluster")
	f.BoolVar(&o.showSecrets, "show-secrets", false, "Don't mask the values of Secrets")
	f.StringVar(&o.pager, "pager", "auto", "auto pages on a terminal through $TAZUNA_PAGER or $PAGER; never doesn't")
}

func (o *viewOptions) validate() error {
	switch o.view {
	case viewText, viewFields, viewServer:
	default:
		return fmt.Errorf("--view: wanted %s, %s or %s, found %q", viewText, viewFields, viewServer, o.view)
	}
	if o.pager != "auto" && o.pager != "never" {
		return fmt.Errorf("--pager: wanted auto or never, found %q", o.pager)
	}
	return nil
}

// baseMasker is that of reports, which know themselves which objects the files'
// own mask rules match.
func (o *viewOptions) baseMasker() object.Masker {
	m := object.DefaultMasker()
	m.Show = o.showSecrets
	return m
}

// masker is for texts about any object.
func (o *viewOptions) masker() object.Masker {
	m := o.baseMasker()
	m.Rules = append(m.Rules, plan.MaskRules(o.rules)...)
	return m
}

// report is the masked form of a plan that the view needs.
func (o *viewOptions) report(p *plan.Plan) *plan.Report {
	if o.view == viewServer {
		return p.FullReport(o.baseMasker())
	}
	return p.Report(o.baseMasker())
}

// print writes the plan to stdout and its warnings to stderr. That nobody reads
// it to its end is no error.
func (o *viewOptions) print(ctx context.Context, env *Env, r *plan.Report) error {
	return ignoreLeft(o.write(ctx, env, r))
}

func (o *viewOptions) write(ctx context.Context, env *Env, r *plan.Report) error {
	for _, w := range r.Warnings {
		env.warn(w)
	}
	for _, n := range r.Notes {
		env.note("note: %s", n)
	}
	if o.output != "" {
		return printers.Structured(env.Out, o.output, r)
	}
	if tool := env.Getenv("KUBECTL_EXTERNAL_DIFF"); tool != "" && !o.summary {
		return env.externalDiff(ctx, tool, r)
	}
	colors, err := env.colors(env.Out)
	if err != nil {
		return err
	}
	out, wait, err := env.page(ctx, o.pager)
	if err != nil {
		return err
	}
	p := printers.DefaultOptions(out)
	p.Color, p.Now = colors, env.Clock.Now()
	p.Explain = o.explain
	p.Context, p.LineNumbers, p.ShowIgnored = o.context, o.lineNumbers, o.showIgnored
	return wait(o.text(r, p))
}

func (o *viewOptions) text(r *plan.Report, p printers.Options) error {
	switch {
	case o.summary:
		return printers.Summary(r, p)
	case o.view == viewFields:
		return printers.Fields(r, p)
	default:
		return printers.Report(r, p)
	}
}

// selectOptions narrow what is shown and counted.
type selectOptions struct {
	only     []string
	kinds    []string
	names    []string
	selector string
	filter   string
}

func (o *selectOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "Only these operations: create, update, adopt, replace, delete, refuse, blocked, error")
	f.StringSliceVar(&o.kinds, "kind", nil, "Only these kinds (deployment, deployment.apps)")
	f.StringSliceVar(&o.names, "name", nil, "Only objects with these names; * matches any text")
	f.StringVarP(&o.selector, "selector", "l", "", "Only objects with these labels (kubectl's selector)")
	f.StringVar(&o.filter, "diff-filter", "", "Only what kapp's filter selects (JSON)")
}

// narrow narrows a report. A selector that is one of the original tool's log levels,
// and fits no object, is read as that: scripts have its plan -l debug.
func (o *selectOptions) narrow(env *Env, r *plan.Report, s plan.Selection) (*plan.Report, error) {
	if isOldLevel(o.selector) && len(r.Objects) > 0 && len(r.Select(plan.Selection{Labels: s.Labels}).Objects) == 0 {
		env.note("note: no object has the label %s: -l is read as the log level of the original tool, which is -v here", o.selector)
		s.Labels = nil
	}
	return selected(r, s)
}

func (o *selectOptions) selection() (plan.Selection, error) {
	s := plan.Selection{Kinds: o.kinds, Names: o.names}
	for _, word := range o.only {
		op := plan.Op(strings.ToLower(word))
		if !op.Known() {
			return s, fmt.Errorf("--only: unknown operation %q", word)
		}
		s.Ops = append(s.Ops, op)
	}
	var err error
	if o.selector != "" {
		if s.Labels, err = labels.Parse(o.selector); err != nil {
			return s, fmt.Errorf("--selector: %w", err)
		}
	}
	if o.filter != "" {
		if s.Filter, err = plan.ParseDiffFilter(o.filter); err != nil {
			return s, fmt.Errorf("--diff-filter: %w", err)
		}
	}
	return s, nil
}
