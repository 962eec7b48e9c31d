package state

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// Key is the state key: it names one object of one manifest. Namespace is empty
// for cluster-scoped objects, Group for the core group.
type Key struct {
	Manifest, Group, Version, Kind, Namespace, Name string
}

// KeyOf returns the key of a built object in a manifest's record. The object's
// namespace must already be final: set for namespaced kinds, empty otherwise.
func KeyOf(manifest string, o object.Object) Key {
	gvk := o.GVK()
	return Key{
		Manifest: manifest, Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind,
		Namespace: o.Namespace(), Name: o.Name(),
	}
}

// String returns the state key: manifest/group/version/kind/namespace/name, or
// without the namespace part for cluster-scoped objects.
func (k Key) String() string {
	if k.Namespace == "" {
		return strings.Join([]string{k.Manifest, k.Group, k.Version, k.Kind, k.Name}, "/")
	}
	return strings.Join([]string{k.Manifest, k.Group, k.Version, k.Kind, k.Namespace, k.Name}, "/")
}

// Ref returns the object's identity, which has no version.
func (k Key) Ref() object.Ref {
	return object.Ref{Group: k.Group, Kind: k.Kind, Namespace: k.Namespace, Name: k.Name}
}

// APIVersion returns group/version, or the version alone for the core group.
func (k Key) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// ParseKey reads a state key. It fails if the text has neither five nor six
// parts, if a part other than the group is empty, or if it is no UTF-8: no object has
// such a name, and JSON can't hold it. Nor has any object one that is no part of a path.
func ParseKey(s string) (Key, error) {
	if !utf8.ValidString(s) {
		return Key{}, fmt.Errorf("state key %q: it is no UTF-8", s)
	}
	parts := strings.Split(s, "/")
	var k Key
	switch len(parts) {
	case 5:
		k = Key{Manifest: parts[0], Group: parts[1], Version: parts[2], Kind: parts[3], Name: parts[4]}
	case 6:
		k = Key{
			Manifest: parts[0], Group: parts[1], Version: parts[2], Kind: parts[3],
			Namespace: parts[4], Name: parts[5],
		}
		if k.Namespace == "" {
			return Key{}, fmt.Errorf("state key %q: the namespace is empty", s)
		}
	default:
		return Key{}, fmt.Errorf("state key %q: wanted 5 or 6 parts separated by /, found %d", s, len(parts))
	}
	return k, errors.Join(k.complete(s), k.addressable(s))
}

// addressable says which part of a key the server lets no object have: a request for
// it would be one for something else.
func (k Key) addressable(s string) error {
	for _, part := range []struct{ name, value string }{{"namespace", k.Namespace}, {"name", k.Name}} {
		if why := content.IsPathSegmentName(part.value); part.value != "" && len(why) > 0 {
			return fmt.Errorf("state key %q: the %s %s", s, part.name, why[0])
		}
	}
	return nil
}

// complete says which part of a key is missing.
func (k Key) complete(s string) error {
	for _, part := range []struct{ name, value string }{
		{"manifest", k.Manifest},
		{"version", k.Version},
		{"kind", k.Kind},
		{"name", k.Name},
	} {
		if part.value == "" {
			return fmt.Errorf("state key %q: the %s is empty", s, part.name)
		}
	}
	return nil
}

// CompareKeys orders keys by their text, which is the order of every listing.
// It is not the order of the data keys, where "/" is written as "__".
func CompareKeys(a, b Key) int {
	return cmp.Compare(a.String(), b.String())
}
