package prune

import (
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Candidate is an object about to be deleted.
type Candidate struct {
	Ref object.Ref
	UID types.UID
	// Live is the object as it was seen last; its metadata is enough.
	Live map[string]any
	// Entry is what its record says; the zero value where no record was asked.
	Entry Entry
}

// Entry is what is known of a record's entry that no file of its manifest names.
type Entry struct {
	// Manifest is the one whose record has the entry.
	Manifest string
	// UID is that of the object we applied last; empty if it isn't known.
	UID types.UID
	// Confirmed tells that an apply of it is known to have succeeded. An entry
	// that was only written ahead of one is not.
	Confirmed bool
	// Label is the value of the ApplySet label that objects of the record carry.
	Label string
	// Marks are annotations that objects of the record carry as well; nil for none.
	Marks map[string]string
	// MovedTo is the manifest whose files name the object now; empty for none.
	// Elsewhere tells that this manifest is not part of the run.
	MovedTo   string
	Elsewhere bool
	// Unread is why the live object could not be read, Unserved why its kind could
	// not be looked up; nil if they could.
	Unread, Unserved error
	// Surplus tells that the object says itself, by the number of versions that it
	// keeps, that this one goes.
	Surplus bool
	// Damaged tells that the record has entries that can't be understood.
	Damaged bool
}

// Kept says why an object is not deleted.
type Kept struct {
	// Filter is the name of the filter that decided.
	Filter string
	// Reason is a sentence about the object, without its name. NotAsked alone gives
	// none.
	Reason string
	// Forget means that the object is no longer ours: its entry leaves the record.
	// Otherwise it stays listed as left over.
	Forget bool
	// Refused means that the deletion was wanted and the user can allow it, so a
	// run that ends with it is not complete.
	Refused bool
}

// Filter is one reason to keep objects.
type Filter interface {
	// Name identifies the filter in results.
	Name() string
	// Keep returns nil for an object that may be deleted.
	Keep(c Candidate) *Kept
}

// EntryFilters are the guards that rest on the record and on the other manifests
// of a run, in the order of asking. wanted are the live objects that some file
// wants; manager is our field manager; claimedBy names another record that lists
// the object; asked tells whether deletions were asked for at all.
func EntryFilters(wanted map[types.UID]object.Ref, manager string, claimedBy Claim, asked bool) []Filter {
	return []Filter{
		Unread{},
		Moved{},
		UnservedKind{Asked: asked},
		Wanted{UIDs: wanted},
		MadeAgain{},
		Unmarked{Manager: manager},
		OtherRecord{ClaimedBy: claimedBy},
		NotAsked{Asked: asked},
		DamagedRecord{},
	}
}

// DefaultFilters are the guards of manifests, in the order of asking. protected
// lets Namespaces, CustomResourceDefinitions and volumes be deleted.
func DefaultFilters(protected bool) []Filter {
	filters := []Filter{DefaultAnnotations(), UnknownStrategy{}, Controlled{}, SystemNamespaces{}}
	if !protected {
		filters = append(filters, ProtectedKinds{Kinds: DefaultProtectedKinds()})
	}
	return filters
}

// First asks the filters in order and returns the first answer that keeps the
// object, with the filter's name; nil when it may be deleted.
func First(filters []Filter, c Candidate) *Kept {
	for _, f := range filters {
		if kept := f.Keep(c); kept != nil {
			kept.Filter = f.Name()
			return kept
		}
	}
	return nil
}

func metadata(c Candidate) map[string]any {
	meta, _ := c.Live["metadata"].(map[string]any)
	return meta
}
