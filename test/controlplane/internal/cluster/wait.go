package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	pollEvery = 30 * time.Millisecond
	// pollLimit bounds a start even when the caller's context never ends.
	pollLimit = 5 * time.Minute
)

// waiter waits for the control plane to come up.
type waiter struct {
	client kubernetes.Interface
	failed <-chan error
}

func newWaiter(kubeconfig string, failed <-chan error) (*waiter, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig: %w", err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return &waiter{client: client, failed: failed}, nil
}

// forAPI waits until the API server calls itself ready.
func (w *waiter) forAPI(ctx context.Context) error {
	return w.poll(ctx, func(ctx context.Context) error {
		return w.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
}

// forCluster waits until a client can make Pods in the default namespace and
// have them scheduled.
func (w *waiter) forCluster(ctx context.Context, controllers bool, nodes int) error {
	return w.poll(ctx, func(ctx context.Context) error {
		if _, err := w.client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{}); err != nil {
			return err
		}
		if controllers {
			if _, err := w.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{}); err != nil {
				return err
			}
		}
		return w.nodesUsable(ctx, controllers, nodes)
	})
}

func (w *waiter) nodesUsable(ctx context.Context, controllers bool, want int) error {
	list, err := w.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	usable := 0
	for i := range list.Items {
		// The controller manager takes the first taint off; without it nothing
		// schedules, so the taint does not matter.
		if !controllers || !hasTaint(&list.Items[i], corev1.TaintNodeNotReady) {
			usable++
		}
	}
	if usable < want {
		return fmt.Errorf("%d of %d nodes are ready", usable, want)
	}
	return nil
}

func hasTaint(node *corev1.Node, key string) bool {
	for _, taint := range node.Spec.Taints {
		if taint.Key == key {
			return true
		}
	}
	return false
}

// poll repeats check until it succeeds, a part fails or ctx ends.
func (w *waiter) poll(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, pollLimit, errors.New("the start took too long"))
	defer cancel()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case failure := <-w.failed:
			return failure
		case <-ctx.Done():
			return fmt.Errorf("%w (last: %w)", context.Cause(ctx), err)
		case <-time.After(pollEvery):
		}
	}
}
