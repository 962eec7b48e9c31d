package debug

import (
	"encoding/json"
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/live"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schema"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/trial"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// mask hides what of one application may not be shown.
type mask struct {
	masker object.Masker
	hide   Hide
}

// maskOf makes the mask of an application. show leaves everything as it is.
func maskOf(p Provider, name string, show bool) mask {
	m := object.DefaultMasker()
	m.Show = show
	if show {
		return mask{masker: m}
	}
	return mask{masker: m, hide: p.Hide(name)}
}

func (m mask) text(s string) string {
	if m.masker.Show {
		return s
	}
	return m.masker.Scrub(s, m.hide.Secrets...)
}

func (m mask) body(b map[string]any) map[string]any {
	return trial.Scrub(m.masker, b, m.hide.Secrets...)
}

func (m mask) values(v map[string]any) map[string]any {
	if !m.masker.Show && m.hide.Values != nil && v != nil {
		v = m.hide.Values(v)
	}
	return m.body(v)
}

func (m mask) instance(i report.Instance) report.Instance {
	i.Values, i.Status.Settings = m.values(i.Values), m.values(i.Status.Settings)
	conditions := make([]report.Condition, len(i.Status.Conditions))
	for n, c := range i.Status.Conditions {
		c.Message = m.text(c.Message)
		conditions[n] = c
	}
	i.Status.Conditions = conditions
	if i.LastRuns != nil {
		runs := make(map[string]report.LastRun, len(i.LastRuns))
		for hook, run := range i.LastRuns {
			run.Error = m.text(run.Error)
			runs[hook] = run
		}
		i.LastRuns = runs
	}
	if !m.masker.Show {
		for _, field := range []*string{&i.Repository.DockerConfig, &i.Repository.Login, &i.Repository.Password} {
			if *field != "" {
				*field = schema.Masked
			}
		}
	}
	return i
}

// report is the masked form of a plan. full has the objects as a whole.
func (m mask) report(p *plan.Plan, full bool) (any, error) {
	if p.Disorder != nil {
		p.Warnings = append(p.Warnings, "none of this can be applied: "+p.Disorder.Error())
	}
	if m.masker.Show {
		return reportOf(p, m.masker, full), nil
	}
	p.Hide(func(text string) bool { return m.text(text) != text })
	data, err := json.Marshal(reportOf(p, m.masker, full))
	if err != nil {
		return nil, fmt.Errorf("encode the plan: %w", err)
	}
	body, err := object.DecodeJSON(data)
	return m.body(body), err // what errors and notes quote
}

func reportOf(p *plan.Plan, m object.Masker, full bool) *plan.Report {
	if full {
		return p.FullReport(m)
	}
	return p.Report(m)
}

func (m mask) objects(all []object.Object) []object.Object {
	shown := make([]object.Object, len(all))
	for i, o := range all {
		shown[i] = object.Object{Body: m.body(m.masker.One(o.Body)), Origin: o.Origin}
	}
	return shown
}

func (m mask) snapshots(all map[string]map[string]live.State) map[string]map[string]live.State {
	shown := make(map[string]map[string]live.State, len(all))
	for hook, bindings := range all {
		if bindings == nil {
			shown[hook] = nil
			continue
		}
		shown[hook] = make(map[string]live.State, len(bindings))
		for name, s := range bindings {
			shown[hook][name] = m.snapshot(s)
		}
	}
	return shown
}

func (m mask) snapshot(s live.State) live.State {
	s.Error = m.text(s.Error)
	entries := make([]live.Shown, len(s.Snapshot))
	for i, e := range s.Snapshot {
		if e.Object != nil {
			e.Object = m.body(m.masker.One(e.Object))
		}
		e.FilterResult = m.filtered(e.FilterResult, output.IsSecret(s.Kind))
		entries[i] = e
	}
	s.Snapshot = entries
	return s
}

// filtered masks what a filter gave. What it took out of a Secret can't be told
// from its surroundings, so all of that is hidden but the form.
func (m mask) filtered(value any, secret bool) any {
	switch v := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key, inner := range v {
			copied[m.text(key)] = m.filtered(inner, secret)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, inner := range v {
			copied[i] = m.filtered(inner, secret)
		}
		return copied
	case nil:
		return nil
	case string:
		if secret && !m.masker.Show {
			return schema.Masked
		}
		return m.text(v)
	}
	if secret && !m.masker.Show {
		return schema.Masked
	}
	return value
}

func (m mask) queue(d queue.QueueDump) queue.QueueDump {
	tasks := make([]queue.TaskDump, len(d.Tasks))
	for i, t := range d.Tasks {
		t.Error = m.text(t.Error)
		tasks[i] = t
	}
	d.Tasks = tasks
	return d
}
