package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// ErrDefinitionGone is that a kind of ours is not served any more, and it isn't for the
// controller to bring it back.
var ErrDefinitionGone = errors.New("nothing can be looked after without it; write it, or start the controller with --install-crds")

// keeper brings our definitions back that are deleted while the controller works. With a
// definition all objects of its kind go, as Kubernetes has it; Applications are removed
// in the ordinary way before.
type keeper struct {
	// client asks the server itself.
	client client.Client
	// write: they may be written.
	write bool
	log   *slog.Logger
	// wake holds at most one word that something may be gone.
	wake chan struct{}
}

// watchFailed hears of every watch that can't be opened. A kind that isn't found may be
// gone with its definition; the watch itself is tried again in any case.
func (k *keeper) watchFailed(ctx context.Context, r *toolscache.Reflector, err error) {
	if !apierrors.IsNotFound(err) {
		toolscache.DefaultWatchErrorHandler(ctx, r, err)
		return
	}
	select {
	case k.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// NeedLeaderElection is true: who stands by waits for the leader to bring them back.
func (k *keeper) NeedLeaderElection() bool { return true }

// Start works until the context ends.
func (k *keeper) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.wake:
		}
		if err := k.look(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// look looks once. Only what would be the same at every other look is an error.
func (k *keeper) look(ctx context.Context) error {
	gone, err := k.gone(ctx)
	switch {
	case err != nil:
		k.log.Error("it could not be found out whether our definitions are there", "error", err.Error())
		return nil
	case gone == "":
		return nil
	case !k.write:
		return fmt.Errorf("the CustomResourceDefinition %s was deleted: %w", gone, ErrDefinitionGone)
	}
	k.log.Warn("a definition was deleted, and all objects of its kind with it: it is written again", "definition", gone)
	if err := establish(ctx, k.client, true); err != nil {
		k.log.Error("our definitions could not be written", "error", err.Error())
	}
	return nil
}

// gone names a definition of ours that isn't there.
func (k *keeper) gone(ctx context.Context) (string, error) {
	crds, err := api.CRDs()
	if err != nil {
		return "", err
	}
	for _, crd := range crds {
		_, err := established(ctx, k.client, crd.GetName())
		switch {
		case apierrors.IsNotFound(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
			return crd.GetName(), nil
		case err != nil: // also where a server that begins knows no path yet
			return "", err
		}
	}
	return "", nil
}
