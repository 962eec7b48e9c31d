package state

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testingclock "k8s.io/utils/clock/testing"
)

// held is somebody else's Lease. Its times are years off, as a wrong clock's would
// be: nothing may depend on them.
func held(f *fakeCluster, name, holder, renewed string) {
	heldBy(f, name, holder, "theirs", renewed)
}

// heldBy is held by the run of a certain session.
func heldBy(f *fakeCluster, name, holder, session, renewed string) {
	f.put(map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": map[string]any{"name": name, "namespace": Namespace, "annotations": map[string]any{AnnotationSession: session}},
		"spec": map[string]any{
			"holderIdentity": holder, "leaseDurationSeconds": int64(30), "leaseTransitions": int64(4),
			"acquireTime": "2031-01-01T00:00:00.000000Z", "renewTime": renewed,
		},
	})
}

// waiting is a Begin on its way, on a clock that the test moves.
type waiting struct {
	clock   *testingclock.FakeClock
	done    chan struct{}
	session *Session
	err     error
}

func beginWaiting(t *testing.T, s *Store) *waiting {
	t.Helper()
	w := &waiting{clock: s.Clock.(*testingclock.FakeClock), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.session, w.err = s.Begin(context.Background(), "m", "apply")
	}()
	t.Cleanup(func() {
		<-w.done
		if w.session != nil {
			_ = w.session.End(context.Background())
		}
	})
	return w
}

// step lets the waiter look once more, after d; false once it has ended.
func (w *waiting) step(t *testing.T, d time.Duration) bool {
	t.Helper()
	for range 2000 {
		select {
		case <-w.done:
			return false
		default:
		}
		if w.clock.HasWaiters() {
			w.clock.Step(d)
			return true
		}
		time.Sleep(time.Millisecond)
	}
	require.Fail(t, "Begin neither waits nor ends")
	return false
}

func TestLockText(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	_ = begin(t, newStore(f), "m")
	l, ok, err := newStore(f).Holder(t.Context(), "m")
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, `manifest "m" is locked by alice@laptop pid 7 apply since 2026-11-29T12:00:00Z`, l.String())
	assert.Contains(t, (&LockedError{Lock: l}).Error(), "kubectl tazuna state unlock")
	assert.True(t, testTime.Equal(l.Renewed))

	_, ok, err = newStore(f).Holder(t.Context(), "other")
	require.NoError(t, err)
	assert.False(t, ok)
}

func TestBeginFailsWhileTheHolderIsAlive(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	held(f, "tazuna-lock-m", "bob@ci pid 1 apply", "r0")
	s := newStore(f)
	var told []Lock
	s.OnWait = func(l Lock) { told = append(told, l) }
	w := beginWaiting(t, s)
	for i := 0; w.step(t, pollEvery); i++ {
		held(f, "tazuna-lock-m", "bob@ci pid 1 apply", fmt.Sprintf("r%d", i))
	}
	var locked *LockedError
	require.ErrorAs(t, w.err, &locked)
	assert.Equal(t, "bob@ci pid 1 apply", locked.Lock.Holder)
	assert.Contains(t, w.err.Error(), "another run is in progress")
	assert.Less(t, s.Clock.Now().Sub(testTime), lockTTL, "no need to wait for the whole TTL")
	require.Len(t, told, 1)
	assert.Empty(t, writes(f.requests())[1:], "nothing but the first try to create")
}

// Three runs at once: the first ends, the second comes to the lock before us. It has
// not shown yet that it is held for long, so it is no reason to give up.
func TestBeginWaitsForTheNextHolderAsForTheFirst(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	heldBy(f, "tazuna-lock-m", "bob", "one", "r0")
	s := newStore(f)
	w := beginWaiting(t, s)
	require.True(t, w.step(t, pollEvery))
	f.remove("Lease", "tazuna-lock-m")
	heldBy(f, "tazuna-lock-m", "carol", "two", "r1")
	require.True(t, w.step(t, pollEvery))
	require.True(t, w.step(t, pollEvery), "carol is waited for")
	f.remove("Lease", "tazuna-lock-m")
	for w.step(t, pollEvery) {
	}
	require.NoError(t, w.err)
}

func TestBeginWaitsForALiveHolderIfAsked(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	held(f, "tazuna-lock-m", "bob", "r")
	s := newStore(f)
	s.Wait = time.Hour
	w := beginWaiting(t, s)
	for i := range 100 {
		require.True(t, w.step(t, pollEvery))
		held(f, "tazuna-lock-m", "bob", fmt.Sprintf("r%d", i))
	}
	f.remove("Lease", "tazuna-lock-m")
	for w.step(t, pollEvery) {
	}
	require.NoError(t, w.err)
	assert.Equal(t, "alice@laptop pid 7 apply", leaseHolder(f.get("Lease", "tazuna-lock-m")))
}

