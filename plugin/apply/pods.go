package apply

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

const (
	// podsAfter is how long a workload may take before its Pods are looked at.
	podsAfter = 3 * time.Second
	// podsEvery is how often they are looked at then.
	podsEvery = 10 * time.Second
)

// podWatch finds out why workloads don't get ready. It looks at Pods only while
// something has been pending for a while, with one list for each namespace.
type podWatch struct {
	run     *run
	pending map[*node]labels.Selector
	running bool
	denied  bool
}

func newPodWatch(r *run) *podWatch {
	return &podWatch{run: r, pending: map[*node]labels.Selector{}}
}

// add takes a workload that is waited for; other objects have no Pods.
func (p *podWatch) add(n *node) {
	selector := podSelector(n)
	if selector == nil || n.step == stepGone || n.planned.Strategy.NoAssociatedWait {
		return
	}
	p.pending[n] = selector
	if !p.running {
		p.running = true
		p.run.after(podsAfter, p.look)
	}
}

// podSelector reads the labels of the Pods that an object makes.
func podSelector(n *node) labels.Selector {
	if ref := n.planned.Ref; ref.Group != "apps" && ref.Group != "batch" || n.latest == nil {
		return nil
	}
	raw, found, _ := unstructured.NestedMap(n.latest.Object, "spec", "selector")
	if !found || len(raw) == 0 {
		return nil
	}
	parsed := &metav1.LabelSelector{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(raw, parsed) != nil {
		return nil
	}
	selector, err := metav1.LabelSelectorAsSelector(parsed)
	if err != nil {
		return nil
	}
	return selector
}

// look lists the Pods of each namespace with pending workloads.
func (p *podWatch) look() {
	byNamespace := map[string]map[*node]labels.Selector{}
	for n, selector := range p.pending {
		if n.phase != phaseWaiting {
			delete(p.pending, n)
			continue
		}
		ns := n.planned.Ref.Namespace
		if byNamespace[ns] == nil {
			byNamespace[ns] = map[*node]labels.Selector{}
		}
		byNamespace[ns][n] = selector
	}
	p.running = len(byNamespace) > 0 && !p.denied
	if !p.running {
		return
	}
	for ns, nodes := range byNamespace {
		go p.list(ns, nodes)
	}
	p.run.after(podsEvery, p.look)
}

func (p *podWatch) list(namespace string, nodes map[*node]labels.Selector) {
	options := cluster.ListOptions{Namespace: namespace}
	if len(nodes) == 1 {
		for _, selector := range nodes {
			options.LabelSelector = selector.String()
		}
	}
	pods, err := p.run.exec.Client.List(p.run.work, podMapping(), options)
	p.run.post(func() {
		if err != nil {
			p.denied = p.denied || apierrors.IsForbidden(err)
			return
		}
		for n, selector := range nodes {
			p.run.setPodReason(n, podsReason(pods, selector))
			p.run.countFailures(n, matching(pods, selector))
		}
	})
}

// podsReason words the worst trouble among the Pods of a selector.
func podsReason(pods []*unstructured.Unstructured, selector labels.Selector) string {
	pod, t := readiness.WorstPod(matching(pods, selector))
	if pod == nil {
		return ""
	}
	return "Pod " + pod.GetName() + ": " + t.Reason
}

func matching(pods []*unstructured.Unstructured, selector labels.Selector) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for _, pod := range pods {
		if selector.Matches(labels.Set(pod.GetLabels())) {
			out = append(out, pod)
		}
	}
	return out
}

func podMapping() cluster.Mapping {
	return cluster.Mapping{
		GVR: schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		GVK: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Namespaced: true,
	}
}
