package health

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/follow"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// Monitor follows the workloads of all applications. It may be used by several
// goroutines; its fields are not changed once it is started.
type Monitor struct {
	Pool *follow.Pool
	// Report takes the condition Scaled of an application, by NAMESPACE.INSTANCE. It is
	// called by one goroutine at a time and must not call the Monitor.
	Report func(name string, c status.Condition)
	// Namespaces are those that are watched, one by one: for more there may be no
	// right. None is the whole cluster.
	Namespaces []string

	mu        sync.Mutex
	followed  []*follow.Following
	workloads map[string]map[object.Ref]Verdict // by application
	owner     map[object.Ref]string
	watched   map[string]status.Condition // what was reported last
}

// workloadKinds are what applications are judged by.
func workloadKinds() []cluster.Mapping {
	kind := func(kind, resource string) cluster.Mapping {
		gv := schema.GroupVersion{Group: "apps", Version: "v1"}
		return cluster.Mapping{GVK: gv.WithKind(kind), GVR: gv.WithResource(resource), Namespaced: true}
	}
	return []cluster.Mapping{kind("Deployment", "deployments"), kind("StatefulSet", "statefulsets")}
}

// unread are the large parts of workloads that no verdict needs.
func unread() []string {
	return []string{"metadata.managedFields", "metadata.annotations", "spec.template", "spec.volumeClaimTemplates"}
}

// Start opens the watches and waits until all that there is has been seen, or ctx ends:
// then the error says what keeps it away, and what comes later is seen all the same.
func (m *Monitor) Start(ctx context.Context) error {
	var following []*follow.Following
	namespaces := m.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	for _, kind := range workloadKinds() {
		for _, namespace := range namespaces {
			query := follow.Query{Mapping: kind, Namespace: namespace, Labels: api.LabelHealth, Without: unread()}
			following = append(following, m.Pool.Follow(query, &listener{monitor: m, kind: kind.GVK.Kind, namespace: namespace}))
		}
	}
	m.mu.Lock()
	m.followed = append(m.followed, following...)
	m.mu.Unlock()
	for i, f := range following {
		if err := f.Wait(ctx); err != nil {
			return fmt.Errorf("watch the %s of applications: %w", workloadKinds()[i/len(namespaces)].GVR.Resource, err)
		}
	}
	return nil
}

// Stop closes the watches. Nothing is reported afterwards.
func (m *Monitor) Stop() {
	m.mu.Lock()
	following := m.followed
	m.followed = nil
	m.mu.Unlock()
	for _, f := range following {
		f.Stop()
	}
}

// Watch begins to report on an application, with how it stands now.
func (m *Monitor) Watch(namespace, instance string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.watched == nil {
		m.watched = map[string]status.Condition{}
	}
	name := api.InstanceName(namespace, instance)
	if _, ok := m.watched[name]; !ok {
		m.watched[name] = status.Condition{}
	}
	m.tell(name)
}

// Forget ends the reports on an application. It may be called for one that isn't watched.
func (m *Monitor) Forget(namespace, instance string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watched, api.InstanceName(namespace, instance))
}

// tell reports on an application, if it is watched and anything has changed.
func (m *Monitor) tell(name string) {
	last, ok := m.watched[name]
	if !ok {
		return
	}
	workloads := make(map[string]Verdict, len(m.workloads[name]))
	for ref, v := range m.workloads[name] {
		workloads[ref.Kind+" "+ref.Name] = v
	}
	if now := Sum(workloads); now != last {
		m.watched[name] = now
		m.Report(name, now)
	}
}

// listener takes the workloads of one kind, in one namespace or all.
type listener struct {
	monitor         *Monitor
	kind, namespace string
}

// Reset takes all that there is.
func (l *listener) Reset(bodies []map[string]any) {
	m := l.monitor
	m.mu.Lock()
	defer m.mu.Unlock()
	there := map[object.Ref]bool{}
	changed := map[string]bool{}
	for _, body := range bodies {
		there[object.RefOf(body)] = true
		m.set(body, changed)
	}
	for ref := range m.owner {
		if ref.Kind == l.kind && (l.namespace == "" || ref.Namespace == l.namespace) && !there[ref] {
			m.remove(ref, changed)
		}
	}
	for name := range changed {
		m.tell(name)
	}
}

// Set takes one workload.
func (l *listener) Set(body map[string]any) {
	l.monitor.change(func(changed map[string]bool) { l.monitor.set(body, changed) })
}

// Remove takes note that one is gone.
func (l *listener) Remove(ref object.Ref) {
	l.monitor.change(func(changed map[string]bool) { l.monitor.remove(ref, changed) })
}

func (m *Monitor) change(by func(changed map[string]bool)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := map[string]bool{}
	by(changed)
	for name := range changed {
		m.tell(name)
	}
}

// set notes the verdict on a workload. Whose it is says its label, within its own
// namespace.
func (m *Monitor) set(body map[string]any, changed map[string]bool) {
	u := &unstructured.Unstructured{Object: body}
	ref, name := object.RefOf(body), u.GetLabels()[api.LabelHealth]
	if namespace, _, ok := api.SplitInstanceName(name); !ok || namespace != ref.Namespace {
		name = ""
	}
	if before := m.owner[ref]; before != name {
		m.remove(ref, changed)
	}
	if name == "" {
		return
	}
	if m.workloads == nil {
		m.workloads, m.owner = map[string]map[object.Ref]Verdict{}, map[object.Ref]string{}
	}
	if m.workloads[name] == nil {
		m.workloads[name] = map[object.Ref]Verdict{}
	}
	m.owner[ref], m.workloads[name][ref], changed[name] = name, Of(body), true
}

func (m *Monitor) remove(ref object.Ref, changed map[string]bool) {
	name, ok := m.owner[ref]
	if !ok {
		return
	}
	delete(m.owner, ref)
	delete(m.workloads[name], ref)
	if len(m.workloads[name]) == 0 {
		delete(m.workloads, name)
	}
	changed[name] = true
}
