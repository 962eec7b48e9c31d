package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

// Left is what an installation leaves in the cluster that is on no record of it:
// objects of our kinds.
type Left struct {
	// Applications are NAMESPACE.INSTANCE, sorted.
	Applications []string
	// Others are the rest, by kind.
	Others map[string][]*unstructured.Unstructured
}

// otherKinds go with their definitions. They are without meaning once no controller
// runs and there are no Applications.
func otherKinds() []string {
	return []string{
		api.KindPackageRepository, api.KindPackageRepositoryOperation, api.KindApplicationPackage, api.KindApplicationPackageVersion, api.KindModule,
	}
}

// FindLeft looks for them. What the cluster doesn't serve isn't there.
func FindLeft(ctx context.Context, c *cluster.Client) (Left, error) {
	left := Left{Others: map[string][]*unstructured.Unstructured{}}
	_, apps, err := listKind(ctx, c, api.KindApplication)
	if err != nil {
		return left, err
	}
	for _, app := range apps {
		left.Applications = append(left.Applications, api.InstanceName(app.GetNamespace(), app.GetName()))
	}
	slices.Sort(left.Applications)
	for _, kind := range otherKinds() {
		_, found, err := listKind(ctx, c, kind)
		if err != nil {
			return left, err
		}
		if len(found) > 0 {
			left.Others[kind] = found
		}
	}
	return left, nil
}

func listKind(ctx context.Context, c *cluster.Client, kind string) (cluster.Mapping, []*unstructured.Unstructured, error) {
	m, err := c.Mapping(ctx, schema.GroupKind{Group: api.Group, Kind: kind}, api.Version)
	var none *cluster.ErrNoKind
	if errors.As(err, &none) {
		return m, nil, nil
	}
	if err != nil {
		return m, nil, fmt.Errorf("find out whether the cluster serves %s: %w", kind, err)
	}
	found, err := c.List(ctx, m, cluster.ListOptions{MetadataOnly: true})
	if apierrors.IsNotFound(err) {
		return m, nil, nil // its definition went meanwhile
	}
	if err != nil {
		return m, nil, fmt.Errorf("list all objects of kind %s: %w", kind, err)
	}
	return m, found, nil
}

// ourFinalizers are those that only a running controller would take off.
func ourFinalizers() []string { return []string{api.FinalizerRepository, api.FinalizerVersionUsed} }

// LetGo takes our finalizers off whatever isn't an Application, so that the deletion
// of its definition ends. It is for when no controller runs any more.
func LetGo(ctx context.Context, c *cluster.Client) error {
	for _, kind := range otherKinds() {
		m, found, err := listKind(ctx, c, kind)
		if err != nil {
			return err
		}
		for _, u := range found {
			if err := letGo(ctx, c, m, u); err != nil {
				return fmt.Errorf("take the finalizers off %s %s: %w", kind, u.GetName(), err)
			}
		}
	}
	return nil
}

func letGo(ctx context.Context, c *cluster.Client, m cluster.Mapping, u *unstructured.Unstructured) error {
	kept := slices.DeleteFunc(slices.Clone(u.GetFinalizers()), func(f string) bool { return slices.Contains(ourFinalizers(), f) })
	if len(kept) == len(u.GetFinalizers()) {
		return nil
	}
	// With its version: another finalizer that came meanwhile isn't lost.
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": kept, "resourceVersion": u.GetResourceVersion()}})
	if err != nil {
		return err
	}
	_, err = c.Patch(ctx, m, u.GetNamespace(), u.GetName(), types.MergePatchType, patch, cluster.WriteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// NamespaceOf is the namespace of the controller among the objects of its record.
func NamespaceOf(objects []object.Ref) string {
	for _, ref := range objects {
		if ref.Kind == "Deployment" && ref.Name == name {
			return ref.Namespace
		}
	}
	return controller.DefaultSystemNamespace
}

// stopEvery is how often it is looked whether Pods are gone.
const stopEvery = 500 * time.Millisecond

// AwaitStop waits until no Pod of the controller is left in its namespace: it has time
// to end what it is at.
func AwaitStop(ctx context.Context, c *cluster.Client, namespace string) error {
	m := cluster.Mapping{
		GVK: schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, GVR: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Namespaced: true,
	}
	var names []string
	err := wait.PollUntilContextTimeout(ctx, stopEvery, 2*terminationSeconds*time.Second, true, func(ctx context.Context) (bool, error) {
		found, err := c.List(ctx, m, cluster.ListOptions{Namespace: namespace, LabelSelector: "app.kubernetes.io/name=" + name, MetadataOnly: true})
		names = nil
		for _, u := range found {
			names = append(names, u.GetName())
		}
		return len(names) == 0, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return fmt.Errorf("the controller still runs in namespace %s, as Pods %v", namespace, names)
	}
	return err
}

// ForgetLeader removes the Lease of the controller, which would stay in a namespace
// that isn't ours.
func ForgetLeader(ctx context.Context, c *cluster.Client, namespace string) error {
	m := cluster.Mapping{
		GVK: schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"},
		GVR: schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, Namespaced: true,
	}
	err := c.Delete(ctx, m, namespace, controller.LeaseName, cluster.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
