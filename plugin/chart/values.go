package chart

import (
	"maps"
	"slices"

	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// ValuesError says what is wrong with the values of a release. Its text names
// paths and what the schema wants, never a value.
type ValuesError struct {
	Findings []object.Finding // at least one; Origin is the schema or values file of the chart
}

func (e *ValuesError) Error() string {
	return "values: " + (&object.LoadError{Findings: e.Findings}).Error()
}

// misplaced finds values in the place of a sub-chart's that are no map. Helm's
// own error for it would print the value.
func misplaced(c *helm.Chart, given map[string]any, prefix string) []object.Finding {
	all := loader.MergeMaps(c.Values, given)
	var findings []object.Finding
	for _, name := range subNames(c) {
		value, present := all[name]
		if !present {
			continue
		}
		sub, isMap := value.(map[string]any)
		if !isMap {
			findings = append(findings, object.Finding{
				Origin: object.Origin{File: c.ChartFullPath() + "/values.yaml"},
				Key:    prefix + name,
				Text:   "values of the sub-chart " + name + ": wanted a map, found " + typeName(value),
			})
			continue
		}
		for _, child := range c.Dependencies() {
			if child.Name() == name {
				findings = append(findings, misplaced(child, sub, prefix+name+".")...)
			}
		}
	}
	return findings
}

// subNames are the names under which sub-charts find their values.
func subNames(c *helm.Chart) []string {
	names := map[string]bool{}
	for _, child := range c.Dependencies() {
		names[child.Name()] = true
	}
	for _, d := range c.Metadata.Dependencies {
		if d.Alias != "" {
			delete(names, d.Name)
		}
	}
	for _, d := range c.Metadata.Dependencies {
		if d.Alias != "" {
			names[d.Alias] = true
		} else {
			names[d.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// replaced warns of values of another shape than the chart's own: a text where
// the chart has a map, or the reverse. They are used, as with Helm, but templates
// are hardly made for them.
func replaced(c *helm.Chart, given map[string]any, prefix string) []object.Warning {
	warnings := shapes(c.ChartFullPath()+"/values.yaml", c.Values, given, prefix)
	all := loader.MergeMaps(c.Values, given)
	for _, child := range c.Dependencies() {
		sub, _ := all[child.Name()].(map[string]any)
		warnings = append(warnings, replaced(child, sub, prefix+child.Name()+".")...)
	}
	return warnings
}

func shapes(file string, own, given map[string]any, prefix string) []object.Warning {
	var warnings []object.Warning
	for _, key := range slices.Sorted(maps.Keys(given)) {
		mine, known := own[key]
		if !known || mine == nil || given[key] == nil {
			continue
		}
		mineMap, mineIsMap := mine.(map[string]any)
		givenMap, givenIsMap := given[key].(map[string]any)
		switch {
		case mineIsMap && givenIsMap:
			warnings = append(warnings, shapes(file, mineMap, givenMap, prefix+key+".")...)
		case mineIsMap != givenIsMap:
			warnings = append(warnings, object.Warning{
				Origin: object.Origin{File: file},
				Text: prefix + key + ": the chart has " + typeName(mine) + " here, the values have " +
					typeName(given[key]) + ", which is used",
			})
		}
	}
	return warnings
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return "text"
	case bool:
		return "a boolean"
	default:
		return "a number"
	}
}
