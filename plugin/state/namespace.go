package state

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// create makes an object in our namespace, and the namespace first if the server
// says that it is not there. madeNamespace tells whether it had to.
func (s *Store) create(ctx context.Context, m cluster.Mapping, body map[string]any) (u *unstructured.Unstructured, madeNamespace bool, err error) {
	u, err = s.Client.Create(ctx, m, body, cluster.WriteOptions{Manager: fieldManager})
	if !apierrors.IsNotFound(err) {
		return u, false, err
	}
	if err := s.createNamespace(ctx); err != nil {
		return nil, false, err
	}
	u, err = s.Client.Create(ctx, m, body, cluster.WriteOptions{Manager: fieldManager})
	return u, err == nil, err
}

// createNamespace makes the namespace; another run may be quicker.
func (s *Store) createNamespace(ctx context.Context) error {
	body := map[string]any{
		"apiVersion": "v1",
		"kind":       "Namespace",
		"metadata":   map[string]any{"name": Namespace},
	}
	_, err := s.Client.Create(ctx, namespaces(), body, cluster.WriteOptions{Manager: fieldManager})
	if err == nil || apierrors.IsAlreadyExists(err) {
		return nil
	}
	return fmt.Errorf("records are kept in namespace %q, which does not exist and could not be created; "+
		"create it once with: kubectl create namespace %s: %w", Namespace, Namespace, err)
}
