package object

import "strings"

// MaskRule says which values of which objects nobody may see.
type MaskRule struct {
	// Group and Kind choose the objects. Kind "" is every object, Group "*"
	// every group, and Group "" the core group.
	Group, Kind string
	// Paths lead to the values. Of a mapping at the end of a path the keys stay
	// visible and each value is masked as a whole.
	Paths []Path
	// Open, when not nil, turns the rule round: every field of the top level is
	// masked but these. It catches what is misspelt: stringdata, Data.
	Open []string
}

// DefaultRules returns the rules that always hold: what a Secret carries, and
// on any object the annotations in which tools keep a whole former object.
func DefaultRules() []MaskRule {
	return append(secretRules(), MaskRule{Paths: formerObjects()})
}

// secretRules hold for the kind Secret: everything of the built-in one but what
// says what it is, and the usual fields of a stranger's.
func secretRules() []MaskRule {
	return []MaskRule{
		{
			Kind:  "Secret",
			Paths: formerObjects(),
			Open:  []string{"apiVersion", "kind", "metadata", "type", "immutable"},
		},
		{
			Group: "*", Kind: "Secret",
			Paths: append(formerObjects(), Path{"data"}, Path{"stringData"}),
		},
	}
}

func formerObjects() []Path {
	return []Path{
		{"metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration"},
		{"metadata", "annotations", "kapp.k14s.io/original*"},
		{"metadata", "annotations", "objectset.rio.cattle.io/applied"},
	}
}

func (r MaskRule) selects(group, kind string) bool {
	if r.Kind == "" {
		return true
	}
	return strings.EqualFold(r.Kind, kind) && (r.Group == "*" || r.Group == group)
}

// sensitiveRules reads Nelm's annotations werf.io/sensitive and
// werf.io/sensitive-paths. Paths that can't be understood hide everything but
// the identity. "false" opens nothing: a Secret stays one.
func sensitiveRules(body map[string]any) []MaskRule {
	annotations, _ := field(body, "metadata", "annotations").(map[string]any)
	var rules []MaskRule
	if value, ok := annotations["werf.io/sensitive"]; ok && value != "false" {
		rules = append(rules, hideAll())
	}
	if value, ok := annotations["werf.io/sensitive-paths"]; ok {
		text, _ := value.(string)
		paths, ok := parseJSONPaths(text)
		if !ok {
			return append(rules, hideAll())
		}
		rules = append(rules, MaskRule{Paths: paths})
	}
	return rules
}

func hideAll() MaskRule {
	return MaskRule{Open: []string{"apiVersion", "kind", "metadata"}}
}