func TestBeginStopsWaitingInTime(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	held(f, "tazuna-lock-m", "bob", "r")
	s := newStore(f)
	s.Wait = time.Minute
	w := beginWaiting(t, s)
	for i := 0; w.step(t, pollEvery); i++ {
		held(f, "tazuna-lock-m", "bob", fmt.Sprintf("r%d", i))
	}
	var locked *LockedError
	require.ErrorAs(t, w.err, &locked)
	assert.Equal(t, time.Minute, s.Clock.Now().Sub(testTime))
}

// A dead holder's Lease is taken over after the TTL by our clock; what its times
// say does not matter.
func TestBeginTakesADeadHoldersLease(t *testing.T) {
	t.Parallel()
	for _, renewed := range []string{"2031-01-01T00:00:00.000000Z", "1999-01-01T00:00:00.000000Z", "nonsense", ""} {
		f := newFakeCluster(t).withNamespace()
		held(f, "tazuna-lock-m", "bob", renewed)
		s := newStore(f)
		w := beginWaiting(t, s)
		for s.Clock.Now().Sub(testTime) < lockTTL {
			require.True(t, w.step(t, pollEvery), "not before the TTL")
		}
		<-w.done
		require.NoError(t, w.err)
		u := f.get("Lease", "tazuna-lock-m")
		assert.Equal(t, "alice@laptop pid 7 apply", leaseHolder(u))
		transitions, _, _ := unstructured.NestedInt64(u.Object, "spec", "leaseTransitions")
		assert.EqualValues(t, 5, transitions)
	}
}

// A run that was killed held several: they are waited out together.
func TestBeginTakesLocksOfADeadRunTogether(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	for _, manifest := range []string{"m", "n", "o"} {
		held(f, "tazuna-lock-"+manifest, "bob", "r0")
	}
	s := newStore(f)
	s.Expect("m", "n", "o", "p")
	w := beginWaiting(t, s)
	for w.step(t, pollEvery) {
	}
	require.NoError(t, w.err)
	at := s.Clock.Now()
	_ = begin(t, s, "n")
	assert.Equal(t, at, s.Clock.Now(), "its time ran while the first was waited for")

	held(f, "tazuna-lock-o", "bob", "r1") // this one lives
	next := &waiting{clock: w.clock, done: make(chan struct{})}
	go func() {
		defer close(next.done)
		next.session, next.err = s.Begin(context.Background(), "o", "apply")
	}()
	<-next.done
	var locked *LockedError
	require.ErrorAs(t, next.err, &locked)
	_ = begin(t, s, "p")
}

// A holder that dies while we wait for it: the TTL counts from its last sign.
func TestBeginCountsTheTTLFromTheLastChange(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	held(f, "tazuna-lock-m", "bob", "r0")
	s := newStore(f)
	s.Wait = time.Hour
	w := beginWaiting(t, s)
	for i := range 10 {
		require.True(t, w.step(t, pollEvery))
		held(f, "tazuna-lock-m", "bob", fmt.Sprintf("r%d", i))
	}
	last := s.Clock.Now()
	for w.step(t, pollEvery) {
	}
	require.NoError(t, w.err)
	assert.GreaterOrEqual(t, s.Clock.Now().Sub(last), lockTTL)
}

func TestBeginTakesAFreeLease(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	held(f, "tazuna-lock-m", "", "r")
	_ = begin(t, newStore(f), "m")
	assert.Equal(t, []string{
		"create Lease tazuna-lock-m", "get Lease tazuna-lock-m", "update Lease tazuna-lock-m", "get ConfigMap tazuna-state-m",
	}, f.requests())
}

func TestBeginIsCancelled(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	held(f, "tazuna-lock-m", "bob", "r")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := newStore(f)
	s.OnWait = func(Lock) { cancel(errors.New("ctrl-c")) }
	_, err := s.Begin(ctx, "m", "apply")
	require.ErrorContains(t, err, "waiting for the lock")
	require.ErrorContains(t, err, "ctrl-c")
}

