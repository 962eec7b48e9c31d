package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// extendKey names the schema that another one extends.
const extendKey = "x-extend"

// mergedMaps are the keywords of which each entry is taken from the parent unless
// the child has it.
var mergedMaps = []string{"definitions", "properties", "patternProperties"}

// extend lays the schema over that of the settings, if it says so. given tells
// whether there is a file of settings; parent is nil if it can't be read.
func (s *source) extend(parent *source, given bool) (*source, []bundle.Finding) {
	value, asked := s.raw[extendKey]
	if !asked {
		return s, nil
	}
	by, _ := value.(map[string]any)
	name, _ := by["schema"].(string)
	switch {
	case len(by) != 1 || name == "":
		return s, []bundle.Finding{s.finding(bundle.Error, pointer{extendKey}, "wanted {schema: settings.yaml}")}
	case name != "settings.yaml" && name != "config-values.yaml":
		return s, []bundle.Finding{s.finding(bundle.Error, pointer{extendKey, "schema"},
			"wanted settings.yaml, found %q: no other schema can be extended", name)}
	case !given:
		return s, []bundle.Finding{s.finding(bundle.Error, pointer{extendKey, "schema"}, "the package has no schema of settings")}
	case parent == nil: // its own findings say why
		return s, []bundle.Finding{s.finding(bundle.Error, pointer{extendKey, "schema"}, "the schema of settings can't be used")}
	}
	return s.over(parent), nil
}

// over merges parent into a copy.
func (s *source) over(parent *source) *source {
	merged := &source{file: s.file, raw: maps.Clone(s.raw), places: maps.Clone(parent.places)}
	maps.Copy(merged.places, s.places)
	delete(merged.raw, extendKey)
	for _, key := range mergedMaps {
		if both := mergeMaps(parent.raw[key], s.raw[key]); both != nil {
			merged.raw[key] = both
		}
	}
	if required := union(parent.raw["required"], s.raw["required"]); required != nil {
		merged.raw["required"] = required
	}
	for key, value := range parent.raw {
		inherited := key == "title" || key == "description" || strings.HasPrefix(key, "x-")
		if _, own := merged.raw[key]; inherited && !own {
			merged.raw[key] = value
		}
	}
	return merged
}

// mergeMaps returns nil if neither is a mapping.
func mergeMaps(parent, child any) any {
	of, _ := parent.(map[string]any)
	over, isMap := child.(map[string]any)
	if child != nil && !isMap {
		return child // a fault of its own
	}
	if of == nil && over == nil {
		return nil
	}
	merged := map[string]any{}
	maps.Copy(merged, of)
	maps.Copy(merged, over)
	return merged
}

func union(parent, child any) any {
	of, _ := parent.([]any)
	more, isList := child.([]any)
	if child != nil && !isList {
		return child
	}
	if of == nil && more == nil {
		return nil
	}
	all := slices.Clone(of)
	for _, name := range more {
		if _, isText := name.(string); !isText || !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
