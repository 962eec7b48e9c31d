package state

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// ErrRecordNotEmpty is returned by Delete for a record that still lists objects.
var ErrRecordNotEmpty = errors.New("the record still lists objects")

// Delete removes the whole record, for a manifest whose every object is gone. It
// refuses one that still lists something, readable or not.
func (s *Session) Delete(ctx context.Context) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	if err := s.holdLock(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	empty, shards := s.ledger.empty(), s.ledger.shards
	s.mu.Unlock()
	if !empty {
		return fmt.Errorf("deleting the record of manifest %q: %w", s.ledger.manifest, ErrRecordNotEmpty)
	}
	for i := len(shards) - 1; i >= 0; i-- { // the first goes last: without it the others can't be found
		if err := s.deleteShard(ctx, shards[i]); err != nil {
			return fmt.Errorf("deleting the record of manifest %q: %w", s.ledger.manifest, err)
		}
	}
	if err := s.deleteBodies(ctx); err != nil {
		s.addNotes(fmt.Sprintf("Secret %s/%s was left behind: %v", Namespace, BodiesName(s.ledger.manifest), err))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger, _ = newLedger(s.ledger.manifest, nil)
	s.touched, s.bodiesDirty = false, false
	return nil
}

// deleteBodies removes the Secrets, also one that could not be read.
func (s *Session) deleteBodies(ctx context.Context) error {
	if len(s.parts) == 0 && s.record.Exists {
		s.parts = []bodyPart{{}}
	}
	return s.removeParts(ctx, 0)
}

// deleteShard removes one ConfigMap in the version that we know.
func (s *Session) deleteShard(ctx context.Context, sh *shard) error {
	if sh.live == nil {
		return nil
	}
	err := s.store.Client.Delete(ctx, configMaps(), Namespace, sh.name, cluster.DeleteOptions{
		UID: sh.live.GetUID(), ResourceVersion: sh.live.GetResourceVersion(),
	})
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		u, getErr := s.store.Client.Get(ctx, configMaps(), Namespace, sh.name)
		if getErr != nil {
			return err
		}
		return movedError(s.ledger.manifest, sh, u)
	}
	return err
}
