package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const (
	// saveTimeout bounds the last save.
	saveTimeout = time.Minute
	// interruptedSaveTimeout bounds it from an interrupt on: somebody waits for the
	// end, and what could not be saved was announced before it was written.
	interruptedSaveTimeout = 10 * time.Second
)

// UnsavedError is a record that could not be written at the end of a run. It still
// says what the run was about to write, so that the next run goes on from there.
type UnsavedError struct {
	Manifest string
	Err      error
}

// Error names the manifest.
func (e *UnsavedError) Error() string {
	return fmt.Sprintf("save the record of manifest %s: %v", e.Manifest, e.Err)
}

// Unwrap gives what the save met.
func (e *UnsavedError) Unwrap() error { return e.Err }

// writeAhead tells the records what is about to be written, before anything is:
// a run that is killed then has no object that nobody knows of. Entries that
// leave a record do so only after that, with the last save: an object that moves
// from one manifest to another is always in one of them.
func (r *run) writeAhead(ctx context.Context) error {
	keys := r.keysToWrite()
	for _, m := range r.plan.Manifests {
		if session := r.exec.Sessions[m.Name]; session != nil && len(keys[m.Name]) > 0 {
			if err := session.WriteAhead(ctx, keys[m.Name]); err != nil {
				return fmt.Errorf("record what is about to be written for manifest %s: %w", m.Name, err)
			}
		}
	}
	stuck := r.stuck()
	for _, m := range r.plan.Manifests {
		if session := r.exec.Sessions[m.Name]; session != nil {
			for _, key := range m.Gone {
				if !stuck[key.Ref()] {
					session.Removed(key)
				}
			}
		}
	}
	return nil
}

// stuck are the objects that the run will not write. Where such an object moves
// from one manifest to another, its old entry is the only one there is.
func (r *run) stuck() map[object.Ref]bool {
	out := map[object.Ref]bool{}
	for _, o := range r.plan.Objects {
		if o.Op != plan.OpNone && !o.Op.Writes() {
			out[o.Ref] = true
		}
	}
	return out
}

// keysToWrite lists by manifest what will be written, and what only changes hands.
func (r *run) keysToWrite() map[string][]state.Key {
	leaving := map[object.Ref]bool{}
	for _, m := range r.plan.Manifests {
		for _, key := range m.Gone {
			leaving[key.Ref()] = true
		}
	}
	keys := map[string][]state.Key{}
	for _, o := range r.plan.Objects {
		writes := o.Op.Writes() && o.Op != plan.OpDelete
		if writes || o.Op == plan.OpNone && !o.Strategy.LeftAlone() && leaving[o.Ref] {
			keys[o.Manifest] = append(keys[o.Manifest], o.Key)
		}
	}
	return keys
}

// save writes all records with what happened, and names the manifests of those it
// couldn't. It is complete for a manifest of which every object came out as wanted.
func (r *run) save(ctx context.Context) (unsaved []string, err error) {
	ctx, cancel := savingContext(ctx)
	defer cancel()
	var failed []error
	for _, m := range r.plan.Manifests {
		session := r.exec.Sessions[m.Name]
		if session == nil {
			continue
		}
		metadata, complete := r.metadata(m.Name)
		if err := session.Save(ctx, complete, metadata); err != nil {
			unsaved, failed = append(unsaved, m.Name), append(failed, &UnsavedError{Manifest: m.Name, Err: err})
			continue
		}
		r.send(Event{Type: EventSaved, Manifest: m.Name})
	}
	return unsaved, errors.Join(failed...)
}

// savingContext is that of the last save: it outlives an interrupt, but not by long.
func savingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := saveTimeout
	if ctx.Err() != nil {
		limit = interruptedSaveTimeout
	}
	saving, stop := context.WithTimeoutCause(context.WithoutCancel(ctx), limit, notWithin(limit))
	saving, cancel := context.WithCancelCause(saving)
	unhook := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(interruptedSaveTimeout):
			cancel(notWithin(interruptedSaveTimeout))
		case <-saving.Done():
		}
	})
	return saving, func() {
		unhook()
		cancel(nil)
		stop()
	}
}

