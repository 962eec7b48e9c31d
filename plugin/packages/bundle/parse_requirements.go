package bundle

import (
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// The buckets of requirements.modules.
const (
	bucketMandatory   = "mandatory"
	bucketConditional = "conditional"
	bucketAnyOf       = "anyOf"
	bucketNoneOf      = "noneOf"
)

func (p *parser) requirements(value any, at string) {
	r := &p.definition.Requirements
	p.mapping(value, at, true, []document.Field{
		{Key: "kubernetes", Read: func(v any, at string) { r.Kubernetes = p.versionRequirement(v, at) }},
		{Key: "deckhouse", Read: func(v any, at string) { r.Deckhouse = p.versionRequirement(v, at) }},
		{Key: "modules", Read: func(v any, at string) { p.modules(v, at) }},
	})
}

// versionRequirement reads {constraint: RANGE}, or the older plain RANGE.
func (p *parser) versionRequirement(value any, at string) (c Constraint) {
	if _, plain := value.(string); plain {
		return p.constraint(value, at)
	}
	before := len(p.Findings)
	p.mapping(value, at, true, []document.Field{
		{Key: "constraint", Read: func(v any, at string) { c = p.constraint(v, at) }},
	})
	if c.IsZero() && len(p.Findings) == before {
		p.warn(at, "asks for nothing: it has no constraint")
	}
	return c
}

// modules reads the buckets, or the older mapping of names to ranges. Buckets are
// lists, ranges are text, so the two can't be taken for one another.
func (p *parser) modules(value any, at string) {
	mapping, ok := value.(map[string]any)
	if !ok {
		p.Found(at, "wanted a mapping, found %s", document.KindOf(value))
		return
	}
	if isLegacy(mapping) {
		p.legacyModules(mapping, at)
		return
	}
	r := &p.definition.Requirements
	buckets := &buckets{parser: p, of: map[string]string{}}
	p.mapping(mapping, at, true, []document.Field{
		{Key: bucketMandatory, Read: func(v any, at string) {
			r.Mandatory = buckets.modules(v, at, bucketMandatory, false)
		}},
		{Key: bucketConditional, Read: func(v any, at string) {
			r.Conditional = buckets.modules(v, at, bucketConditional, true)
		}},
		{Key: bucketAnyOf, Read: func(v any, at string) { r.AnyOf = buckets.groups(v, at, bucketAnyOf) }},
		{Key: bucketNoneOf, Read: func(v any, at string) { r.NoneOf = buckets.groups(v, at, bucketNoneOf) }},
	})
}

// isLegacy knows the older form: a text, or nothing, behind some name that is no
// bucket's.
func isLegacy(mapping map[string]any) bool {
	names := []string{bucketMandatory, bucketConditional, bucketAnyOf, bucketNoneOf}
	for key, value := range mapping {
		_, text := value.(string)
		if (text || value == nil) && !slices.Contains(names, key) {
			return true
		}
	}
	return false
}

// legacyModules reads NAME: RANGE, and NAME: RANGE !optional for a conditional
// one. The mark may stand anywhere behind the range, with or without a space.
func (p *parser) legacyModules(mapping map[string]any, at string) {
	r := &p.definition.Requirements
	for _, name := range sortedKeys(mapping) {
		here := document.Join(at, name)
		m := ModuleRequirement{Name: p.label(name, here)}
		text := ""
		if mapping[name] != nil {
			text = strings.TrimSpace(p.Text(mapping[name], here))
		}
		text, optional := strings.CutSuffix(text, optionalSuffix)
		m.Constraint = p.constraint(text, here)
		switch {
		case !optional:
			r.Mandatory = append(r.Mandatory, m)
		case strings.TrimSpace(text) == "":
			p.warn(here, "asks for nothing: it is optional and has no range of versions")
		default:
			r.Conditional = append(r.Conditional, m)
		}
	}
	p.warn(at, "is the older form; write lists under mandatory and conditional")
}

// buckets reads requirements on modules and sees that each module stands in one
// bucket only.
type buckets struct {
	*parser
	of map[string]string // module → bucket
}

// modules reads a list of modules.
func (b *buckets) modules(value any, at, bucket string, needsRange bool) []ModuleRequirement {
	var all []ModuleRequirement
	b.List(value, at, func(value any, at string) {
		m, ok := b.module(value, at, bucket)
		if !ok {
			return
		}
		if slices.ContainsFunc(all, func(o ModuleRequirement) bool { return o.Name == m.Name }) {
			b.Found(at, "module %s is in the list twice", m.Name)
			return
		}
		if needsRange && m.Constraint.IsZero() {
			b.Found(at, "module %s has no constraint: it would ask for nothing", m.Name)
		}
		all = append(all, m)
	})
	return all
}

func (b *buckets) module(value any, at, bucket string) (m ModuleRequirement, ok bool) {
	b.mapping(value, at, true, []document.Field{
		{Key: "name", Read: func(v any, at string) { m.Name = b.label(v, at) }},
		{Key: "constraint", Read: func(v any, at string) { m.Constraint = b.constraint(v, at) }},
	})
	if m.Name == "" {
		if mapping, is := value.(map[string]any); is && mapping["name"] == nil {
			b.Found(at, "name is missing")
		}
		return m, false
	}
	if other := b.of[m.Name]; other != "" && other != bucket {
		b.Found(at, "module %s is in the bucket %s too; it may be in one", m.Name, other)
		return m, false
	}
	b.of[m.Name] = bucket
	return m, true
}

// groups reads a list of named choices.
func (b *buckets) groups(value any, at, bucket string) []ModuleGroup {
	var all []ModuleGroup
	b.List(value, at, func(value any, at string) {
		var g ModuleGroup
		before := len(b.Findings)
		ok := b.mapping(value, at, true, []document.Field{
			{Key: "name", Read: func(v any, at string) { g.Name = b.Filled(v, at) }},
			{Key: "description", Read: func(v any, at string) { g.Description = b.Text(v, at) }},
			{Key: "modules", Read: func(v any, at string) { g.Modules = b.modules(v, at, bucket, false) }},
		})
		sound := ok && len(b.Findings) == before
		switch {
		case sound && g.Name == "":
			b.Found(at, "name is missing")
		case sound && len(g.Modules) == 0:
			b.Found(at, "group %q has no modules", g.Name)
		case g.Name != "" && slices.ContainsFunc(all, func(o ModuleGroup) bool { return o.Name == g.Name }):
			b.Found(at, "group %q is there twice", g.Name)
		}
		all = append(all, g)
	})
	return all
}
