package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// FieldManager is who writes our definitions.
const FieldManager = "tazuna-packages"

// ErrDeckhouse tells that the platform itself runs here, whose controller it is that
// looks after packages.
var ErrDeckhouse = errors.New("Deckhouse itself runs in this cluster, and looks after application packages; " +
	"two controllers would undo each other's work")

// refuse is ErrDeckhouse where Deckhouse runs.
func refuse(ctx context.Context, c client.Client) error {
	deployment := &unstructured.Unstructured{}
	deployment.SetAPIVersion("apps/v1")
	deployment.SetKind("Deployment")
	return besideDeckhouse(c.Get(ctx, types.NamespacedName{Namespace: deckhouseNamespace, Name: deckhouseDeployment}, deployment))
}

// establishTimeout is how long a server may take to serve our kinds.
const establishTimeout = time.Minute

// establish writes our definitions, or only waits for them, until the server serves
// them.
func establish(ctx context.Context, c client.Client, write bool) error {
	crds, err := api.CRDs()
	if err != nil {
		return err
	}
	for _, crd := range crds {
		if !write {
			break
		}
		//nolint:staticcheck // Apply wants generated types, which definitions have none of here
		if err := c.Patch(ctx, crd.DeepCopy(), client.Apply, client.FieldOwner(FieldManager), client.ForceOwnership); err != nil {
			return fmt.Errorf("write the CustomResourceDefinition %s: %w", crd.GetName(), err)
		}
	}
	for _, crd := range crds {
		err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, establishTimeout, true, func(ctx context.Context) (bool, error) {
			return established(ctx, c, crd.GetName())
		})
		if err != nil {
			return fmt.Errorf("wait for the CustomResourceDefinition %s to be served: %w", crd.GetName(), err)
		}
	}
	return nil
}

// discovered waits until the server lists all our kinds, which is a moment after it says
// that it serves them: what finds the paths of kinds may not ask a second time.
func discovered(ctx context.Context, of discovery.ServerResourcesInterface) error {
	crds, err := api.CRDs()
	if err != nil {
		return err
	}
	missing := ""
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, establishTimeout, true, func(context.Context) (bool, error) {
		list, err := of.ServerResourcesForGroupVersion(api.GroupVersion().String())
		if err != nil && !apierrors.IsNotFound(err) {
			return false, err
		}
		missing = unlisted(crds, list)
		return missing == "", nil
	})
	if err != nil {
		return fmt.Errorf("wait for the server to list %s, version %s: %w", missing, api.GroupVersion(), err)
	}
	return nil
}

// unlisted names the first of the definitions whose kind isn't in a list of discovery.
func unlisted(crds []*unstructured.Unstructured, list *metav1.APIResourceList) string {
	for _, crd := range crds {
		kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
		if list == nil || !slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == kind }) {
			return crd.GetName()
		}
	}
	return ""
}

func established(ctx context.Context, c client.Client, name string) (bool, error) {
	crd := &unstructured.Unstructured{}
	crd.SetAPIVersion("apiextensions.k8s.io/v1")
	crd.SetKind("CustomResourceDefinition")
	if err := c.Get(ctx, types.NamespacedName{Name: name}, crd); err != nil {
		return false, err
	}
	return isEstablished(crd.Object), nil
}

// isEstablished reports whether the server says that it serves a definition. In one that
// was just made, the conditions are null.
func isEstablished(crd map[string]any) bool {
	status, _ := crd["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, condition := range conditions {
		if of, isMap := condition.(map[string]any); isMap && of["type"] == "Established" && of["status"] == "True" {
			return true
		}
	}
	return false
}

// ensureNamespace makes the namespace of what belongs to the controller itself.
func ensureNamespace(ctx context.Context, c client.Client, name string) error {
	err := c.Get(ctx, types.NamespacedName{Name: name}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		err = c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("the namespace %s of the controller: %w", name, err)
	}
	return nil
}
