package trial

import (
	"fmt"
	"strings"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// List tells of a set what it has.
func List(name string, set *hook.Set) *report.HookList {
	l := &report.HookList{
		APIVersion: report.APIVersion, Kind: "HookList", Package: name,
		Hooks: []report.Hook{}, Checks: []string{}, Ready: []string{}, Skipped: []report.Skipped{},
	}
	for _, h := range set.Hooks {
		l.Hooks = append(l.Hooks, hookOf(h))
	}
	for _, c := range set.Checks {
		l.Checks = append(l.Checks, c.File)
	}
	for _, r := range set.Ready {
		l.Ready = append(l.Ready, r.ID)
	}
	for _, s := range set.Skipped {
		l.Skipped = append(l.Skipped, report.Skipped{File: s.File, Reason: s.Reason})
	}
	return l
}

func hookOf(h *hook.Hook) report.Hook {
	out := report.Hook{ID: h.ID, Type: string(h.Kind), File: h.File, Bindings: []report.Binding{}}
	if s := h.Config.Settings; s.MinInterval > 0 {
		out.MinInterval, out.Burst = s.MinInterval.String(), s.Burst
	}
	for _, stage := range binding.Stages() {
		if order, ok := h.Config.Orders[stage]; ok {
			out.Bindings = append(out.Bindings, report.Binding{Type: string(stage), Order: &order})
		}
	}
	for _, s := range h.Config.Schedules {
		out.Bindings = append(out.Bindings, report.Binding{
			Type: string(binding.OnSchedule), Name: s.Name, Crontab: s.Crontab, Queue: s.Queue,
		})
	}
	for _, k := range h.Config.Kubernetes {
		out.Bindings = append(out.Bindings, kubernetesOf(k))
	}
	return out
}

func kubernetesOf(k binding.Kubernetes) report.Binding {
	b := report.Binding{
		Type: string(binding.OnKubernetes), Name: k.Name, Objects: objectsOf(k), Queue: k.Queue, Resynchronization: period(k.Resynchronization),
	}
	if k.Filter != nil {
		b.Filter = k.Filter.String()
	}
	for _, e := range k.Events {
		b.Events = append(b.Events, string(e))
	}
	return b
}

func period(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// objectsOf says in words which objects a binding sees.
func objectsOf(k binding.Kubernetes) string {
	text := k.Kind
	if k.APIVersion != "" {
		text += " (" + k.APIVersion + ")"
	}
	if len(k.Names) > 0 {
		text += " named " + strings.Join(k.Names, ", ")
	}
	if !k.Labels.Empty() {
		text += " with " + k.Labels.String()
	}
	for _, f := range k.Fields {
		sign := "!="
		if f.Equal {
			sign = "="
		}
		text += fmt.Sprintf(" where %s%s%s", f.Field, sign, f.Value)
	}
	switch {
	case k.NamespaceLabels != nil:
		text += " in namespaces with " + k.NamespaceLabels.String()
	case len(k.Namespaces) > 0:
		text += " in " + strings.Join(k.Namespaces, ", ")
	default:
		text += " in all namespaces"
	}
	return text
}
