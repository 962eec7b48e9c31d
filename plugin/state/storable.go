package state

import (
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// hashedValue begins what object.Hasher.Keyed puts in the place of a value.
const hashedValue = "hmac:"

// storable tells whether a body may be recorded: it holds no value that nobody
// may see, those at the hidden paths among them. Callers hash those values first; this is the second lock, and where it
// is in doubt the body stays out, which costs precision and no more.
func storable(body map[string]any, hidden []object.Path) bool {
	masker := object.DefaultMasker()
	masker.Rules = append(masker.Rules, object.HidePaths(object.RefOf(body), hidden)...)
	if hiddenByAnnotation(body) || !hashedWhereMasked(body, masker.One(body)) {
		return false
	}
	if !strings.EqualFold(object.RefOf(body).Kind, "Secret") {
		return true
	}
	for name, value := range body {
		switch name {
		case "apiVersion", "kind", "type", "immutable":
		case "metadata":
			if !plainMetadata(value) {
				return false
			}
		default:
			if !allHashed(value) {
				return false
			}
		}
	}
	return true
}

// hiddenByAnnotation tells whether an object asks for values of its own to be
// hidden. Which ones they are is not settled here.
func hiddenByAnnotation(body map[string]any) bool {
	for name := range annotationsOf(body) {
		if name == "werf.io/sensitive" || name == "werf.io/sensitive-paths" {
			return true
		}
	}
	return false
}

// hashedWhereMasked tells whether a value differs from its masked form in hashes
// only. It finds what is masked in other kinds: former copies of an object in its
// annotations, a Secret written into another object.
func hashedWhereMasked(value, masked any) bool {
	switch v := value.(type) {
	case map[string]any:
		m, ok := masked.(map[string]any)
		if !ok {
			return false
		}
		for key, item := range v {
			if !hashedWhereMasked(item, m[key]) {
				return false
			}
		}
		return true
	case []any:
		m, ok := masked.([]any)
		if !ok || len(m) != len(v) {
			return false
		}
		for i, item := range v {
			if !hashedWhereMasked(item, m[i]) {
				return false
			}
		}
		return true
	default:
		return object.Equal(value, masked) || allHashed(value)
	}
}

// allHashed tells whether a value, or every value of a mapping, is a hash.
func allHashed(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return isHash(strings.TrimPrefix(v, hashedValue)) && strings.HasPrefix(v, hashedValue)
	case map[string]any:
		for _, item := range v {
			if _, nested := item.(map[string]any); nested || !allHashed(item) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// plainMetadata tells whether a Secret's metadata holds no former copy of it.
func plainMetadata(value any) bool {
	meta, ok := value.(map[string]any)
	if !ok {
		return false
	}
	annotations, ok := meta["annotations"].(map[string]any)
	if !ok {
		return meta["annotations"] == nil
	}
	for name, text := range annotations {
		former := name == "kubectl.kubernetes.io/last-applied-configuration" ||
			name == "objectset.rio.cattle.io/applied" ||
			strings.HasPrefix(name, "kapp.k14s.io/original")
		if former && !allHashed(text) {
			return false
		}
	}
	return true
}

func annotationsOf(body map[string]any) map[string]any {
	meta, _ := body["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	return annotations
}
