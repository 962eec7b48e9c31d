package plan

import (
	"slices"
	"strconv"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// MaskRules turns the configuration's mask rules into those of a masker that
// looks at any object: to be appended to object.DefaultRules. A masker tells
// objects apart by group and kind only, so where a matcher asks for more
// (namespaces, annotations, a negation) more is hidden than asked for, never less.
func MaskRules(c *config.KappConfig) []object.MaskRule {
	if c == nil {
		return nil
	}
	var out []object.MaskRule
	for _, rule := range c.MaskRules {
		for _, k := range kindsOf(config.MatchAny, rule.Matchers) {
			out = append(out, object.MaskRule{Group: k.group, Kind: k.kind, Paths: []object.Path{maskPath(rule.Path)}})
		}
	}
	return out
}

// MaskRulesFor are the mask rules that match one of an object's bodies, as rules
// for just that object's kind: for its diff, where matchers count exactly.
func MaskRulesFor(c *config.KappConfig, bodies ...map[string]any) []object.MaskRule {
	if c == nil {
		return nil
	}
	ref := object.RefOf(firstBody(bodies))
	var out []object.MaskRule
	for _, rule := range c.MaskRules {
		chosen := func(body map[string]any) bool { return selectsAny(rule.Matchers, body) }
		if slices.ContainsFunc(bodies, chosen) {
			out = append(out, object.MaskRule{Group: ref.Group, Kind: ref.Kind, Paths: []object.Path{maskPath(rule.Path)}})
		}
	}
	return out
}

// HiddenBy are the mask rules for a hasher: what they match in an object as it is
// built enters hash and record keyed, as values of Secrets do.
func HiddenBy(c *config.KappConfig) func(body map[string]any) []object.MaskRule {
	if c == nil || len(c.MaskRules) == 0 {
		return nil
	}
	return func(body map[string]any) []object.MaskRule { return MaskRulesFor(c, body) }
}

// kindName is a kind as object.MaskRule chooses them: kind "" is every object.
type kindName struct{ group, kind string }

// kindsOf gives kinds that hold everything a list of matchers can choose, joined
// as the matcher around them joins them.
func kindsOf(joined config.MatcherType, matchers []config.ResourceMatcher) []kindName {
	everything := []kindName{{}}
	var union []kindName
	for _, m := range matchers {
		kinds := kindsOfOne(m)
		narrow := !slices.Contains(kinds, kindName{})
		switch {
		case joined == config.MatchEach && narrow:
			return kinds // any one of those that must all match is wide enough
		case joined == config.MatchEach:
		case !narrow:
			return everything
		default:
			union = append(union, kinds...)
		}
	}
	if joined == config.MatchEach {
		return everything
	}
	return union
}

func kindsOfOne(m config.ResourceMatcher) []kindName {
	switch m.Type {
	case config.MatchAny, config.MatchEach:
		return kindsOf(m.Type, m.Matchers)
	case config.MatchAPIGroupKind:
		return []kindName{{m.APIGroup, m.Kind}}
	case config.MatchAPIVersionKind:
		return []kindName{{groupOf(m.APIVersion), m.Kind}}
	case config.MatchKindNamespaceName:
		return []kindName{{"*", m.Kind}}
	default:
		return []kindName{{}}
	}
}

func groupOf(apiVersion string) string {
	return object.RefOf(map[string]any{"apiVersion": apiVersion}).Group
}

// maskPath translates a path. All elements of a list are "*", which in a map
// hides all keys: more again.
func maskPath(path config.RulePath) object.Path {
	out := make(object.Path, len(path))
	for i, part := range path {
		switch {
		case part.All, part.Regex != nil:
			out[i] = "*"
		case part.Index != nil:
			out[i] = strconv.Itoa(*part.Index)
		default:
			out[i] = part.Key
		}
	}
	return out
}
