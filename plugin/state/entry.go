package state

import (
	"fmt"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Entry is what the record knows of one object.
type Entry struct {
	// Key names the object as it was applied last, API version included.
	Key Key
	// ContentHash is the hash of the object as it was built for the last
	// successful apply. Empty: an apply was begun and its end is not known.
	ContentHash string

	// The rest comes from the bodies and is empty where they are lost,
	// forbidden or older than ContentHash.

	// Body is the object as it was applied last, masked values as HMACs; nil if
	// unknown, or if the Store leaves bodies packed: ask LastApplied then. It is
	// shared: whoever wants to change it copies it first.
	Body map[string]any
	// Hidden are the paths of its values that a rule of the user masked at that
	// apply: these stand as HMACs in Body, and live ones are not to be shown.
	Hidden []object.Path
	// packed is the body as JSON, where it has not been decoded.
	packed []byte
	// UID and ResourceVersion are those the server answered the apply with.
	UID, ResourceVersion string
	// InputKey is the caller's fingerprint of everything the verdict depended on.
	InputKey string
	// Order is the position in which the object was applied, for deleting in
	// reverse.
	Order int
	// Awaited: the run that applied it waited for it to become ready, and ended
	// before it was.
	Awaited bool
}

// LastApplied returns Body, decoding it now if the Store left it packed; nil if it
// is unknown.
func (e Entry) LastApplied() map[string]any {
	if e.Body != nil || e.packed == nil {
		return e.Body
	}
	body, err := object.DecodeJSON(e.packed)
	if err != nil {
		return nil // no object: as good as lost
	}
	return body
}

// hasBody tells whether anything is known of what was applied last.
func (e Entry) hasBody() bool { return e.Body != nil || e.packed != nil }

// Metadata says when, and from which commit, the manifest was synced last. Zero
// values mean unknown.
type Metadata struct {
	GitCommitHash string
	LastSyncedAt  time.Time
}

// DamagedEntry is a part of the record that this version cannot read. It is kept
// as it is. While there is one, nothing may be deleted on the word of the record.
type DamagedEntry struct {
	// ConfigMap and DataKey say where it stands. DataKey is empty if a whole
	// ConfigMap of the record is missing.
	ConfigMap, DataKey string
	// Key is the object it seems to stand for; zero if even that is unreadable.
	Key Key
	// Reason says what was wanted and what was found.
	Reason string
}

// String names the place and the reason.
func (d DamagedEntry) String() string {
	if d.DataKey == "" {
		return fmt.Sprintf("ConfigMap %s/%s: %s", Namespace, d.ConfigMap, d.Reason)
	}
	return fmt.Sprintf("ConfigMap %s/%s, key %s: %s", Namespace, d.ConfigMap, d.DataKey, d.Reason)
}
