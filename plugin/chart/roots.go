package chart

import (
	"maps"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	helm "helm.sh/helm/v4/pkg/chart/v2"
)

// The engine gives each chart one map of roots (.Values, .Release, …), shared by
// its templates, and no way to add to it from outside. So each chart gets one
// more template that calls a function which adds to the map. The engine runs
// deeper files first, so it lies deeper than any other; a test holds that.
const (
	rootsFunc = "tazunaRoots"
	rootsText = "{{ " + rootsFunc + " $ }}"
	rootsBase = "roots"
)

// rootsFrom makes the template function. The roots are copied once, so that what
// a template does to them ends with the render.
func rootsFrom(roots map[string]any) func(common.Values) string {
	added := copyMap(roots)
	return func(of common.Values) string {
		maps.Copy(of, added)
		return ""
	}
}

// addRoots puts the template into the chart and its sub-charts.
func addRoots(c *helm.Chart) {
	depth := maxTemplateDepth(c) + 1
	name := "templates/" + strings.Repeat("~/", depth) + rootsBase
	var add func(*helm.Chart)
	add = func(c *helm.Chart) {
		c.Templates = append(slices.Clip(c.Templates), &common.File{Name: name, Data: []byte(rootsText)})
		for _, child := range c.Dependencies() {
			add(child)
		}
	}
	add(c)
}

func maxTemplateDepth(c *helm.Chart) int {
	depth := 0
	for _, t := range c.Templates {
		depth = max(depth, strings.Count(c.ChartFullPath()+"/"+t.Name, "/"))
	}
	for _, child := range c.Dependencies() {
		depth = max(depth, maxTemplateDepth(child))
	}
	return depth
}

// isRoots tells our template from those of the chart by its path.
func isRoots(file string) bool {
	return strings.HasSuffix(file, "/~/"+rootsBase)
}
