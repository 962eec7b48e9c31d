package plan

import (
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// selectsAny reports whether one of a rule's matchers chooses the object.
func selectsAny(matchers []config.ResourceMatcher, body map[string]any) bool {
	return slices.ContainsFunc(matchers, func(m config.ResourceMatcher) bool { return selects(m, body) })
}

// selects reports whether a matcher chooses the object. No matcher chooses
// something that isn't there.
func selects(m config.ResourceMatcher, body map[string]any) bool {
	if body == nil {
		return false
	}
	ref := object.RefOf(body)
	switch m.Type {
	case config.MatchAll:
		return true
	case config.MatchAny:
		return selectsAny(m.Matchers, body)
	case config.MatchEach:
		return !slices.ContainsFunc(m.Matchers, func(inner config.ResourceMatcher) bool { return !selects(inner, body) })
	case config.MatchNot:
		return !selectsAny(m.Matchers, body)
	case config.MatchAPIGroupKind:
		return ref.Group == m.APIGroup && ref.Kind == m.Kind
	case config.MatchAPIVersionKind:
		return body["apiVersion"] == m.APIVersion && ref.Kind == m.Kind
	case config.MatchKindNamespaceName:
		return ref.Kind == m.Kind && ref.Namespace == m.Namespace && ref.Name == m.Name
	case config.MatchAnnotations:
		annotations := mapAt(body, "metadata", "annotations")
		return !slices.ContainsFunc(m.Keys, func(key string) bool { return !get(annotations, key).ok })
	case config.MatchNamespace:
		return ref.Namespace != "" && (len(m.Names) == 0 || slices.Contains(m.Names, ref.Namespace))
	case config.MatchCustomResource:
		return !object.BuiltIn(ref.Group)
	case config.MatchEmptyField:
		return emptyField(body, m.Path)
	default:
		return false
	}
}

// emptyField reports whether there is nothing at the path: no value, a null, or
// an empty map or list. Of all elements of a list each must be so. A path that
// meets a value it can't go into has found something.
func emptyField(v any, path config.RulePath) bool {
	if v == nil {
		return true
	}
	if len(path) == 0 {
		return emptyCollection(v)
	}
	part, rest := path[0], path[1:]
	list, isList := v.([]any)
	m, isMap := v.(map[string]any)
	switch {
	case part.IsKey() && isMap:
		return emptyField(m[part.Key], rest)
	case part.Index != nil && isList:
		return emptyField(index(list, *part.Index).v, rest)
	case part.All && isList:
		return !slices.ContainsFunc(list, func(item any) bool { return !emptyField(item, rest) })
	default:
		return false
	}
}

func emptyCollection(v any) bool {
	switch t := v.(type) {
	case map[string]any:
		return len(t) == 0
	case []any:
		return len(t) == 0
	default:
		return false
	}
}
