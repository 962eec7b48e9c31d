package packages

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/readiness"
)

// defaultTail is how many lines of a container are shown.
const defaultTail = 20

// owners are the kinds that have Pods, those first whose objects own others.
func owners() []schema.GroupKind {
	return []schema.GroupKind{
		{Group: "apps", Kind: "Deployment"},
		{Group: "apps", Kind: "StatefulSet"},
		{Group: "apps", Kind: "DaemonSet"},
		{Group: "batch", Kind: "CronJob"},
		{Group: "apps", Kind: "ReplicaSet"},
		{Group: "batch", Kind: "Job"},
		{Kind: "Pod"},
	}
}

// workloadLogs reads the end of the log of each container of an application's Pods.
func workloadLogs(ctx context.Context, env *Env, name string, tail int) (*report.Logs, error) {
	apps, err := findApplications(ctx, env)
	if err != nil {
		return nil, err
	}
	app, err := apps.get(ctx, name)
	if err != nil {
		return nil, err
	}
	pods, err := apps.pods(ctx, app)
	if err != nil {
		return nil, err
	}
	secrets, err := apps.secrets(ctx, app)
	switch {
	case err != nil && !apierrors.IsForbidden(err): // nothing is shown of which it isn't known what to mask
		return nil, fmt.Errorf("find out what has to be masked in the logs of %s: %w", name, err)
	case err != nil:
		env.warn(fmt.Sprintf("not all secrets of the application are masked: %v", err))
	}
	if tail < 0 {
		tail = defaultTail
	}
	logs := &report.Logs{Items: []report.LogLine{}}
	for _, pod := range pods {
		for _, container := range containersOf(pod) {
			lines, err := apps.containerLog(ctx, pod, container, int64(tail))
			if err != nil {
				env.warn(fmt.Sprintf("%s/%s: %v", pod.GetName(), container, err))
				continue
			}
			for _, line := range lines {
				logs.Items = append(logs.Items, report.LogLine{Source: pod.GetName() + "/" + container, Message: object.Scrub(line, secrets...)})
			}
		}
	}
	if len(pods) == 0 {
		env.note("application %s has no Pods", name)
	}
	return logs, nil
}

// pods finds those that the objects of an application own, by whatever is between.
func (a *applications) pods(ctx context.Context, app *api.Application) ([]*unstructured.Unstructured, error) {
	own := map[types.UID]bool{}
	var pods []*unstructured.Unstructured
	for _, kind := range owners() {
		found, err := a.of(ctx, kind, app.Namespace, "")
		if err != nil {
			return nil, err
		}
		for _, u := range found {
			if u.GetLabels()[api.LabelInstance] != app.Name && !slices.ContainsFunc(u.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return own[o.UID] }) {
				continue
			}
			own[u.GetUID()] = true
			if kind.Kind == "Pod" {
				pods = append(pods, u)
			}
		}
	}
	slices.SortFunc(pods, func(x, y *unstructured.Unstructured) int { return cmp.Compare(x.GetName(), y.GetName()) })
	return pods, nil
}

func (a *applications) of(ctx context.Context, kind schema.GroupKind, namespace, selector string) ([]*unstructured.Unstructured, error) {
	m, err := a.client.Mapping(ctx, kind, "v1")
	if err != nil {
		return nil, err
	}
	return a.client.List(ctx, m, cluster.ListOptions{Namespace: namespace, LabelSelector: selector})
}

// containersOf lists the containers of a Pod that have begun, those of the beginning
// first.
func containersOf(pod *unstructured.Unstructured) []string {
	var names []string
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", field)
		for _, s := range statuses {
			status, _ := s.(map[string]any)
			name, _ := status["name"].(string)
			state, _ := status["state"].(map[string]any)
			restarts, _ := status["restartCount"].(int64)
			if name != "" && (state["waiting"] == nil || restarts > 0) {
				names = append(names, name)
			}
		}
	}
	return names
}

// containerLog reads the end of a log: of the container that crashed, the run that did.
func (a *applications) containerLog(ctx context.Context, pod *unstructured.Unstructured, container string, lines int64) ([]string, error) {
	t := readiness.TroubleOf(pod)
	previous := t.Container == container && t.Previous
	read, err := a.client.Logs(ctx, pod.GetNamespace(), pod.GetName(), container, previous, lines)
	if err != nil && previous && !apierrors.IsForbidden(err) {
		// The runtime may have thrown it away.
		read, err = a.client.Logs(ctx, pod.GetNamespace(), pod.GetName(), container, false, lines)
	}
	return read, err
}
