package config

import (
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/expression"
)

// matchersField is the key that nearly every rule has.
func (r *kappReader) matchersField(into *[]ResourceMatcher) field {
	return field{"resourceMatchers", func(v *yaml.Node, at string) { *into = r.matchers(v, at) }}
}

// minimumVersion reads the version of kapp that the rules were written for.
func (r *kappReader) minimumVersion(n *yaml.Node, at string) string {
	text := r.text(n, at)
	if text == "" {
		return ""
	}
	version, err := semver.NewVersion(text)
	switch {
	case strings.HasPrefix(text, "v"):
		r.found(n.Line, at, "wanted a version without the letter v, such as 0.23.0, found %q", text)
	case err != nil:
		r.found(n.Line, at, "wanted a version such as 0.23.0, found %q", text)
	case version.GreaterThan(semver.MustParse(KappVersion)):
		r.found(n.Line, at, "these rules are for kapp %s or newer; known are the rules up to kapp %s", text, KappVersion)
	}
	return text
}

// rebaseRule reads a rule of rebaseRules. path and paths exclude each other.
func (r *kappReader) rebaseRule(n *yaml.Node, at string) RebaseRule {
	rule := RebaseRule{At: r.place(n, at)}
	use := pathUse{regex: true, keyLast: true}
	single, several := false, false
	before := len(r.findings)
	r.mapping(n, at, []field{
		r.matchersField(&rule.Matchers),
		{"path", func(v *yaml.Node, at string) { single = true; rule.Paths = append(rule.Paths, r.path(v, at, use)) }},
		{"paths", func(v *yaml.Node, at string) {
			several = true
			r.list(v, at, func(v *yaml.Node, at string) { rule.Paths = append(rule.Paths, r.path(v, at, use)) })
		}},
		{"type", func(v *yaml.Node, at string) {
			rule.Type = RebaseType(r.word(v, at, string(RebaseCopy), string(RebaseRemove)))
		}},
		{"sources", func(v *yaml.Node, at string) {
			r.list(v, at, func(v *yaml.Node, at string) {
				rule.Sources = append(rule.Sources, RebaseSource(r.word(v, at, string(SourceNew), string(SourceExisting))))
			})
		}},
		{"ytt", func(v *yaml.Node, at string) {
			r.found(v.Line, at, "ytt overlays are not supported: name the fields with path and type: copy or remove")
		}},
	})
	if len(r.findings) > before {
		return rule
	}
	if single && several {
		r.found(n.Line, at, "path and paths exclude each other")
	}
	if rule.Type == RebaseRemove && len(rule.Sources) > 0 {
		r.found(n.Line, join(at, "sources"), "sources belong to type: copy; this rule has type: remove")
	}
	for _, key := range slices.Concat(
		absent("resourceMatchers", len(rule.Matchers) == 0),
		absent("path", len(rule.Paths) == 0),
		absent("type", rule.Type == ""),
		absent("sources", rule.Type == RebaseCopy && len(rule.Sources) == 0),
	) {
		r.found(n.Line, join(at, key), "missing")
	}
	return rule
}

// fieldRule reads a rule that is about one field.
func (r *kappReader) fieldRule(n *yaml.Node, at string) FieldRule {
	return r.ruleAbout(n, at, pathUse{})
}

// exclusionRule reads a rule of the two kinds that keep a field out of a diff.
func (r *kappReader) exclusionRule(n *yaml.Node, at string) FieldRule {
	return r.ruleAbout(n, at, pathUse{regex: true, keyLast: true})
}

func (r *kappReader) ruleAbout(n *yaml.Node, at string, use pathUse, more ...field) FieldRule {
	rule := FieldRule{At: r.place(n, at)}
	r.strict(n, at, append([]field{
		r.matchersField(&rule.Matchers),
		{"path", func(v *yaml.Node, at string) { rule.Path = r.path(v, at, use) }},
	}, more...), func() []string {
		return append(absent("resourceMatchers", len(rule.Matchers) == 0), absent("path", len(rule.Path) == 0)...)
	})
	return rule
}

