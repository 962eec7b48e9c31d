package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const (
	kappIdentity   = "kapp.k14s.io/identity"
	kappAppSuffix  = ".apps.k14s.io"
	kubectlApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

// KappApp makes a search for what a kapp app lists: objects with its label that name
// themselves in kapp's identity, as copies of the label don't.
func KappApp(ctx context.Context, c Client, namespace, app string) (Search, error) {
	m, err := c.Mapping(ctx, schema.GroupKind{Kind: "ConfigMap"}, "v1")
	if err != nil {
		return Search{}, err
	}
	u, err := c.Get(ctx, m, namespace, app)
	if apierrors.IsNotFound(err) {
		u, err = c.Get(ctx, m, namespace, app+kappAppSuffix)
	}
	if err != nil {
		return Search{}, fmt.Errorf("find the kapp app %s in namespace %s: %w", app, namespace, err)
	}
	text, _, _ := unstructured.NestedString(u.Object, "data", "spec")
	var spec struct {
		LabelKey   string `json:"labelKey"`
		LabelValue string `json:"labelValue"`
	}
	if err := json.Unmarshal([]byte(text), &spec); err != nil || spec.LabelKey == "" || spec.LabelValue == "" {
		return Search{}, fmt.Errorf("ConfigMap %s/%s: wanted a kapp app with labelKey and labelValue in .data.spec", namespace, u.GetName())
	}
	selector := labels.Set{spec.LabelKey: spec.LabelValue}
	if _, err := labels.ValidatedSelectorFromSet(selector); err != nil {
		return Search{}, fmt.Errorf("ConfigMap %s/%s: labelKey and labelValue in .data.spec are no label: %w", namespace, u.GetName(), err)
	}
	return Search{
		Selector: selector.String(),
		Belongs: func(m cluster.Mapping, u *unstructured.Unstructured) bool {
			return strings.Contains(u.GetAnnotations()[kappIdentity], m.GVK.Group+"/"+m.GVK.Kind+"/"+u.GetName()+";")
		},
	}, nil
}

// ApplySet makes a search for the members of an ApplySet.
func ApplySet(id string) (Search, error) {
	if !strings.HasPrefix(id, "applyset-") {
		return Search{}, fmt.Errorf("ApplySet %q: wanted an ID that begins with applyset-, the value of the label %s", id, state.ParentIDLabel)
	}
	selector := labels.Set{state.PartOfLabel: id}
	if _, err := labels.ValidatedSelectorFromSet(selector); err != nil {
		return Search{}, fmt.Errorf("ApplySet %q: %w", id, err)
	}
	return Search{Selector: selector.String(), Belongs: func(_ cluster.Mapping, u *unstructured.Unstructured) bool {
		_, clientSide := u.GetAnnotations()[kubectlApplied]
		return clientSide || byKubectl(u)
	}}, nil
}

// Kubectl makes a search for what kubectl apply wrote in a namespace. An empty selector
// chooses all.
func Kubectl(namespace, selector string) (Search, error) {
	if _, err := labels.Parse(selector); err != nil {
		return Search{}, fmt.Errorf("--selector: %w", err)
	}
	return Search{Namespace: namespace, Selector: selector, Belongs: func(_ cluster.Mapping, u *unstructured.Unstructured) bool {
		_, clientSide := u.GetAnnotations()[kubectlApplied]
		return u.GetLabels()[state.PartOfLabel] == "" && (clientSide || byKubectl(u))
	}}, nil
}

func byKubectl(u *unstructured.Unstructured) bool {
	for _, e := range u.GetManagedFields() {
		if e.Manager == "kubectl" && e.Operation == metav1.ManagedFieldsOperationApply && e.Subresource == "" {
			return true
		}
	}
	return false
}

// ErrNoRelease is returned for a Helm release that isn't there.
var ErrNoRelease = errors.New("there is no such Helm release that is deployed")

// OfRelease are the keys of a Helm release's objects.
func OfRelease(ctx context.Context, c Client, manifest, namespace string, rendered []object.Object) ([]state.Key, error) {
	if len(rendered) == 0 {
		return nil, ErrNoRelease
	}
	var out []state.Key
	for _, o := range rendered {
		k := state.KeyOf(manifest, o)
		m, err := Resolve(ctx, c, k)
		if err != nil {
			return nil, fmt.Errorf("%s of the release: %w", o.Ref(), err)
		}
		k.Version = m.GVK.Version
		switch {
		case !m.Namespaced:
			k.Namespace = ""
		case k.Namespace == "":
			k.Namespace = namespace
		}
		out = append(out, k)
	}
	return out, nil
}
