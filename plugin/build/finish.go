package build

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Scoper tells whether objects of a kind live in a namespace.
type Scoper interface {
	// Namespaced answers for a kind in the version that an object names. known
	// is false if the kind isn't served or the Scoper can't tell; an error means
	// that it could not find out.
	Namespaced(gk schema.GroupKind, version string) (namespaced, known bool, err error)
}

// Finish gives every object the namespace that it will have and refuses objects
// that are there twice. It wants the results of all manifests of the invocation,
// since a CRD of one may define the kinds of another.
//
// A namespaced object without a namespace gets its Home, else that of its Result,
// else defaultNamespace. A cluster-scoped one with a namespace loses it, with a
// warning. An object whose scope nobody knows stays as it is. A CRD among the
// objects wins over s; a nil s knows nothing.
//
// Two objects are the same if group, kind, namespace and name are; the version
// does not count. Twice in one manifest is an error that wraps a *DuplicateError each.
// Equal content in two manifests is a warning of the later one; different content makes
// the later one's object Claimed.
//
// The results and bodies passed in stay as they were.
func Finish(ctx context.Context, results []Result, s Scoper, defaultNamespace string) ([]Result, error) {
	finished := slices.Clone(results)
	f := finisher{scopes: newScopes(results, s), seen: map[object.Ref]Place{}}
	for i := range finished {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := &finished[i]
		if r.DefaultNamespace == "" {
			r.DefaultNamespace = defaultNamespace
		}
		r.Objects, r.Warnings = slices.Clone(r.Objects), slices.Clone(r.Warnings)
		f.result(r)
	}
	if err := errors.Join(f.errs...); err != nil {
		return nil, err
	}
	return finished, nil
}

// finisher goes through the results and remembers what it saw.
type finisher struct {
	scopes scopes
	seen   map[object.Ref]Place
	errs   []error
}

func (f *finisher) result(r *Result) {
	for i := range r.Objects {
		o, err := f.placed(r, r.Objects[i])
		if err != nil {
			f.errs = append(f.errs, err)
			continue
		}
		r.Objects[i] = o
		f.unique(r, o)
	}
}

// placed gives the object with its namespace decided.
func (f *finisher) placed(r *Result, o object.Object) (object.Object, error) {
	namespaced, known, err := f.scopes.namespaced(o.GVK())
	switch {
	case err != nil:
		return o, fmt.Errorf("%s: %s: find out whether the kind is namespaced: %w", o.Origin, o.Ref(), err)
	case !known:
		return o, nil
	case namespaced && o.Namespace() == "" && o.Home != "":
		return withNamespace(o, o.Home), nil
	case namespaced && o.Namespace() == "" && r.DefaultNamespace != "":
		return withNamespace(o, r.DefaultNamespace), nil
	case !namespaced && o.Namespace() != "":
		bare := withNamespace(o, "")
		ref := bare.Ref()
		r.Warnings = append(r.Warnings, object.Warning{
			Origin: o.Origin, Ref: &ref,
			Text: fmt.Sprintf("metadata.namespace %q is ignored: the kind is cluster-scoped", o.Namespace()),
		})
		return bare, nil
	}
	return o, nil
}

// withNamespace gives a copy of the object in another namespace; "" takes the key
// out. Only the maps on the way are copied.
func withNamespace(o object.Object, namespace string) object.Object {
	body := maps.Clone(o.Body)
	metadata, _ := body["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if namespace == "" {
		delete(metadata, "namespace")
	} else {
		metadata["namespace"] = namespace
	}
	body["metadata"] = metadata
	o.Body = body
	return o
}
