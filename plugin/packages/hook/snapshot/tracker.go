package snapshot

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// Change is a change of an object that calls the hook.
type Change struct {
	Event binding.Event
	// Entry is the object at the moment of the change; the last known one for
	// Deleted.
	Entry Entry
}

// Error is a filter that failed on an object.
type Error struct {
	Binding string
	Ref     object.Ref
	Err     error
}

// Error names binding, object and filter.
func (e *Error) Error() string { return fmt.Sprintf("binding %q: %s: %v", e.Binding, e.Ref, e.Err) }

// Unwrap gives the error of the filter.
func (e *Error) Unwrap() error { return e.Err }

// Counts counts what happened to the objects of a binding.
type Counts struct{ Added, Modified, Deleted int }

// Tracker follows the objects of one binding. It may be used by several
// goroutines.
type Tracker struct {
	binding *binding.Kubernetes

	// feed puts the states of objects into one order, filters included; mu guards
	// what is kept, which can be read while a filter works.
	feed    sync.Mutex
	mu      sync.Mutex
	entries map[object.Ref]tracked
	failed  map[object.Ref]error
	counts  Counts
}

type tracked struct {
	entry    Entry
	checksum [sha256.Size]byte
}

// NewTracker follows the objects of a binding, beginning with none.
func NewTracker(k *binding.Kubernetes) *Tracker {
	return &Tracker{binding: k, entries: map[object.Ref]tracked{}, failed: map[object.Ref]error{}}
}

// Set takes the present state of an object. A state that the binding doesn't
// select is the end of the object for it. The change is nil if the hook need not
// be called. The body is kept and must not be changed afterwards.
func (t *Tracker) Set(ctx context.Context, body map[string]any) (*Change, error) {
	t.feed.Lock()
	defer t.feed.Unlock()
	return t.set(ctx, body)
}

func (t *Tracker) set(ctx context.Context, body map[string]any) (*Change, error) {
	ref := object.RefOf(body)
	if !Selects(t.binding, body) {
		return t.remove(ref), nil
	}
	next, err := t.track(ctx, ref, body)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		t.failed[ref] = err
		return nil, err
	}
	last, known := t.entries[ref]
	repaired := t.failed[ref] != nil
	delete(t.failed, ref)
	t.entries[ref] = next
	switch {
	case !known:
		t.counts.Added++
		return t.change(binding.Added, next.entry), nil
	case repaired || last.checksum != next.checksum:
		t.counts.Modified++
		return t.change(binding.Modified, next.entry), nil
	}
	return nil, nil
}

// track makes the entry of an object.
func (t *Tracker) track(ctx context.Context, ref object.Ref, body map[string]any) (tracked, error) {
	entry, err := entryOf(ctx, t.binding, ref, body)
	if err != nil {
		return tracked{}, err
	}
	matter := any(body)
	if entry.Filtered {
		matter = entry.Result
	}
	data, err := object.EncodeJSON(matter)
	if err != nil {
		return tracked{}, &Error{Binding: t.binding.Name, Ref: ref, Err: err}
	}
	return tracked{entry: entry, checksum: sha256.Sum256(data)}, nil
}

func entryOf(ctx context.Context, k *binding.Kubernetes, ref object.Ref, body map[string]any) (Entry, error) {
	entry := Entry{Ref: ref}
	if k.KeepFullObjects {
		entry.Object = body
	}
	if k.Filter != nil {
		result, err := k.Filter.Apply(ctx, body)
		if err != nil {
			return Entry{}, &Error{Binding: k.Name, Ref: ref, Err: err}
		}
		entry.Result, entry.Filtered = result, true
	}
	return entry, nil
}

// Remove takes note that an object is gone, or out of the binding's sight.
func (t *Tracker) Remove(ref object.Ref) *Change {
	t.feed.Lock()
	defer t.feed.Unlock()
	return t.remove(ref)
}

func (t *Tracker) remove(ref object.Ref) *Change {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failed, ref)
	last, known := t.entries[ref]
	if !known {
		return nil
	}
	delete(t.entries, ref)
	t.counts.Deleted++
	return t.change(binding.Deleted, last.entry)
}

// change gives a change if it calls the hook.
func (t *Tracker) change(event binding.Event, entry Entry) *Change {
	if !slices.Contains(t.binding.Events, event) {
		return nil
	}
	return &Change{Event: event, Entry: entry}
}

// Reset takes the list of all objects, and gives the changes in it: first ends, in
// the order of their names, then the objects in the order of the list. Objects that
// fail are named in the error; the others count.
func (t *Tracker) Reset(ctx context.Context, bodies []map[string]any) ([]Change, error) {
	t.feed.Lock()
	defer t.feed.Unlock()
	var changes []Change
	var failures []error
	listed := map[object.Ref]bool{}
	for _, body := range bodies {
		listed[object.RefOf(body)] = true
	}
	for _, ref := range t.refs() {
		if !listed[ref] {
			changes = appendChange(changes, t.remove(ref))
		}
	}
	for _, body := range bodies {
		change, err := t.set(ctx, body)
		if err != nil {
			failures = append(failures, err)
		}
		changes = appendChange(changes, change)
	}
	return changes, join(failures)
}

func appendChange(changes []Change, change *Change) []Change {
	if change == nil {
		return changes
	}
	return append(changes, *change)
}

// refs lists all objects that are known, failing ones too.
func (t *Tracker) refs() []object.Ref {
	t.mu.Lock()
	defer t.mu.Unlock()
	var refs []object.Ref
	for ref := range t.entries {
		refs = append(refs, ref)
	}
	for ref := range t.failed {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, object.CompareRefs)
	return slices.Compact(refs)
}

// Snapshot gives the present entries. While the filter fails on an object, it is
// an error that names the first few.
func (t *Tracker) Snapshot() (Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.failed) > 0 {
		refs := make([]object.Ref, 0, len(t.failed))
		for ref := range t.failed {
			refs = append(refs, ref)
		}
		slices.SortFunc(refs, object.CompareRefs)
		failures := make([]error, len(refs))
		for i, ref := range refs {
			failures[i] = t.failed[ref]
		}
		return nil, join(failures)
	}
	all := make(Snapshot, 0, len(t.entries))
	for _, tracked := range t.entries {
		all = append(all, tracked.entry)
	}
	all.Sort()
	return all, nil
}

// Counts tells what happened since the beginning.
func (t *Tracker) Counts() Counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts
}
