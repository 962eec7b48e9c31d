package state

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// Holder returns who holds the lock of a manifest; false if nobody does. A dead
// holder is still named.
func (s *Store) Holder(ctx context.Context, manifest string) (Lock, bool, error) {
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

// Unlock takes the lock away from whoever holds it; ask Holder before who that is.
// No lock is no error. A holder that is alive notices at its next renewal, and
// until then may finish what it has begun.
func (s *Store) Unlock(ctx context.Context, manifest string) error {
	if err := ValidateManifest(manifest); err != nil {
		return err
	}
	u, err := s.Client.Get(ctx, leases(), Namespace, LockName(manifest))
	if err == nil {
		// The UID keeps us from breaking the lock of a run that came in between.
		err = s.Client.Delete(ctx, leases(), Namespace, LockName(manifest), cluster.DeleteOptions{UID: u.GetUID()})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("unlocking manifest %q: %w", manifest, err)
	}
	return nil
}
