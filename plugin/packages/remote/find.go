package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/debug"
)

// Finder finds whom to ask about the applications of a cluster.
type Finder struct {
	Client *cluster.Client
	Runner Runner
	// Socket says where a controller of this cluster on this machine answers.
	Socket func(ctx context.Context) (path string, err error)
	// SystemNamespace is that of the Lease and the Pods of our controller; "" is where
	// the Lease is found.
	SystemNamespace string
}

// Find finds somebody by a way, or by the first of Ways where "" is wanted. For errors
// see Choose.
func (f Finder) Find(ctx context.Context, wanted Way) (debug.Transport, error) {
	return Choose(ctx, wanted, map[Way]Look{Socket: f.socket, Exec: f.leader, Deckhouse: f.platform})
}

func (f Finder) socket(ctx context.Context) (debug.Transport, error) {
	path, err := f.Socket(ctx)
	if err != nil {
		return nil, absent(Socket, err, err.Error())
	}
	socket := debug.Socket{Path: path}
	err = socket.Answers(ctx)
	var none *debug.NoControllerError
	if errors.As(err, &none) {
		return nil, absent(Socket, err, fmt.Sprintf("%s (%s)", none.Why, none.Path))
	}
	return socket, err
}

func absent(way Way, err error, why string) error { return &AbsentError{Way: way, Why: why, Err: err} }

// leader finds the Pod of the controller that leads.
func (f Finder) leader(ctx context.Context) (debug.Transport, error) {
	namespace := cmp.Or(f.SystemNamespace, controller.DefaultSystemNamespace)
	leads, err := f.leads(ctx)
	switch {
	case apierrors.IsForbidden(err):
		return nil, absent(Exec, err, fmt.Sprintf("you may not read the Lease %s/%s: wanted the right to get leases there", namespace, controller.LeaseName))
	case err != nil:
		return nil, err
	case leads == nil:
		return nil, absent(Exec, nil, fmt.Sprintf("nobody leads by a Lease %s/%s", namespace, controller.LeaseName))
	}
	for _, name := range podsOf(leads) {
		pod, err := f.pod(ctx, leads.Namespace, name)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case apierrors.IsForbidden(err):
			return nil, absent(Exec, err, fmt.Sprintf("you may not read the Pod %s/%s, which leads: wanted the right to get pods there", leads.Namespace, name))
		case err != nil:
			return nil, err
		case !isUp(pod):
			return nil, absent(Exec, nil, fmt.Sprintf("the Pod %s/%s, which leads, does not run (%s)", leads.Namespace, name, pod.Status.Phase))
		}
		c := containerOf(pod, "")
		return Controller{Runner: f.Runner, Container: c, Socket: socketOf(pod, c.Name)}, nil
	}
	return nil, absent(Exec, nil, fmt.Sprintf("%s leads by the Lease %s/%s and is no Pod of that namespace: it runs outside of the cluster, or is gone (last heard of %s)",
		leads.Holder, leads.Namespace, controller.LeaseName, leads.Renewed.UTC().Format(time.RFC3339)))
}

// leads reads who leads; nil where nobody does.
func (f Finder) leads(ctx context.Context) (*controller.Leader, error) {
	if f.SystemNamespace != "" {
		return controller.ReadLeader(ctx, f.Client, f.SystemNamespace)
	}
	all, err := controller.FindLeaders(ctx, f.Client)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0: // or the user may not know, which this tells
		return controller.ReadLeader(ctx, f.Client, controller.DefaultSystemNamespace)
	}
	return &all[0], nil
}

// socketOf is where the controller in a container was told to answer; "" where it wasn't
// told, and the command there finds it as the controller did.
func socketOf(pod *corev1.Pod, container string) string {
	for _, c := range pod.Spec.Containers {
		words := slices.Concat(c.Command, c.Args)
		for i, word := range words {
			if value, found := strings.CutPrefix(word, "--socket="); found && c.Name == container {
				return value
			}
			if word == "--socket" && i+1 < len(words) && c.Name == container {
				return words[i+1]
			}
		}
	}
	return ""
}

// podsOf are the names that the Pod of a leader may have: what it says, and the host
// part of its identity.
func podsOf(l *controller.Leader) []string {
	var names []string
	if l.Pod != "" {
		names = append(names, l.Pod)
	}
	if host, _, ok := strings.Cut(l.Holder, "_"); ok && host != "" && host != l.Pod {
		names = append(names, host)
	}
	return names
}

func (f Finder) pod(ctx context.Context, namespace, name string) (*corev1.Pod, error) {
	live, err := f.Client.Get(ctx, pods(), namespace, name)
	if err != nil {
		return nil, err
	}
	return podOf(live)
}

func podOf(live *unstructured.Unstructured) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, pod); err != nil {
		return nil, fmt.Errorf("read Pod %s/%s: %w", live.GetNamespace(), live.GetName(), err)
	}
	return pod, nil
}

// pods is known beforehand: asking which kinds there are would cost requests.
func pods() cluster.Mapping {
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	return cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource("pods"), Namespaced: true}
}

func isUp(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
}

// containerOf picks the container of a Pod by name, else its default.
func containerOf(pod *corev1.Pod, name string) Container {
	c := Container{Namespace: pod.Namespace, Pod: pod.Name, Name: name}
	if c.Name == "" {
		c.Name = pod.Annotations["kubectl.kubernetes.io/default-container"]
	}
	if c.Name == "" && len(pod.Spec.Containers) > 0 {
		c.Name = pod.Spec.Containers[0].Name
	}
	return c
}

// Where Deckhouse runs.
const (
	platformNamespace = "d8-system"
	platformContainer = "deckhouse"
	platformLabels    = "app=deckhouse"
	leaderLabel       = "leader" // "true" on the Pod that leads; the Service deckhouse-leader selects by it
)

// platform finds the Pod of Deckhouse that leads.
func (f Finder) platform(ctx context.Context) (debug.Transport, error) {
	all, err := f.Client.List(ctx, pods(), cluster.ListOptions{Namespace: platformNamespace, LabelSelector: platformLabels})
	switch {
	case apierrors.IsForbidden(err):
		return nil, absent(Deckhouse, err, fmt.Sprintf("you may not list the Pods of %s: wanted the right to list pods there", platformNamespace))
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, absent(Deckhouse, nil, "there are no Pods of it in the namespace "+platformNamespace)
	}
	for _, live := range all {
		pod, err := podOf(live)
		if err != nil {
			return nil, err
		}
		if pod.Labels[leaderLabel] == "true" && isUp(pod) {
			return Platform{Runner: f.Runner, Container: containerOf(pod, platformContainer)}, nil
		}
	}
	return nil, fmt.Errorf("of %d Pods of Deckhouse in the namespace %s none that runs leads (label %s=true): another one will take over", len(all), platformNamespace, leaderLabel)
}
