package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// The Deployment by which Deckhouse is known.
const (
	deckhouseNamespace  = "d8-system"
	deckhouseDeployment = "deckhouse"
)

// RefuseDeckhouse is an error that is ErrDeckhouse where Deckhouse itself runs: before
// anything is installed, as the controller asks again at its start.
func RefuseDeckhouse(ctx context.Context, c *cluster.Client) error {
	gvk := appsv1.SchemeGroupVersion.WithKind("Deployment")
	m := cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource("deployments"), Namespaced: true}
	_, err := c.Get(ctx, m, deckhouseNamespace, deckhouseDeployment)
	return besideDeckhouse(err)
}

// besideDeckhouse judges by what came of asking for the Deployment.
func besideDeckhouse(err error) error {
	switch {
	case err == nil:
		return fmt.Errorf("the Deployment %s/%s is there: %w", deckhouseNamespace, deckhouseDeployment, ErrDeckhouse)
	case apierrors.IsNotFound(err):
		return nil
	}
	return fmt.Errorf("find out whether Deckhouse runs here: %w", err)
}
