package build

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Place is where an object was built.
type Place struct {
	// Manifest is the name of the manifest; empty if the files had none.
	Manifest string
	// Object is the object, with its origin.
	Object object.Object
}

// String names the manifest, if there is one, and the position.
func (p Place) String() string {
	if p.Manifest == "" {
		return p.Object.Origin.String()
	}
	return fmt.Sprintf("%s (manifest %s)", p.Object.Origin, p.Manifest)
}

// DuplicateError says that one object was built twice.
type DuplicateError struct {
	// Ref is the identity that both share.
	Ref object.Ref
	// First and Second are the two places in the order of building.
	First, Second Place
}

// Error names both places, and the versions if they hide that it is one object.
func (e *DuplicateError) Error() string {
	text := fmt.Sprintf("%s is there twice: %s; and %s", e.Ref, e.First, e.Second)
	first, second := e.First.Object.GVK().GroupVersion(), e.Second.Object.GVK().GroupVersion()
	if first != second {
		text += fmt.Sprintf("; %s and %s are versions of the same object", first, second)
	}
	return text
}

// unique checks that no earlier object is the same as o.
func (f *finisher) unique(r *Result, o object.Object) {
	ref, here := o.Ref(), Place{r.Manifest, o}
	first, twice := f.seen[ref]
	switch {
	case !twice:
		f.seen[ref] = here
	case first.Manifest != r.Manifest && object.Equal(first.Object.Body, o.Body):
		r.Warnings = append(r.Warnings, object.Warning{
			Origin: o.Origin, Ref: &ref,
			Text: fmt.Sprintf("also built at %s, with equal content: it stays while either manifest has it", first),
		})
	case first.Manifest != r.Manifest:
		if r.Claimed == nil {
			r.Claimed = map[object.Ref]Place{}
		}
		r.Claimed[ref] = first
	default:
		f.errs = append(f.errs, &DuplicateError{Ref: ref, First: first, Second: here})
	}
}
