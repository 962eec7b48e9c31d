package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// RuleWarnings tells of rules, and of annotations with kapp's prefix, that do nothing
// in a run over these objects: they are mostly misspelt.
func RuleWarnings(c *config.KappConfig, objects []object.Object) []string {
	return append(unusedRules(c, objects), misspelt(objects)...)
}

// unusedRules warns of the user's own rules that match none of the objects, which
// is what a misspelt kind looks like. Built-in rules are meant to match little.
func unusedRules(c *config.KappConfig, objects []object.Object) []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, rule := range c.Rules() {
		used := rule.At.Default() || slices.ContainsFunc(objects, func(o object.Object) bool {
			return selectsAny(rule.Matchers, o.Body)
		})
		if !used {
			out = append(out, fmt.Sprintf("%s: the rule matches no object", rule.At))
		}
	}
	return out
}

// misspelt warns of annotations with kapp's prefix that do nothing.
func misspelt(objects []object.Object) []string {
	var out []string
	for _, o := range objects {
		annotations := mapAt(o.Body, "metadata", "annotations")
		for _, key := range slices.Sorted(maps.Keys(annotations)) {
			if text := config.MisspeltKappAnnotation(key); text != "" {
				out = append(out, fmt.Sprintf("%s: %s: %s", o.Origin, o.Ref(), text))
			}
		}
	}
	return out
}
