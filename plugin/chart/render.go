package chart

import (
	"context"
	"fmt"
	"slices"

	"helm.sh/helm/v4/pkg/chart/common"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/engine"
)

// Render renders the chart. ctx goes to Request.Lookup only: a template can't be
// interrupted. A fault of a template is a *[TemplateError], of its output an
// *[OutputError], of the values a *[ValuesError].
func (c *Chart) Render(ctx context.Context, r Request) (*Result, error) {
	result, err := c.render(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.metadata.Name, err)
	}
	return result, nil
}

func (c *Chart) render(ctx context.Context, r Request) (*Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	prepared, err := c.prepare(r)
	if err != nil {
		return nil, err
	}
	files := prepared.files() // before the roots get a template of their own
	addRoots(prepared.chart)
	top, _ := prepared.values["Values"].(common.Values)
	seen := copyMap(top) // templates may change theirs
	asked := &lookups{ctx: ctx, answer: r.Lookup}
	e := engine.Engine{
		Strict: r.Strict,
		CustomTemplateFuncs: map[string]any{
			"lookup":  asked.lookup,
			rootsFunc: rootsFrom(r.Roots),
		},
	}
	texts, err := e.RenderWithContext(ctx, prepared.chart, prepared.values)
	if err != nil {
		return nil, templateError(err, files)
	}
	result := &Result{Warnings: prepared.warnings, Lookups: asked.asked, Values: seen}
	if err := result.read(texts, r.StrictKeys); err != nil {
		return nil, err
	}
	if r.SkipCRDs {
		return result, nil
	}
	return result, result.readCRDs(prepared.chart)
}

// lookups answers and remembers what templates ask the cluster.
type lookups struct {
	ctx    context.Context //nolint:containedctx // of one render, which is a template function's scope
	answer LookupFunc
	asked  []Lookup
}

func (l *lookups) lookup(apiVersion, kind, namespace, name string) (map[string]any, error) {
	question := Lookup{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}
	if !slices.Contains(l.asked, question) {
		l.asked = append(l.asked, question)
	}
	if l.answer == nil {
		return map[string]any{}, nil
	}
	found, err := l.answer(l.ctx, apiVersion, kind, namespace, name)
	if err != nil || found == nil {
		return map[string]any{}, err
	}
	return found, nil
}

// files returns the paths of all templates, as errors name them.
func (p *prepared) files() map[string]bool {
	files := map[string]bool{}
	var add func(*helm.Chart)
	add = func(c *helm.Chart) {
		for _, t := range c.Templates {
			files[c.ChartFullPath()+"/"+t.Name] = true
		}
		for _, child := range c.Dependencies() {
			add(child)
		}
	}
	add(p.chart)
	return files
}
