package state

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// lockTTL is how long a Lease must show no renewal, by our own clock, before
	// its holder counts as dead.
	lockTTL = 30 * time.Second
	// renewEvery is how often a holder renews.
	renewEvery = lockTTL / 3
	// retryEvery is how soon it tries again after a renewal failed.
	retryEvery = lockTTL / 15
	// aliveFor is how long after its last renewal a holder may start writes. The
	// rest of the TTL is for a write that is in flight.
	aliveFor = lockTTL * 2 / 3
	// pollEvery is how often a held Lease is looked at, after looks that begin
	// firstPoll apart.
	pollEvery = lockTTL / 15
	firstPoll = lockTTL / 120
)

// Lock describes a held Lease. Its times are by the holder's clock and good for
// messages only.
type Lock struct {
	Manifest string
	// Holder names user, host, process and operation.
	Holder   string
	Acquired time.Time
	Renewed  time.Time
}

// String says who holds it and since when.
func (l Lock) String() string {
	text := fmt.Sprintf("manifest %q is locked by %s", l.Manifest, l.Holder)
	if !l.Acquired.IsZero() {
		text += " since " + l.Acquired.UTC().Format(time.RFC3339)
	}
	return text
}

// LockedError is returned by Begin when another run is alive.
type LockedError struct{ Lock Lock }

// Error names the holder and the way out.
func (e *LockedError) Error() string {
	return fmt.Sprintf("another run is in progress: %s; wait for it, or if you know that it is dead: "+
		"kubectl tazuna state unlock %s", e.Lock, e.Lock.Manifest)
}

// LostError is returned when a Session's Lease can no longer be relied on.
type LostError struct {
	Manifest string
	// By is the new holder; empty if the Lease could only not be renewed.
	By string
	// Since is how long ago it was renewed last, by our own clock.
	Since time.Duration
	// Err is what renewals failed with last; nil if none failed.
	Err error
}

// Error says what happened to the Lease.
func (e *LostError) Error() string {
	if e.By != "" {
		return fmt.Sprintf("the lock of manifest %q was taken over by %s; nothing more is written", e.Manifest, e.By)
	}
	text := fmt.Sprintf("the lock of manifest %q was not renewed for %s; nothing more is written",
		e.Manifest, e.Since.Round(time.Second))
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap gives the error of the last renewal.
func (e *LostError) Unwrap() error { return e.Err }

// leaseHolder returns the holder's name, empty if the Lease is free.
func leaseHolder(u *unstructured.Unstructured) string {
	holder, _, _ := unstructured.NestedString(u.Object, "spec", "holderIdentity")
	return holder
}

// readLock makes the readable view of a Lease.
func readLock(manifest string, u *unstructured.Unstructured) Lock {
	return Lock{
		Manifest: manifest,
		Holder:   leaseHolder(u),
		Acquired: microTime(u, "acquireTime"),
		Renewed:  microTime(u, "renewTime"),
	}
}

// microFormat is Kubernetes' MicroTime.
const microFormat = "2006-01-02T15:04:05.000000Z07:00"

func microTime(u *unstructured.Unstructured, name string) time.Time {
	text, _, _ := unstructured.NestedString(u.Object, "spec", name)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at
}
