package apply

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

const (
	// explainTimeout bounds the search for the cause of one failure.
	explainTimeout = 10 * time.Second
	// maxExplained bounds how many failures are looked into: a run in which
	// everything fails has one cause.
	maxExplained = 20
	maxEvents    = 3
	// maxConditions is more than kinds of Kubernetes itself have.
	maxConditions = 6
	logLines      = 10
)

// explain looks up what the cluster says about a failure and settles the object
// with it.
func (r *run) explain(n *node, why because) {
	n.phase, n.failure, n.unready = phaseExplaining, why, n.step != stepGone
	r.tracker.drop(n)
	if r.explained++; r.explained > maxExplained || r.interrupted {
		r.fail(n, why)
		return
	}
	e := explainer{run: r, namespace: n.planned.Ref.Namespace, object: n.latest, reason: why.reason}
	if selector := podSelector(n); selector != nil {
		e.selector = selector.String()
	}
	go func() {
		ctx, cancel := context.WithTimeout(r.work, explainTimeout)
		defer cancel()
		details := e.details(ctx)
		r.post(func() {
			for i := range details {
				details[i] = r.cleanForeign(n.planned, details[i])
			}
			why.details = details
			r.fail(n, why)
		})
	}()
}

// explainer collects lines about one object, beside the loop.
type explainer struct {
	run       *run
	namespace string
	object    *unstructured.Unstructured
	selector  string // of its Pods
	reason    string // what is told already
}

// details are the object's conditions, the last warnings about it, then those about
// its worst Pod and the end of that one's log.
func (e explainer) details(ctx context.Context) []string {
	if e.object == nil {
		return nil
	}
	lines := append(conditionLines(e.object.Object, e.reason), e.events(ctx, e.object)...)
	pod, t := e.pod(ctx)
	if pod == nil {
		return lines
	}
	if pod != e.object {
		lines = append(lines, fmt.Sprintf("Pod %s: %s", pod.GetName(), t.Reason))
		lines = append(lines, e.events(ctx, pod)...)
	}
	return append(lines, e.log(ctx, pod, t)...)
}

// conditionLines words the conditions that say more than is told already.
func conditionLines(body map[string]any, told string) []string {
	var lines []string
	for _, c := range readiness.Conditions(body) {
		text := c.Text()
		if text == "" || strings.Contains(told, text) || c.Message != "" && strings.Contains(told, c.Message) {
			continue
		}
		if len(lines) < maxConditions {
			lines = append(lines, fmt.Sprintf("condition %s=%s: %s", c.Type, c.Status, text))
		}
	}
	return lines
}

// pod finds the Pod to look at: the object itself, or its worst one.
func (e explainer) pod(ctx context.Context) (*unstructured.Unstructured, readiness.Trouble) {
	if e.object.GetKind() == "Pod" {
		return e.object, readiness.TroubleOf(e.object)
	}
	if e.selector == "" {
		return nil, readiness.Trouble{}
	}
	pods, err := e.run.exec.Client.List(ctx, podMapping(), cluster.ListOptions{Namespace: e.namespace, LabelSelector: e.selector})
	if err != nil {
		return nil, readiness.Trouble{}
	}
	return readiness.WorstPod(pods)
}

// events lists the last events about an object, warnings before others.
func (e explainer) events(ctx context.Context, about *unstructured.Unstructured) []string {
	namespace := about.GetNamespace()
	if namespace == "" {
		namespace = "default" // where events about cluster-scoped objects are kept
	}
	found, err := e.run.exec.Client.List(ctx, eventMapping(), cluster.ListOptions{
		Namespace: namespace, FieldSelector: "involvedObject.uid=" + string(about.GetUID()),
	})
	if err != nil {
		return nil
	}
	slices.SortStableFunc(found, func(a, b *unstructured.Unstructured) int {
		return readiness.EventOf(b.Object).Last.Compare(readiness.EventOf(a.Object).Last)
	})
	var lines []string
	for _, kind := range []string{"Warning", "Normal"} {
		for _, event := range found {
			if text := eventText(event, kind); text != "" && len(lines) < maxEvents && !slices.Contains(lines, text) {
				lines = append(lines, text)
			}
		}
		if len(lines) > 0 {
			break
		}
	}
	return lines
}

func eventText(event *unstructured.Unstructured, kind string) string {
	e := readiness.EventOf(event.Object)
	if e.Type != kind {
		return ""
	}
	return "event " + e.Text()
}

// log reads the last lines of the container in trouble.
func (e explainer) log(ctx context.Context, pod *unstructured.Unstructured, t readiness.Trouble) []string {
	if !e.run.exec.Policy.CollectLogs || e.run.exec.Logs == nil || t.Container == "" {
		return nil
	}
	read, err := e.run.exec.Logs(ctx, pod.GetNamespace(), pod.GetName(), t.Container, t.Previous, logLines)
	if err != nil && t.Previous {
		// The runtime may have thrown the log of the former run away.
		read, err = e.run.exec.Logs(ctx, pod.GetNamespace(), pod.GetName(), t.Container, false, logLines)
	}
	if err != nil || len(read) == 0 {
		return nil
	}
	lines := make([]string, 0, len(read))
	for _, line := range read[max(0, len(read)-logLines):] {
		lines = append(lines, fmt.Sprintf("log %s/%s: %s", pod.GetName(), t.Container, line))
	}
	return lines
}

func eventMapping() cluster.Mapping {
	return cluster.Mapping{
		GVR: schema.GroupVersionResource{Version: "v1", Resource: "events"},
		GVK: schema.GroupVersionKind{Version: "v1", Kind: "Event"}, Namespaced: true,
	}
}