// Of many runs that start at once on a fresh cluster exactly one gets the lock at
// a time, and all of them in the end.
func TestBeginRace(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t)
	var mu sync.Mutex
	inside, most := 0, 0
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := newStore(f)
			s.Identity.PID = i
			s.Rand = strings.NewReader(strings.Repeat(string(rune('a'+i)), 64))
			for {
				session, err := s.Begin(context.Background(), "m", "apply")
				var locked *LockedError
				if errors.As(err, &locked) {
					continue
				}
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				inside++
				most = max(most, inside)
				mu.Unlock()
				session.Applied(Entry{Key: Key{Manifest: "m", Version: "v1", Kind: "Namespace", Name: fmt.Sprint(i)}, ContentHash: hashA})
				assert.NoError(t, session.Save(context.Background(), true, Metadata{}))
				mu.Lock()
				inside--
				mu.Unlock()
				assert.NoError(t, session.End(context.Background()))
				return
			}
		})
		// Begin polls by the run's own clock, which nobody moves here: so each run
		// starts when the one before has ended, or meets it at the first request.
		wg.Wait()
	}
	assert.Equal(t, 1, most)
	rec, err := newStore(f).Read(t.Context(), "m")
	require.NoError(t, err)
	assert.Len(t, rec.Entries, 8, "no entry is lost")
}

// until polls for what happens in the background.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 10*time.Second, time.Millisecond, what)
}

func TestRenewal(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := newStore(f)
	clock := s.Clock.(*testingclock.FakeClock)
	session := begin(t, s, "m")
	for i := range 10 {
		before := f.get("Lease", "tazuna-lock-m").GetResourceVersion()
		until(t, "a timer", clock.HasWaiters)
		clock.Step(renewEvery)
		until(t, "a renewal", func() bool { return f.get("Lease", "tazuna-lock-m").GetResourceVersion() != before })
		until(t, "the answer", func() bool { return session.Alive() == nil })
		assert.Equal(t, testTime.Add(time.Duration(i+1)*renewEvery), readLock("m", f.get("Lease", "tazuna-lock-m")).Renewed)
	}
	require.NoError(t, session.End(t.Context()))
	assert.False(t, clock.HasWaiters(), "nothing goes on in the background")
	require.NoError(t, session.End(t.Context()), "twice does no harm")
}

// refuseLeases makes every renewal fail while it is on.
type refuseLeases struct {
	mu sync.Mutex
	on bool
}

func (r *refuseLeases) set(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = on
}

func (r *refuseLeases) before(_, kind, _ string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on && kind == "Lease" {
		return apierrors.NewInternalError(errors.New("etcd is away"))
	}
	return nil
}

func TestAliveEndsAfterTwoThirdsOfTheTTL(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	refuse := &refuseLeases{}
	f.before = refuse.before
	s := newStore(f)
	clock := s.Clock.(*testingclock.FakeClock)
	session := begin(t, s, "m")
	refuse.set(true)
	for passed := time.Duration(0); passed < aliveFor; passed += retryEvery {
		require.NoError(t, session.Alive())
		until(t, "a timer", clock.HasWaiters)
		clock.Step(retryEvery)
	}
	require.NoError(t, session.Alive(), "two thirds are not over yet")
	clock.Step(time.Millisecond)
	var lost *LostError
	require.ErrorAs(t, session.Alive(), &lost)
	assert.Empty(t, lost.By)
	assert.Equal(t, 20*time.Second, lost.Since.Round(time.Second))
	require.ErrorContains(t, session.Alive(), "was not renewed for 20s")
	require.ErrorAs(t, session.WriteAhead(t.Context(), []Key{mustKey(t, "m//v1/Namespace/a")}), &lost)
	session.Applied(entry(t, "m//v1/Namespace/a", hashA))
	require.ErrorAs(t, session.Save(t.Context(), true, Metadata{}), &lost)
	assert.Empty(t, f.names("ConfigMap"))

	refuse.set(false)
	require.NoError(t, session.Save(t.Context(), true, Metadata{}), "the lock is still ours: what happened is recorded")
	require.NoError(t, session.Alive())
}

// A wall clock that jumps while the monotonic one stands still is a laptop that
// slept: meanwhile the lock may be somebody else's.
func TestAliveMindsTheWallClock(t *testing.T) {
	t.Parallel()
	l := &lease{manifest: "m", clock: testingclock.NewFakeClock(testTime)}
	l.renewed = testTime.Add(-aliveFor - time.Second).Round(0)
	require.Error(t, l.alive())
	l.renewed = testTime.Add(-aliveFor)
	require.NoError(t, l.alive())
	l.renewed = testTime.Add(time.Hour)
	require.NoError(t, l.alive(), "a clock set back proves nothing")
}

