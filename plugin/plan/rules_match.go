package plan

import (
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// selectsAny reports whether one of a rule's matchers chooses the object. Nothing
// is chosen that isn't there.
func selectsAny(matchers []config.ResourceMatcher, body map[string]any) bool {
	return body != nil && subjectOf(body).anyOf(matchers)
}

// selects reports whether a matcher chooses the object.
func selects(m config.ResourceMatcher, body map[string]any) bool {
	return selectsAny([]config.ResourceMatcher{m}, body)
}

// subject is an object that many matchers are asked about.
type subject struct {
	body       map[string]any
	ref        object.Ref
	apiVersion string
}

func subjectOf(body map[string]any) *subject {
	apiVersion, _ := body["apiVersion"].(string)
	return &subject{body: body, ref: object.RefOf(body), apiVersion: apiVersion}
}

// anyOf and eachOf join matchers; of none, no one and every one matches.
func (s *subject) anyOf(matchers []config.ResourceMatcher) bool {
	for i := range matchers {
		if s.isChosen(&matchers[i]) {
			return true
		}
	}
	return false
}

func (s *subject) eachOf(matchers []config.ResourceMatcher) bool {
	for i := range matchers {
		if !s.isChosen(&matchers[i]) {
			return false
		}
	}
	return true
}

func (s *subject) isChosen(m *config.ResourceMatcher) bool {
	switch m.Type {
	case config.MatchAll:
		return true
	case config.MatchAny:
		return s.anyOf(m.Matchers)
	case config.MatchEach:
		return s.eachOf(m.Matchers)
	case config.MatchNot:
		return !s.anyOf(m.Matchers)
	case config.MatchAPIGroupKind:
		return s.ref.Kind == m.Kind && s.ref.Group == m.APIGroup
	case config.MatchAPIVersionKind:
		return s.ref.Kind == m.Kind && s.apiVersion == m.APIVersion
	case config.MatchKindNamespaceName:
		return s.ref.Kind == m.Kind && s.ref.Namespace == m.Namespace && s.ref.Name == m.Name
	case config.MatchAnnotations:
		annotations := mapAt(s.body, "metadata", "annotations")
		return !slices.ContainsFunc(m.Keys, func(key string) bool { return !get(annotations, key).ok })
	case config.MatchNamespace:
		return s.ref.Namespace != "" && (len(m.Names) == 0 || slices.Contains(m.Names, s.ref.Namespace))
	case config.MatchCustomResource:
		return !object.BuiltIn(s.ref.Group)
	case config.MatchEmptyField:
		return emptyField(s.body, m.Path)
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
