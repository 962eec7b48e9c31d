package overview

import (
	"cmp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// Facts are what is known of an application. All but Application may be nil.
type Facts struct {
	Application *api.Application
	// Instance, Queues and Node are the controller's answers.
	Instance *report.Instance
	Queues   *report.Queues
	Node     *report.Node
	Events   []report.EventLine
	// Without tells what couldn't be asked.
	Without []string
}

// Line is an application in a list.
func Line(a *api.Application, now time.Time) report.ApplicationLine {
	line := report.ApplicationLine{
		Namespace: a.Namespace, Name: a.Name, Package: a.Spec.PackageName, Version: a.Spec.PackageVersion,
		Repository: a.Spec.Repository(), State: "Unknown", Message: "no controller has looked at it yet",
		Age: duration.HumanDuration(now.Sub(a.CreationTimestamp.Time)),
	}
	if a.Status.CurrentVersion != nil {
		line.Installed = a.Status.CurrentVersion.Version
	}
	if s := a.Status.Summary; s != nil {
		line.State, line.Message = string(s.State), s.Message
	}
	return line
}

// Of sums up an application.
func Of(f Facts, now time.Time) *report.Overview {
	a := f.Application
	o := &report.Overview{
		ApplicationLine: Line(a, now), Maintenance: string(a.Spec.Maintenance), Without: f.Without,
		URLs: []report.URL{}, Conditions: []report.Condition{}, Operations: []report.OperationNode{},
		Queue: []report.QueuedTask{}, Hooks: []string{}, Events: f.Events,
	}
	if o.Events == nil {
		o.Events = []report.EventLine{}
	}
	if a.Status.Summary != nil {
		o.Tip = a.Status.Summary.Tip
	}
	for _, u := range a.Status.URLs {
		o.URLs = append(o.URLs, report.URL{URL: u.URL, Description: u.Description})
	}
	o.Conditions = conditions(f)
	if t := a.Status.Tracking; t != nil {
		o.Completed, o.Remaining, o.Operations = t.Completed, t.Remaining, tree(t.Report.Operations)
	}
	if f.Instance != nil {
		o.Hooks, o.LastRuns = append(o.Hooks, f.Instance.Hooks...), f.Instance.LastRuns
	}
	if f.Node != nil && f.Node.Decision.Kind != "enable" {
		o.Unmet = f.Node.Decision.Message
	}
	if f.Queues != nil {
		o.Queue = tasks(f.Queues)
	}
	return o
}

// conditions are the internal ones where the controller told them, else those of the
// Application.
func conditions(f Facts) []report.Condition {
	if f.Instance != nil && len(f.Instance.Status.Conditions) > 0 {
		return f.Instance.Status.Conditions
	}
	all := []report.Condition{}
	for _, c := range f.Application.Status.Conditions {
		all = append(all, report.Condition{
			Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message,
			LastTransitionTime: c.LastTransitionTime.UTC().Format(time.RFC3339),
		})
	}
	return all
}

func tasks(q *report.Queues) []report.QueuedTask {
	all := []report.QueuedTask{}
	for _, name := range q.Names() {
		for _, t := range q.Queues[name].Tasks {
			all = append(all, report.QueuedTask{Queue: name, Task: t})
		}
	}
	return all
}

// tree puts each operation below the last of those that it depends on; what depends on
// nothing is a root. The order is that of the report.
func tree(operations []api.Operation) []report.OperationNode {
	known := map[string]api.Operation{}
	for _, o := range operations {
		known[o.ID] = o
	}
	below := map[string][]api.Operation{}
	for _, o := range operations {
		below[parent(o, known)] = append(below[parent(o, known)], o)
	}
	made := map[string]bool{}
	all := nodes(below, known, "", made)
	for _, o := range operations { // a circle has no root
		if !made[o.ID] {
			below[o.ID+"\x00"] = []api.Operation{o}
			all = append(all, nodes(below, known, o.ID+"\x00", made)...)
		}
	}
	return all
}

// parent is the operation that is shown above another: of those that it depends on,
// one that isn't completed before others, then the last; "" for a root.
func parent(o api.Operation, known map[string]api.Operation) string {
	best := ""
	for _, id := range o.DependsOn {
		d, ok := known[id]
		if !ok || id == o.ID {
			continue
		}
		if best == "" || d.Status != api.OperationCompleted || known[best].Status == api.OperationCompleted {
			best = id
		}
	}
	return best
}

// nodes makes the tree below one operation. What was made once is not made again, so
// that a circle in a report ends.
func nodes(below map[string][]api.Operation, known map[string]api.Operation, id string, made map[string]bool) []report.OperationNode {
	all := []report.OperationNode{}
	for _, o := range below[id] {
		if made[o.ID] {
			continue
		}
		made[o.ID] = true
		node := report.OperationNode{Object: objectOf(o), Type: o.Type, Category: string(o.Category), Status: string(o.Status), Below: nodes(below, known, o.ID, made)}
		if o.Status == api.OperationPending {
			node.WaitsFor = waitsFor(o, known)
		}
		all = append(all, node)
	}
	return all
}

func waitsFor(o api.Operation, known map[string]api.Operation) []string {
	var all []string
	for _, id := range o.DependsOn {
		if d, ok := known[id]; ok && d.Status != api.OperationCompleted {
			all = append(all, objectOf(d))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func objectOf(o api.Operation) string {
	return cmp.Or(strings.TrimSpace(o.Kind+" "+o.Name), o.Type)
}

// unfinished lists what an apply is still at: failed first, then in progress.
func unfinished(all []report.OperationNode) []string {
	var failed, going []string
	var walk func([]report.OperationNode)
	walk = func(nodes []report.OperationNode) {
		for _, n := range nodes {
			switch api.OperationStatus(n.Status) {
			case api.OperationFailed:
				failed = append(failed, n.Object)
			case api.OperationProgressing:
				going = append(going, n.Object)
			}
			walk(n.Below)
		}
	}
	walk(all)
	return append(failed, going...)
}

// find gives a condition by its type.
func find(all []report.Condition, name string) (report.Condition, bool) {
	i := slices.IndexFunc(all, func(c report.Condition) bool { return c.Type == name })
	if i < 0 {
		return report.Condition{}, false
	}
	return all[i], true
}

func isTrue(c report.Condition) bool { return c.Status == string(metav1.ConditionTrue) }
