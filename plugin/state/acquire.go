package state

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// acquire takes the Lease of a manifest. madeNamespace tells that our namespace
// did not exist, so that there can be no record either.
func (s *Store) acquire(ctx context.Context, manifest, operation string) (l *lease, madeNamespace bool, err error) {
	l, err = s.newLease(manifest, operation)
	if err != nil {
		return nil, false, err
	}
	watched := s.ahead.watchedLease(manifest)
	for {
		asked := s.clock().Now()
		u, made, err := s.create(ctx, leases(), l.body(nil, asked))
		if err == nil {
			l.accept(u, asked)
			return l, made, nil
		}
		if !apierrors.IsAlreadyExists(err) {
			return nil, false, fmt.Errorf("locking manifest %q: %w", manifest, err)
		}
		if taken, err := s.take(ctx, l, asked, watched); err != nil || taken {
			return l, false, err
		}
	}
}

// take looks at an existing Lease until it is ours, gone or known to be alive.
// false without an error: it is gone, create it again. asked is when we tried to
// create it.
func (s *Store) take(ctx context.Context, l *lease, asked time.Time, watched *watchedLease) (bool, error) {
	for {
		u, err := s.Client.Get(ctx, leases(), Namespace, LockName(l.manifest))
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("locking manifest %q: %w", l.manifest, err)
		}
		if l.isOurs(u) { // a create whose answer got lost
			l.accept(u, asked)
			return true, nil
		}
		now := s.clock().Now()
		watched.look(u, now)
		if leaseHolder(u) == "" || watched.unchangedFor(now) >= leaseTTL(u) {
			taken, err := s.update(ctx, l, u)
			if err != nil || taken {
				return taken, err
			}
			continue // somebody was quicker: look again
		}
		if watched.alive && now.Sub(watched.since) >= s.Wait {
			return false, &LockedError{Lock: readLock(l.manifest, u)}
		}
		if !watched.told {
			s.tellWait(ctx, readLock(l.manifest, u))
		}
		watched.told = true
		if err := sleep(ctx, s.clock(), watched.pause()); err != nil {
			return false, fmt.Errorf("waiting for the lock of manifest %q: %w", l.manifest, err)
		}
	}
}

// tellWait is done once for each Lease that is waited for.
func (s *Store) tellWait(ctx context.Context, held Lock) {
	if s.OnWait != nil {
		s.OnWait(held)
	}
	s.lookAhead(ctx, held.Manifest)
}

// update takes a free or dead Lease over; false if somebody else was quicker.
func (s *Store) update(ctx context.Context, l *lease, u *unstructured.Unstructured) (bool, error) {
	asked := s.clock().Now()
	u, err := s.Client.Update(ctx, leases(), l.body(u, asked), cluster.WriteOptions{Manager: fieldManager})
	switch {
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("locking manifest %q: %w", l.manifest, err)
	}
	l.accept(u, asked)
	return true, nil
}

// newLease prepares a Lease with a random session name.
func (s *Store) newLease(manifest, operation string) (*lease, error) {
	name := make([]byte, 16)
	if _, err := io.ReadFull(s.rand(), name); err != nil {
		return nil, fmt.Errorf("locking manifest %q: %w", manifest, err)
	}
	return &lease{
		client:   s.Client,
		clock:    s.clock(),
		manifest: manifest,
		holder:   s.Identity.holder(operation),
		session:  hex.EncodeToString(name),
	}, nil
}

// watchedLease is what a waiting run has seen of somebody else's Lease. Only
// changes count, and only our own clock: the other's times may be off by hours.
type watchedLease struct {
	// since is when we began to wait, changed when we saw the last change.
	since, changed           time.Time
	resourceVersion, renewed string
	// session tells one holder from the next, who came while we waited: that the
	// lock changes hands is no sign that it is held for long.
	session string
	// alive: the present holder has renewed it since we first saw it.
	alive bool
	told  bool
	// looks counts how often we looked.
	looks int
}

// pause is how long to wait before the next look: many runs end soon.
func (w *watchedLease) pause() time.Duration {
	w.looks++
	return min(pollEvery, firstPoll<<min(w.looks-1, 10))
}

// look notes the Lease's state, while it is waited for.
func (w *watchedLease) look(u *unstructured.Unstructured, now time.Time) {
	if w.since.IsZero() {
		w.since = now
	}
	w.note(u, now)
}

// note compares the Lease with what was seen of it before.
func (w *watchedLease) note(u *unstructured.Unstructured, now time.Time) {
	renewed, _, _ := unstructured.NestedString(u.Object, "spec", "renewTime")
	session := strings.Join([]string{string(u.GetUID()), u.GetAnnotations()[AnnotationSession], leaseHolder(u)}, " ")
	switch {
	case session != w.session:
		w.session, w.alive, w.changed = session, false, now
	case u.GetResourceVersion() != w.resourceVersion || renewed != w.renewed:
		w.alive, w.changed = true, now
	}
	w.resourceVersion, w.renewed = u.GetResourceVersion(), renewed
}

func (w *watchedLease) unchangedFor(now time.Time) time.Duration { return now.Sub(w.changed) }

// leaseTTL is our TTL, or the holder's own if it claims a longer one.
func leaseTTL(u *unstructured.Unstructured) time.Duration {
	seconds, _, _ := unstructured.NestedInt64(u.Object, "spec", "leaseDurationSeconds")
	const most = int64(10 * time.Minute / time.Second)
	return max(lockTTL, time.Duration(min(seconds, most))*time.Second)
}

// sleep waits by the given clock.
func sleep(ctx context.Context, c clock.Clock, d time.Duration) error {
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C():
		return nil
	}
}
