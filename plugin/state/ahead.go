package state

import (
	"context"
	"slices"
	"sync"
)

// ahead is what is known of Leases before their turn comes.
type ahead struct {
	mu       sync.Mutex
	expected []string
	seen     map[string]*watchedLease
}

// Expect says which manifests the run is going to lock, one Begin after the other. A
// run that was killed leaves a Lease for each of its manifests: while the first of
// them is waited out the others are looked at too, so that all of them end together
// and not one TTL after the other.
func (s *Store) Expect(manifests ...string) {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	s.ahead.expected, s.ahead.seen = slices.Clone(manifests), map[string]*watchedLease{}
}

// watchedLease is what was seen of a manifest's Lease so far; waiting for it begins now.
func (a *ahead) watchedLease(manifest string) *watchedLease {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.seen[manifest]
	if w == nil {
		return &watchedLease{}
	}
	delete(a.seen, manifest)
	return w
}

// lookAhead takes a first look at the Leases that are expected later. What can't be
// read now is looked at in its turn.
func (s *Store) lookAhead(ctx context.Context, present string) {
	s.ahead.mu.Lock()
	defer s.ahead.mu.Unlock()
	for _, manifest := range s.ahead.expected {
		if manifest == present || s.ahead.seen[manifest] != nil {
			continue
		}
		u, err := s.Client.Get(ctx, leases(), Namespace, LockName(manifest))
		if err != nil {
			continue
		}
		w := &watchedLease{}
		w.note(u, s.clock().Now())
		s.ahead.seen[manifest] = w
	}
}
