package state

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// The Lease against the real server's versions, on a clock that the test moves.
func TestLiveLock(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "lock")
	dead := liveStore(t)
	theirs := testingclock.NewFakeClock(time.Now())
	dead.Clock = theirs
	first, err := dead.Begin(t.Context(), manifest, "apply")
	require.NoError(t, err)

	// Alive: renewed while the second looks on.
	second := liveStore(t)
	clock := testingclock.NewFakeClock(time.Now().Add(-100 * time.Hour))
	second.Clock, second.Wait = clock, 0
	second.OnWait = func(Lock) {
		theirs.SetTime(theirs.Now().Add(time.Second)) // the same time again would be no write to the server
		assert.NoError(t, first.lease.renew(context.Background()))
	}
	stop := ticking(clock, pollEvery)
	_, err = second.Begin(t.Context(), manifest, "state sync")
	stop()
	var locked *LockedError
	require.ErrorAs(t, err, &locked)
	assert.Equal(t, dead.Identity.holder("apply"), locked.Lock.Holder)

	// Dead: no more renewals.
	second.OnWait = nil
	stop = ticking(clock, pollEvery)
	taken, err := second.Begin(t.Context(), manifest, "state sync")
	stop()
	require.NoError(t, err)
	require.Error(t, first.lease.renew(t.Context()))
	var lost *LostError
	require.ErrorAs(t, first.Alive(), &lost)
	assert.Equal(t, second.Identity.holder("state sync"), lost.By)
	require.NoError(t, first.End(t.Context()))
	require.NoError(t, taken.lease.renew(t.Context()))
	require.NoError(t, taken.Alive(), "the end of the first took nothing away")

	require.NoError(t, second.Unlock(t.Context(), manifest))
	require.Error(t, taken.lease.renew(t.Context()))
	require.ErrorAs(t, taken.Alive(), &lost)
	require.NoError(t, taken.End(t.Context()))
}

// ticking moves a clock whenever somebody waits for it.
func ticking(c *testingclock.FakeClock, step time.Duration) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				if c.HasWaiters() {
					c.Step(step)
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// A user who may do everything but look at Secrets works, with a note; one who may
// only read can read, and is told why it can't write.
func TestLiveLimitedUsers(t *testing.T) {
	t.Parallel()
	manifest := freshManifest(t, "limited")
	writer := grant(t, manifest+"-writer", map[string][]any{
		"configmaps": {"get", "list", "create", "update"}, "leases": {"get", "create", "update", "delete"},
	})
	reader := grant(t, manifest+"-reader", map[string][]any{"configmaps": {"get", "list"}})

	store := liveStore(t, writer)
	s := begin(t, store, manifest)
	k := Key{Manifest: manifest, Version: "v1", Kind: "Namespace", Name: "a"}
	require.NoError(t, s.WriteAhead(t.Context(), []Key{k}))
	s.Applied(entry(t, k.String(), hashA))
	require.NoError(t, s.Save(t.Context(), true, Metadata{}))
	require.Len(t, s.Notes(), 1)
	require.NoError(t, s.End(t.Context()))

	for _, user := range []string{writer, reader} {
		rec, err := liveStore(t, user).Read(t.Context(), manifest)
		require.NoError(t, err)
		assert.Len(t, rec.Entries, 1)
		require.Len(t, rec.Notes, 1)
		assert.Contains(t, rec.Notes[0], "this user may not read it")
		all, err := liveStore(t, user).Manifests(t.Context())
		require.NoError(t, err)
		assert.Contains(t, all, manifest)
		key, err := liveStore(t, user).HashKey(t.Context(), false)
		assert.True(t, apierrors.IsForbidden(err), "%v", err)
		assert.NotErrorIs(t, err, ErrNoHashKey)
		assert.Nil(t, key)
	}
	_, err := liveStore(t, reader).Begin(t.Context(), manifest, "apply")
	require.ErrorContains(t, err, "locking manifest")
	assert.True(t, apierrors.IsForbidden(err))
}

// grant makes a user who may do these things in our namespace.
func grant(t *testing.T, user string, rights map[string][]any) string {
	t.Helper()
	c := live(t)
	if _, err := (&Store{Client: c}).HashKey(t.Context(), true); err != nil { // and with it the namespace
		require.NoError(t, err)
	}
	var rules []any
	for resource, verbs := range rights {
		group := ""
		if resource == "leases" {
			group = "coordination.k8s.io"
		}
		rules = append(rules, map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": verbs})
	}
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	for kind, rest := range map[string]map[string]any{
		"Role": {"rules": rules},
		"RoleBinding": {
			"roleRef":  map[string]any{"apiGroup": rbac.Group, "kind": "Role", "name": user},
			"subjects": []any{map[string]any{"kind": "User", "apiGroup": rbac.Group, "name": user}},
		},
	} {
		m := mapping(rbac.WithKind(kind), strings.ToLower(kind)+"s", true)
		rest["apiVersion"], rest["kind"] = rbac.String(), kind
		rest["metadata"] = map[string]any{"name": user, "namespace": Namespace}
		_, err := c.Create(t.Context(), m, rest, cluster.WriteOptions{})
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.Delete(context.Background(), m, Namespace, user, cluster.DeleteOptions{}) })
	}
	// The authorizer learns of it a moment later.
	require.Eventually(t, func() bool {
		_, err := live(t, user).Get(t.Context(), configMaps(), Namespace, "absent")
		return apierrors.IsNotFound(err)
	}, 10*time.Second, 50*time.Millisecond)
	return user
}
