package state

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Session is the write side of one run on one manifest. Its methods may be called
// from several goroutines.
type Session struct {
	store     *Store
	lease     *lease
	operation string
	record    *Record

	mu     sync.Mutex
	ledger *ledger
	// bodies holds what is known of each object beyond its hash.
	bodies map[object.Ref]Entry
	// touched: there was something to record, so that the run's end is worth
	// recording too. bodiesDirty: the bodies differ from what was saved.
	touched, bodiesDirty bool
	// begun: there are announced objects that no save has written yet.
	begun bool
	// announced: the record says that this run is running.
	announced bool
	parts     []bodyPart
	info      RunInfo
	notes     []string

	// saving keeps saves from overtaking each other.
	saving sync.Mutex
}

// Begin locks a manifest and reads its record again. Call it only for a run that
// has something to write: it writes the Lease. It waits for a dead holder's Lease
// to expire; if the holder is alive the error is a *LockedError. operation is the
// word for what the run does, for other users to read.
func (s *Store) Begin(ctx context.Context, manifest, operation string) (*Session, error) {
	if err := ValidateManifest(manifest); err != nil {
		return nil, err
	}
	l, fresh, err := s.acquire(ctx, manifest, operation)
	if err != nil {
		return nil, err
	}
	l.keep(ctx)
	session := &Session{store: s, lease: l, operation: operation, bodies: map[object.Ref]Entry{}}
	if err := session.load(ctx, manifest, fresh); err != nil {
		_ = l.release(context.WithoutCancel(ctx)) // the error that matters is err
		return nil, err
	}
	return session, nil
}

// load reads the record under the lock. If the namespace was made just now there
// is none.
func (s *Session) load(ctx context.Context, manifest string, fresh bool) error {
	if fresh {
		s.ledger, _ = newLedger(manifest, nil)
		s.record = newRecord(s.ledger, nil)
		return nil
	}
	rec, l, parts, err := s.store.read(ctx, manifest)
	if err != nil {
		return err
	}
	if rec.Exists {
		if err := checkTooling(rec.configMap, l.shards[0].annotation(ToolingAnnotation)); err != nil {
			return err
		}
	}
	s.record, s.ledger, s.parts = rec, l, parts
	for _, e := range rec.Entries {
		if e.UID != "" || e.hasBody() {
			s.bodies[e.Key.Ref()] = e
		}
	}
	return nil
}

// Record returns the record as it was read under the lock. If its Revision is not
// that of the record a plan was made from, make the plan again.
func (s *Session) Record() *Record { return s.record }

// Alive returns an error, a *LostError, once no more writes may be started: the
// lock is somebody else's, or could not be renewed for two thirds of its TTL.
// Ask before every write.
func (s *Session) Alive() error { return s.lease.alive() }

// Describe sets what the annotations will say of this run.
func (s *Session) Describe(info RunInfo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.info = info
	s.touched = s.touched || s.record.Exists && (info.Project != "" && s.record.Project != info.Project ||
		info.DeleteHooks != nil && !EqualHooks(s.record.DeleteHooks, info.DeleteHooks))
}

// Applied notes that an object was applied. e is complete: the hash and the body
// as built, masked values hashed, and what the server answered. It replaces
// entries of the same object under other API versions. Nothing is written.
func (s *Session) Applied(e Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.finish(e.Key, e.ContentHash)
	s.bodies[e.Key.Ref()] = e
	s.touched, s.bodiesDirty = true, true
}

// Removed notes that the record no longer has this entry: the object's deletion
// is confirmed, or somebody else's it is now. Another entry of the same object
// under another API version stays. Nothing is written.
func (s *Session) Removed(k Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ledger.drop(k) {
		s.touched = true
	}
	if e, ok := s.bodies[k.Ref()]; ok && e.Key == k {
		delete(s.bodies, k.Ref())
		s.bodiesDirty = true
	}
}

// Forget takes out what could not be read, as found in Record().Damaged. It
// fails if there is no such entry or it can be read. Nothing is written.
func (s *Session) Forget(d DamagedEntry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ledger.dropDamaged(d); err != nil {
		return err
	}
	s.touched = true
	return nil
}

// Notes returns sentences about what could not be recorded, each once.
func (s *Session) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

func (s *Session) addNotes(notes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range notes {
		if !slices.Contains(s.notes, n) {
			s.notes = append(s.notes, n)
		}
	}
}

// End releases the lock. Call it also after a failure and after cancellation, with
// a context that is still good. What was not saved is lost.
func (s *Session) End(ctx context.Context) error {
	if err := s.lease.release(ctx); err != nil {
		return fmt.Errorf("unlocking manifest %q: %w (the lock ends by itself after %s)", s.ledger.manifest, err, lockTTL)
	}
	return nil
}
