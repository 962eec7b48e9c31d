package module

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Cluster is what is asked of a cluster; *cluster.Client has it.
type Cluster interface {
	Mapping(ctx context.Context, gk schema.GroupKind, version string) (cluster.Mapping, error)
	Get(ctx context.Context, m cluster.Mapping, namespace, name string) (*unstructured.Unstructured, error)
	Apply(ctx context.Context, m cluster.Mapping, body map[string]any, o cluster.ApplyOptions) (*unstructured.Unstructured, error)
	Delete(ctx context.Context, m cluster.Mapping, namespace, name string, o cluster.DeleteOptions) error
}

// Modules are those of a cluster.
type Modules struct{ Cluster Cluster }

// ErrDeckhouse tells that the modules are those of Deckhouse.
var ErrDeckhouse = errors.New("Deckhouse itself runs in this cluster: its modules are enabled with a ModuleConfig")

// Enable says that a module is here, in a version ("" if it has none).
func (m *Modules) Enable(ctx context.Context, name, version string) error {
	mapping, err := m.prepare(ctx, name)
	if err != nil {
		return err
	}
	properties := map[string]any{}
	if version != "" {
		properties["version"] = version
	}
	body := map[string]any{
		"apiVersion": api.GroupVersion().String(), "kind": api.KindModule, "metadata": map[string]any{"name": name},
		"properties": properties, "status": map[string]any{"phase": api.ModuleReady},
	}
	if _, err := m.Cluster.Apply(ctx, mapping, body, cluster.ApplyOptions{Force: true}); err != nil {
		return fmt.Errorf("enable module %s: %w", name, err)
	}
	return nil
}

// Disable takes it back. found is false if nobody had said it.
func (m *Modules) Disable(ctx context.Context, name string) (found bool, err error) {
	mapping, err := m.prepare(ctx, name)
	if err != nil {
		return false, err
	}
	err = m.Cluster.Delete(ctx, mapping, "", name, cluster.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("disable module %s: %w", name, err)
	}
	return err == nil, nil
}

// prepare makes sure that modules can be written here.
func (m *Modules) prepare(ctx context.Context, name string) (cluster.Mapping, error) {
	if reasons := validation.IsDNS1123Subdomain(name); len(reasons) > 0 {
		return cluster.Mapping{}, fmt.Errorf("module name %q: %s", name, strings.Join(reasons, "; "))
	}
	deployments, err := m.Cluster.Mapping(ctx, schema.GroupKind{Group: "apps", Kind: "Deployment"}, "v1")
	if err != nil {
		return cluster.Mapping{}, fmt.Errorf("module %s: %w", name, err)
	}
	switch _, err := m.Cluster.Get(ctx, deployments, "d8-system", "deckhouse"); {
	case err == nil:
		return cluster.Mapping{}, fmt.Errorf("module %s: %w", name, ErrDeckhouse)
	case !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err):
		return cluster.Mapping{}, fmt.Errorf("module %s: find out whether Deckhouse runs here: %w", name, err)
	}
	mapping, err := m.Cluster.Mapping(ctx, schema.GroupKind{Group: api.Group, Kind: api.KindModule}, api.Version)
	var none *cluster.ErrNoKind
	if errors.As(err, &none) {
		return mapping, fmt.Errorf("module %s: the cluster doesn't know Modules; packages controller makes it: %w", name, err)
	}
	if err != nil {
		return mapping, fmt.Errorf("module %s: %w", name, err)
	}
	return mapping, nil
}
