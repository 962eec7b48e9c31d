package state

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// Lock returns who holds the lock of a manifest; false if nobody does. A dead
// holder is still named.
func (s *Store) Lock(ctx context.Context, manifest string) (Lock, bool, error) {
	if err := ValidateManifest(manifest); err != nil {
		return Lock{}, false, err
	}
	u, err := s.Client.Get(ctx, leases(), Namespace, LockName(manifest))
	if apierrors.IsNotFound(err) {
		return Lock{}, false, nil
	}
	if err != nil {
		return Lock{}, false, fmt.Errorf("looking at the lock of manifest %q: %w", manifest, err)
	}
	return readLock(manifest, u), leaseHolder(u) != "", nil
}

// Unlock takes the lock away from whoever holds it, and returns who that was; an
// empty Lock if nobody did. A holder that is alive notices at its next renewal,
// and until then may finish what it has begun.
func (s *Store) Unlock(ctx context.Context, manifest string) (Lock, error) {
	if err := ValidateManifest(manifest); err != nil {
		return Lock{}, err
	}
	u, err := s.Client.Get(ctx, leases(), Namespace, LockName(manifest))
	if apierrors.IsNotFound(err) {
		return Lock{}, nil
	}
	if err == nil {
		// Only the holder that the caller sees named: a new one may have come.
		err = s.Client.Delete(ctx, leases(), Namespace, LockName(manifest), cluster.DeleteOptions{UID: u.GetUID()})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return Lock{}, fmt.Errorf("unlocking manifest %q: %w", manifest, err)
	}
	return readLock(manifest, u), nil
}
