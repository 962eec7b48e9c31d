package bundle

import (
	"math"
	"regexp"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// DefinitionFile is the file that makes a directory a package.
const DefinitionFile = "package.yaml"

// dnsLabel is what names of packages and modules are made of: they are parts of
// names of objects and of repositories.
var dnsLabel = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// IsName tells whether a text can be the name of a package.
func IsName(text string) bool { return dnsLabel.MatchString(text) }

// ParseDefinition reads package.yaml. With an Error among the findings the
// Definition is what could be read of it.
func ParseDefinition(data []byte, file string) (Definition, []Finding) {
	r, value, findings := openDocument(data, file, document.One)
	if r == nil {
		return Definition{}, findings
	}
	p := &parser{reader: r}
	p.read(value)
	return p.definition, r.findings()
}

// parser fills a Definition.
type parser struct {
	*reader
	definition Definition
}

func (p *parser) read(value any) {
	d := &p.definition
	ok := p.mapping(value, "", false, []document.Field{
		{Key: "apiVersion", Read: func(v any, at string) { d.APIVersion = p.Word(v, at, "v1") }},
		{Key: "type", Read: func(v any, at string) { d.Type = p.Word(v, at, TypeApplication, TypeModule) }},
		{Key: "name", Read: func(v any, at string) { d.Name = p.label(v, at) }},
		{Key: "version", Read: func(v any, at string) { d.Version = p.version(v, at) }},
		{Key: "stage", Read: func(v any, at string) { d.Stage = p.Text(v, at) }},
		{Key: "category", Read: func(v any, at string) { d.Category = p.Text(v, at) }},
		{Key: "descriptions", Read: func(v any, at string) { d.Descriptions = p.textMap(v, at) }},
		{Key: "requirements", Read: func(v any, at string) { p.requirements(v, at) }},
		{Key: "disable", Read: func(v any, at string) { p.disable(v, at) }},
		{Key: "licensing", Read: func(v any, at string) { p.licensing(v, at) }},
		{Key: "versionCompatibilityRules", Read: func(v any, at string) { p.rules(v, at) }},
		{Key: "weight", Read: p.moduleOnly},
		{Key: "critical", Read: p.moduleOnly},
		{Key: "exclusiveGroup", Read: p.moduleOnly},
		{Key: "subsystems", Read: p.moduleOnly},
	})
	if ok {
		p.complete(value)
	}
}

// complete looks for what has to be there, and for what is of no use here.
func (p *parser) complete(value any) {
	mapping, _ := value.(map[string]any)
	for _, key := range []string{"type", "name"} {
		if mapping[key] == nil {
			p.Found("", "%s is missing", key)
		}
	}
	if mapping["apiVersion"] == nil {
		p.warn("", "apiVersion is missing; it is taken for v1")
		p.definition.APIVersion = "v1"
	}
	if p.definition.Type == TypeModule {
		p.Found("type", "wanted Application, found Module: modules are installed by the platform itself")
	}
}

// moduleOnly warns of a field that does nothing for applications.
func (p *parser) moduleOnly(_ any, at string) {
	p.warn(at, "has no effect: it is for packages of the type Module")
}

func (p *parser) label(value any, at string) string {
	name := p.Filled(value, at)
	if name != "" && !IsName(name) {
		p.Found(at, "wanted up to 63 small letters, digits and dashes, found %q", name)
	}
	return name
}

func (p *parser) version(value any, at string) string {
	version := p.Filled(value, at)
	if version == "" || version == devVersion || IsVersion(version) {
		return version
	}
	if _, err := coreVersion(version); err != nil {
		p.Found(at, "%s", err)
	} else {
		p.warn(at, "wanted vMAJOR.MINOR.PATCH: another version is never listed, and can't be a tag")
	}
	return version
}

func (p *parser) disable(value any, at string) {
	d := &p.definition.Disable
	p.mapping(value, at, false, []document.Field{
		{Key: "confirmation", Read: func(v any, at string) { d.Confirmation = p.Truth(v, at) }},
		{Key: "messages", Read: func(v any, at string) { d.Messages = p.textMap(v, at) }},
	})
}

func (p *parser) licensing(value any, at string) {
	p.mapping(value, at, false, []document.Field{{Key: "editions", Read: func(v any, at string) {
		editions, ok := v.(map[string]any)
		if !ok {
			p.Found(at, "wanted a mapping, found %s", document.KindOf(v))
			return
		}
		p.definition.Editions = map[string]Edition{}
		for _, name := range sortedKeys(editions) {
			p.definition.Editions[name] = p.edition(editions[name], document.Join(at, name))
		}
	}}})
}

func (p *parser) edition(value any, at string) (e Edition) {
	p.mapping(value, at, false, []document.Field{
		{Key: "available", Read: func(v any, at string) { e.Available = p.Truth(v, at) }},
		{Key: "enabledInBundles", Read: func(v any, at string) { e.EnabledInBundles = p.Texts(v, at) }},
	})
	return e
}

func (p *parser) rules(value any, at string) {
	d := &p.definition
	p.mapping(value, at, true, []document.Field{
		{Key: "upgrade", Read: func(v any, at string) { d.Upgrade = p.rule(v, at) }},
		{Key: "downgrade", Read: func(v any, at string) { d.Downgrade = p.rule(v, at) }},
	})
}

func (p *parser) rule(value any, at string) (r VersionRule) {
	p.mapping(value, at, true, []document.Field{
		{Key: "from", Read: func(v any, at string) { r.From = p.constraint(v, at) }},
		{Key: "to", Read: func(v any, at string) { r.To = p.constraint(v, at) }},
		{Key: "allowSkipPatches", Read: func(v any, at string) { r.AllowSkipPatches = p.Truth(v, at) }},
		{Key: "allowSkipMinor", Read: func(v any, at string) { r.AllowSkipMinor = p.Truth(v, at) }},
		{Key: "allowSkipMajor", Read: func(v any, at string) { r.AllowSkipMajor = p.Truth(v, at) }},
		{Key: "maxRollback", Read: func(v any, at string) { r.MaxRollback = p.Integer(v, at, 0, math.MaxInt64) }},
	})
	return r
}