func notWithin(limit time.Duration) error {
	return fmt.Errorf("the server did not take it within %s", limit)
}

// metadata is what a record says of its last sync, and whether there was one.
func (r *run) metadata(manifest string) (state.Metadata, bool) {
	m, complete := r.exec.Metadata, r.complete(manifest)
	if r.exec.Undoes != nil {
		m = r.exec.Undoes[manifest]
		return m, complete && !m.LastSyncedAt.IsZero()
	}
	if m.LastSyncedAt.IsZero() {
		m.LastSyncedAt = r.clock.Now()
	}
	return m, complete
}

// complete tells whether everything of a manifest came out as wanted, the work
// around its objects included.
func (r *run) complete(manifest string) bool {
	if slices.ContainsFunc(r.failedGates, func(f GateError) bool {
		return f.Name == plan.GateBefore(manifest) || f.Name == plan.GateBehind(manifest)
	}) {
		return false
	}
	return !slices.ContainsFunc(r.nodes, func(n *node) bool {
		if n.planned == nil || n.planned.Manifest != manifest {
			return false
		}
		return !n.outcome.good() && n.outcome != OutcomeKept
	}) && !r.interrupted
}

// record notes an entry for the next save.
func (r *run) record(n *node, e *state.Entry) {
	if s := r.exec.Sessions[n.planned.Manifest]; s != nil && e != nil {
		e.Order = n.position
		n.entry = e
		s.Applied(*e)
	}
}

// recordAwaited notes whether the run waits for an object, so that the next one goes
// on if this one ends before it is ready.
func (r *run) recordAwaited(n *node, awaited bool) {
	if n.entry != nil && n.entry.Awaited != awaited {
		n.entry.Awaited = awaited
		r.exec.Sessions[n.planned.Manifest].Applied(*n.entry)
	}
}

// recordUnchanged brings an entry up to date that does not say what is live.
// Nothing is written for it alone: there is a session only where the record is
// written anyway.
func (r *run) recordUnchanged(n *node) {
	o := n.planned
	if r.exec.Sessions[o.Manifest] == nil || o.UID == "" || o.Op == plan.OpSkip || o.Strategy.LeftAlone() {
		return
	}
	if rec := r.records[o.Manifest]; rec != nil {
		e, ok := rec.Find(o.Ref)
		if ok && e.Key == o.Key && e.ContentHash == o.ContentHash && e.UID == string(o.UID) &&
			e.ResourceVersion == o.ResourceVersion && e.InputKey == r.proof(o, o.Live) && !e.Awaited &&
			slices.EqualFunc(e.Hidden, r.exec.Hasher.Hidden(o.Desired.Body), slices.Equal) {
			return
		}
	}
	e := r.entryOf(o, o.Live)
	e.Awaited = o.Awaited
	r.record(n, e)
}

func (r *run) proof(o *plan.Object, live map[string]any) string {
	if r.exec.Proof == nil {
		return ""
	}
	return r.exec.Proof(o, live)
}

// entry is what the record will say of an object that was written.
func (r *run) entry(o *plan.Object, answer *unstructured.Unstructured) *state.Entry {
	return r.entryOf(o, answer.Object)
}

// entryOf makes an entry; nil for manifests that are not recorded. A hash that
// can't be told leaves the entry as an apply whose end is not known.
func (r *run) entryOf(o *plan.Object, live map[string]any) *state.Entry {
	if r.exec.Sessions[o.Manifest] == nil {
		return nil
	}
	u := unstructured.Unstructured{Object: live}
	e := &state.Entry{
		Key: o.Key, ContentHash: o.ContentHash, UID: string(u.GetUID()), ResourceVersion: u.GetResourceVersion(), InputKey: r.proof(o, live),
	}
	if e.ContentHash == "" {
		e.ContentHash, _ = r.exec.Hasher.Content(o.Desired.Body)
	}
	if body, err := r.exec.Hasher.Keyed(plan.Recordable(o.Desired.Body)); err == nil {
		e.Body, e.Hidden = body, r.exec.Hasher.Hidden(o.Desired.Body)
	}
	return e
}