func (r *kappReader) labelScopingRule(n *yaml.Node, at string) LabelScopingRule {
	var rule LabelScopingRule
	rule.FieldRule = r.ruleAbout(n, at, pathUse{}, field{
		"isDefault", func(v *yaml.Node, at string) { rule.IsDefault = r.truth(v, at) },
	})
	return rule
}

func (r *kappReader) templateRule(n *yaml.Node, at string) TemplateRule {
	rule := TemplateRule{At: r.place(n, at)}
	r.strict(n, at, []field{
		r.matchersField(&rule.Matchers),
		{"affectedResources", func(v *yaml.Node, at string) {
			r.mapping(v, at, []field{{"objectReferences", each(r, &rule.References, r.objectReference)}})
		}},
	}, func() []string {
		return append(absent("resourceMatchers", len(rule.Matchers) == 0),
			absent("affectedResources.objectReferences", len(rule.References) == 0)...)
	})
	return rule
}

func (r *kappReader) objectReference(n *yaml.Node, at string) ObjectReference {
	var ref ObjectReference
	r.strict(n, at, []field{
		r.matchersField(&ref.Matchers),
		{"path", func(v *yaml.Node, at string) { ref.Path = r.path(v, at, pathUse{}) }},
		{"nameKey", func(v *yaml.Node, at string) { ref.NameKey = r.text(v, at) }},
	}, func() []string {
		return append(absent("resourceMatchers", len(ref.Matchers) == 0), absent("path", len(ref.Path) == 0)...)
	})
	return ref
}

func (r *kappReader) waitRule(n *yaml.Node, at string) WaitRule {
	rule := WaitRule{At: r.place(n, at)}
	r.strict(n, at, []field{
		r.matchersField(&rule.Matchers),
		{"conditionMatchers", each(r, &rule.Conditions, r.waitCondition)},
		{"supportsObservedGeneration", func(v *yaml.Node, at string) { rule.ObservedGeneration = r.truth(v, at) }},
		{"cel", func(v *yaml.Node, at string) { r.waitExpressions(v, at, &rule) }},
		{"ytt", func(v *yaml.Node, at string) {
			r.found(v.Line, at, "ytt functions are not supported: name conditions with conditionMatchers, or write an expression under cel")
		}},
	}, func() []string {
		return append(absent("resourceMatchers", len(rule.Matchers) == 0),
			absent("conditionMatchers", len(rule.Conditions) == 0 && rule.Ready == nil && rule.Failed == nil)...)
	})
	return rule
}

// waitExpressions reads the conditions of a rule that are written in CEL.
func (r *kappReader) waitExpressions(n *yaml.Node, at string, rule *WaitRule) {
	r.strict(n, at, []field{
		{"ready", func(v *yaml.Node, at string) { rule.Ready = r.expression(v, at) }},
		{"failed", func(v *yaml.Node, at string) { rule.Failed = r.expression(v, at) }},
	}, func() []string { return absent("ready", rule.Ready == nil && rule.Failed == nil) })
}

func (r *kappReader) expression(n *yaml.Node, at string) *expression.Condition {
	text := r.text(n, at)
	if text == "" {
		return nil
	}
	c, err := expression.Compile(text)
	if err != nil {
		r.found(n.Line, at, "%s", err)
	}
	return c
}

func (r *kappReader) waitCondition(n *yaml.Node, at string) WaitCondition {
	var c WaitCondition
	before := len(r.findings)
	r.strict(n, at, []field{
		{"type", func(v *yaml.Node, at string) { c.Type = r.text(v, at) }},
		{"status", func(v *yaml.Node, at string) { c.Status = r.conditionStatus(v, at) }},
		{"failure", func(v *yaml.Node, at string) { c.Failure = r.truth(v, at) }},
		{"success", func(v *yaml.Node, at string) { c.Success = r.truth(v, at) }},
		{"unblockChanges", func(v *yaml.Node, at string) { c.Unblock = r.truth(v, at) }},
		{"supportsObservedGeneration", func(v *yaml.Node, at string) { c.ObservedGeneration = r.truth(v, at) }},
		{"timeout", func(v *yaml.Node, at string) { c.Timeout = r.duration(v, at) }},
	}, func() []string {
		return append(absent("type", c.Type == ""), absent("status", c.Status == "")...)
	})
	if len(r.findings) > before {
		return c
	}
	switch {
	case c.Failure && c.Success:
		r.found(n.Line, at, "failure and success exclude each other")
	case !c.Failure && !c.Success && !c.Unblock:
		r.found(n.Line, at, "the condition has no meaning: wanted failure, success or unblockChanges")
	case c.Timeout > 0 && !c.Failure:
		r.found(n.Line, join(at, "timeout"), "only a failure has a timeout: the time that it must last")
	}
	return c
}