func TestLostToAnotherHolder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*fakeCluster)
		by     string
	}{
		"taken":   {func(f *fakeCluster) { held(f, "tazuna-lock-m", "bob@ci pid 1 apply", "r") }, "bob@ci pid 1 apply"},
		"removed": {func(f *fakeCluster) { f.remove("Lease", "tazuna-lock-m") }, "somebody who unlocked it"},
		"freed":   {func(f *fakeCluster) { held(f, "tazuna-lock-m", "", "r") }, "somebody who unlocked it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFakeCluster(t).withNamespace()
			s := newStore(f)
			session := begin(t, s, "m")
			c.change(f)
			require.Error(t, session.lease.renew(t.Context()))
			var lost *LostError
			require.ErrorAs(t, session.Alive(), &lost)
			assert.Equal(t, c.by, lost.By)
			session.Applied(entry(t, "m//v1/Namespace/a", hashA))
			require.ErrorAs(t, session.Save(t.Context(), true, Metadata{}), &lost)
			require.ErrorAs(t, session.Delete(t.Context()), &lost)
			f.requests()
			require.NoError(t, session.End(t.Context()))
			assert.Empty(t, f.requests(), "somebody else's lock is not touched")
		})
	}
}

// An answer that gets lost must not look like somebody else's work.
func TestLeaseAnswersLost(t *testing.T) {
	t.Parallel()
	gone := errors.New("connection reset")
	f := newFakeCluster(t).withNamespace()
	lose := func(verb string) {
		f.after = func(v, kind, _ string) error {
			if v == verb && kind == "Lease" {
				f.after = nil
				return gone
			}
			return nil
		}
	}
	// A create that was performed, and repeated by a client below us.
	s := newStore(f)
	lose("create")
	_, err := s.Begin(t.Context(), "m", "apply")
	require.ErrorIs(t, err, gone)
	f.remove("Lease", "tazuna-lock-m")

	session := begin(t, newStore(f), "m")
	lose("update")
	require.ErrorIs(t, session.lease.renew(t.Context()), gone)
	require.NoError(t, session.lease.renew(t.Context()), "our own version of a moment ago")
	require.NoError(t, session.Alive())

	lose("update")
	require.ErrorIs(t, session.lease.renew(t.Context()), gone)
	require.NoError(t, session.End(t.Context()))
	assert.Empty(t, f.names("Lease"), "released in the version that is there")
}

// A client below us repeats a create whose answer was lost, and gets told that the
// object exists: it is ours.
func TestLeaseCreatedTwice(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.after = func(verb, kind, name string) error {
		if verb == "create" && kind == "Lease" {
			f.after = nil
			return apierrors.NewAlreadyExists(resource(leases()), name)
		}
		return nil
	}
	session := begin(t, newStore(f), "m")
	require.NoError(t, session.Alive())
}

func TestUnlock(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	s := newStore(f)
	require.NoError(t, s.Unlock(t.Context(), "m"), "nothing to do")
	held(f, "tazuna-lock-m", "bob", "r")
	require.NoError(t, s.Unlock(t.Context(), "m"))
	assert.Empty(t, f.names("Lease"))
	_ = begin(t, s, "m")
	require.Error(t, s.Unlock(t.Context(), "M"))
	f.before = func(_, _, name string) error {
		return apierrors.NewForbidden(resource(leases()), name, errors.New("no"))
	}
	err := s.Unlock(t.Context(), "m")
	require.ErrorContains(t, err, `unlocking manifest "m"`)
	assert.True(t, apierrors.IsForbidden(err))
	_, _, err = s.Holder(t.Context(), "m")
	assert.True(t, apierrors.IsForbidden(err))
}

func TestLeaseTTLOfOthers(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int64]time.Duration{
		0: lockTTL, 1: lockTTL, 30: lockTTL, 60: time.Minute, 1 << 40: 10 * time.Minute, -5: lockTTL,
	} {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"leaseDurationSeconds": seconds}}}
		assert.Equal(t, want, leaseTTL(u), "%d", seconds)
	}
}

func TestBeginWithoutRights(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t)
	f.before = func(_, kind, name string) error {
		if kind == "Namespace" {
			return apierrors.NewForbidden(resource(namespaces()), name, errors.New("no"))
		}
		return nil
	}
	_, err := newStore(f).Begin(t.Context(), "m", "apply")
	require.ErrorContains(t, err, `kubectl create namespace tazuna`)
	assert.True(t, apierrors.IsForbidden(err))
	_, err = newStore(f).Begin(t.Context(), "m.1", "apply")
	require.ErrorContains(t, err, "manifest name")
}

// Who may not delete Leases leaves them without a holder, and nobody waits for them.
func TestEndWithoutTheRightToDelete(t *testing.T) {
	t.Parallel()
	f := newFakeCluster(t).withNamespace()
	f.before = func(verb, kind, name string) error {
		if verb == "delete" && kind == "Lease" {
			return apierrors.NewForbidden(resource(leases()), name, errors.New("no"))
		}
		return nil
	}
	s, err := newStore(f).Begin(t.Context(), "m", "apply")
	require.NoError(t, err)
	require.NoError(t, s.End(t.Context()))
	assert.Empty(t, leaseHolder(f.get("Lease", "tazuna-lock-m")))
	_ = begin(t, newStore(f), "m")
}
