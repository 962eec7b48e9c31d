package snapshot

import (
	"cmp"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Entry is what a snapshot holds of one object.
type Entry struct {
	Ref object.Ref
	// Object is nil where the binding doesn't keep whole objects.
	Object map[string]any
	// Result is what the filter made of the object; Filtered tells that there is
	// a filter, since its result may be null.
	Result   any
	Filtered bool
}

// Fields gives the entry as hooks see it: "object" and "filterResult", each only
// where there is one.
func (e Entry) Fields() map[string]any {
	fields := map[string]any{}
	if e.Object != nil {
		fields["object"] = e.Object
	}
	if e.Filtered {
		fields["filterResult"] = e.Result
	}
	return fields
}

// MarshalJSON writes Fields.
func (e Entry) MarshalJSON() ([]byte, error) { return object.EncodeJSON(e.Fields()) }

// Snapshot is what a binding sees at one moment.
type Snapshot []Entry

// Sort puts the entries into the order in which hooks get them.
func (s Snapshot) Sort() {
	slices.SortStableFunc(s, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Ref.Namespace, b.Ref.Namespace), cmp.Compare(a.Ref.Name, b.Ref.Name),
			object.CompareRefs(a.Ref, b.Ref))
	})
}

// MarshalJSON writes a list; an empty one for nil.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("[]"), nil
	}
	return object.EncodeJSON([]Entry(s))
}