// conditionStatus reads the status of a condition. It is a text in the API, but
// a plain True is a boolean in YAML.
func (r *kappReader) conditionStatus(n *yaml.Node, at string) string {
	if value, ok := boolWord(n.Value); ok && n.Kind == yaml.ScalarNode {
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			return n.Value
		}
		text := "False"
		if value {
			text = "True"
		}
		r.found(n.Line, at, "wanted text, found the boolean word %s: write %q", n.Value, text)
		return ""
	}
	return r.text(n, at)
}

func (r *kappReader) duration(n *yaml.Node, at string) time.Duration {
	text := r.text(n, at)
	d, err := time.ParseDuration(text)
	if text != "" && (err != nil || d <= 0) {
		r.found(n.Line, at, "wanted a time such as 30s or 5m, found %q", text)
		return 0
	}
	return d
}

func (r *kappReader) changeGroupBinding(n *yaml.Node, at string) ChangeGroupBinding {
	binding := ChangeGroupBinding{At: r.place(n, at)}
	r.strict(n, at, []field{
		{"name", func(v *yaml.Node, at string) { binding.Name = r.groupName(v, at) }},
		r.matchersField(&binding.Matchers),
	}, func() []string {
		return append(absent("name", binding.Name == ""), absent("resourceMatchers", len(binding.Matchers) == 0)...)
	})
	return binding
}

func (r *kappReader) groupName(n *yaml.Node, at string) string {
	name := r.text(n, at)
	if err := CheckGroupName(name); name != "" && err != nil {
		r.found(n.Line, at, "%v", err)
	}
	return name
}

func (r *kappReader) changeRuleBinding(n *yaml.Node, at string) ChangeRuleBinding {
	binding := ChangeRuleBinding{At: r.place(n, at)}
	r.strict(n, at, []field{
		{"rules", each(r, &binding.Rules, r.changeRule)},
		{"ignoreIfCyclical", func(v *yaml.Node, at string) { binding.IgnoreIfCyclical = r.truth(v, at) }},
		r.matchersField(&binding.Matchers),
	}, func() []string {
		return append(absent("rules", len(binding.Rules) == 0), absent("resourceMatchers", len(binding.Matchers) == 0)...)
	})
	return binding
}

func (r *kappReader) changeRule(n *yaml.Node, at string) ChangeRule {
	before := len(r.findings)
	text := r.text(n, at)
	rule, err := ParseChangeRule(text)
	if err != nil && len(r.findings) == before {
		r.found(n.Line, at, "%v", err)
	}
	return rule
}

// labels reads additionalLabels.
func (r *kappReader) labels(n *yaml.Node, at string) map[string]string {
	labels := map[string]string{}
	pairs, _ := r.pairs(n, at)
	for _, p := range pairs {
		if problems := validation.IsQualifiedName(p.key.Value); len(problems) > 0 {
			r.found(p.key.Line, at, "%q is no key of a label: %s", p.key.Value, strings.Join(problems, "; "))
		}
		value := r.text(p.value, join(at, p.key.Value))
		if problems := validation.IsValidLabelValue(value); len(problems) > 0 {
			r.found(p.value.Line, join(at, p.key.Value), "no value of a label: %s", strings.Join(problems, "; "))
		}
		labels[p.key.Value] = value
	}
	return labels
}

func (r *kappReader) preflightRule(n *yaml.Node, at string) PreflightRule {
	rule := PreflightRule{At: r.place(n, at)}
	r.strict(n, at, []field{
		{"name", func(v *yaml.Node, at string) { rule.Name = r.word(v, at, PreflightChecks()...) }},
		{"config", func(v *yaml.Node, at string) { rule.Config = r.values(v, at) }},
	}, func() []string { return absent("name", rule.Name == "") })
	return rule
}
