package state

import (
	"context"
	"errors"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// lease is a Lease that this run holds.
type lease struct {
	client   Client
	clock    clock.WithTicker
	manifest string
	// holder is for people; session is what tells two runs apart, since two
	// containers may have the same user, host and pid.
	holder, session string

	mu sync.Mutex
	// live is the Lease as the server returned it last.
	live *unstructured.Unstructured
	// renewed is when the request was sent that renewed it last.
	renewed time.Time
	// failed is what renewals failed with since; takenBy the new holder.
	failed  error
	takenBy string

	// renewing keeps renewals from overtaking each other.
	renewing sync.Mutex
	stop     context.CancelFunc
	stopped  chan struct{}
}

// body is the Lease to write, over the one that was found if there was one.
func (l *lease) body(found *unstructured.Unstructured, now time.Time) map[string]any {
	spec := map[string]any{
		"holderIdentity":       l.holder,
		"leaseDurationSeconds": int64(lockTTL / time.Second),
		"acquireTime":          now.UTC().Format(microFormat),
		"renewTime":            now.UTC().Format(microFormat),
		"leaseTransitions":     int64(0),
	}
	meta := map[string]any{
		"name": LockName(l.manifest), "namespace": Namespace,
		"annotations": map[string]any{AnnotationManifest: l.manifest, AnnotationSession: l.session},
	}
	if found != nil {
		transitions, _, _ := unstructured.NestedInt64(found.Object, "spec", "leaseTransitions")
		spec["leaseTransitions"] = transitions + 1
		meta["resourceVersion"] = found.GetResourceVersion()
		meta["uid"] = string(found.GetUID())
	}
	gvk := leases().GVK
	return map[string]any{"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "metadata": meta, "spec": spec}
}

// accept notes a successful write that was asked for at a time.
func (l *lease) accept(u *unstructured.Unstructured, asked time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.live, l.renewed, l.failed = u, asked, nil
}

// isOurs tells whether a Lease was written by this session.
func (l *lease) isOurs(u *unstructured.Unstructured) bool {
	return u.GetAnnotations()[AnnotationSession] == l.session
}

// alive tells whether writes may start: an error once the Lease is somebody
// else's or could not be renewed for two thirds of its TTL. Both clocks count:
// the monotonic one stands still while a laptop sleeps.
func (l *lease) alive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.takenBy != "" {
		return &LostError{Manifest: l.manifest, By: l.takenBy}
	}
	now := l.clock.Now()
	since := max(now.Sub(l.renewed), now.Round(0).Sub(l.renewed.Round(0)))
	if since > aliveFor {
		return &LostError{Manifest: l.manifest, Since: since, Err: l.failed}
	}
	return nil
}

// keep renews the Lease in the background until release.
func (l *lease) keep(ctx context.Context) {
	// The run's own cancellation must not end it: what is in flight is finished
	// and saved after Ctrl-C.
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.stopped = make(chan struct{})
	t := l.clock.NewTimer(renewEvery)
	go func() {
		defer close(l.stopped)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C():
			}
			next := renewEvery
			if err := l.renew(ctx); err != nil {
				next = retryEvery
			}
			t.Reset(next)
		}
	}()
}

// renew writes the Lease once. It is also called when a write is due and the
// Lease has not been renewed for too long.
func (l *lease) renew(ctx context.Context) error {
	l.renewing.Lock()
	defer l.renewing.Unlock()
	ctx, cancel := context.WithTimeout(ctx, renewEvery)
	defer cancel()

	live, lost := l.state()
	if lost {
		return l.alive()
	}
	err := l.touch(ctx, live)
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		if live, err = l.look(ctx); err == nil {
			err = l.touch(ctx, live)
		}
	}
	if err != nil {
		l.fail(err)
	}
	return err
}

// touch writes the present time into the Lease.
func (l *lease) touch(ctx context.Context, live *unstructured.Unstructured) error {
	asked := l.clock.Now()
	next := live.DeepCopy()
	next.SetManagedFields(nil) // absent: the server keeps them
	if err := unstructured.SetNestedField(next.Object, asked.UTC().Format(microFormat), "spec", "renewTime"); err != nil {
		return err
	}
	u, err := l.client.Update(ctx, leases(), next.Object, cluster.WriteOptions{Manager: fieldManager})
	if err == nil {
		l.accept(u, asked)
	}
	return err
}

// look finds out why a write met another version: an earlier one of our own whose
// answer got lost, or somebody who took or broke the lock.
func (l *lease) look(ctx context.Context) (*unstructured.Unstructured, error) {
	u, err := l.client.Get(ctx, leases(), Namespace, LockName(l.manifest))
	switch {
	case apierrors.IsNotFound(err):
		return nil, l.lose("somebody who unlocked it")
	case err != nil:
		return nil, err
	case l.isOurs(u):
		return u, nil
	case leaseHolder(u) == "":
		return nil, l.lose("somebody who unlocked it")
	default:
		return nil, l.lose(leaseHolder(u))
	}
}

func (l *lease) state() (live *unstructured.Unstructured, lost bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.live, l.takenBy != ""
}

func (l *lease) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = err
}

func (l *lease) lose(to string) error {
	l.mu.Lock()
	l.takenBy = to
	l.mu.Unlock()
	return l.alive()
}

// release gives the Lease back by deleting it; where this user may not, without a
// holder. Somebody else's is left alone.
func (l *lease) release(ctx context.Context) error {
	if l.stop != nil {
		l.stop()
		<-l.stopped
	}
	live, lost := l.state()
	if lost {
		return nil
	}
	err := l.remove(ctx, live)
	if apierrors.IsConflict(err) {
		if live, err = l.look(ctx); err == nil {
			err = l.remove(ctx, live)
		}
	}
	if apierrors.IsForbidden(err) && l.free(ctx, live) == nil {
		return nil
	}
	var taken *LostError
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) || errors.As(err, &taken) {
		return nil
	}
	return err
}

// free leaves the Lease without a holder, so that nobody waits for it.
func (l *lease) free(ctx context.Context, live *unstructured.Unstructured) error {
	next := live.DeepCopy()
	next.SetManagedFields(nil)
	if err := unstructured.SetNestedField(next.Object, "", "spec", "holderIdentity"); err != nil {
		return err
	}
	_, err := l.client.Update(ctx, leases(), next.Object, cluster.WriteOptions{Manager: fieldManager})
	return err
}

// remove deletes exactly the Lease that we wrote.
func (l *lease) remove(ctx context.Context, live *unstructured.Unstructured) error {
	return l.client.Delete(ctx, leases(), Namespace, LockName(l.manifest), cluster.DeleteOptions{
		UID: live.GetUID(), ResourceVersion: live.GetResourceVersion(),
	})
}
