package binding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// Rule says where hooks may look and act.
type Rule string

const (
	// Instance keeps hooks in the namespace of their instance. The default.
	Instance Rule = "instance"
	// Any lets a hook name its namespaces itself; without any it sees all.
	Any Rule = "any"
)

// Options are the surroundings of a configuration.
type Options struct {
	// Rule is Instance if it is empty.
	Rule Rule
	// Namespace is that of the instance; needed in the rule Instance.
	Namespace string
}

// Parse reads what a shell hook printed for --config. Warnings are oddities that
// are no mistake. An error is an *Error with all mistakes.
func Parse(data []byte, o Options) (Config, []Finding, error) {
	value, err := document.One(data)
	if err != nil {
		return Config{}, nil, syntaxError(err)
	}
	p := &parser{options: o}
	config := p.hook(value, "", "")
	return config, p.warnings, p.err()
}

// parser reads one hook after another.
type parser struct {
	document.Reader
	options  Options
	batch    bool
	at       string // path of the hook that is read now
	hookName string // its name within a batch
	names    map[string]string
	warnings []Finding
	findings []Finding
}

// hook reads one configuration at a path and files what was found under it. name
// is that of the hook within a batch.
func (p *parser) hook(value any, at, name string) Config {
	p.at, p.hookName, p.names = at, name, map[string]string{}
	config := Config{Orders: map[Type]int64{}, AllSnapshots: p.batch}
	if p.Mapping(value, at, p.hookFields(&config, value)) && len(p.Findings) == 0 {
		p.whole(&config, at)
	}
	p.file()
	return config
}

// hookFields are the keys of a configuration.
func (p *parser) hookFields(config *Config, value any) []document.Field {
	fields := []document.Field{{Key: "configVersion", Read: func(v any, at string) { p.Word(v, at, "v1") }}}
	if mapping, ok := value.(map[string]any); ok && mapping["configVersion"] == nil {
		p.Found(document.Join(p.at, "configVersion"), "is missing: wanted v1")
	}
	if p.batch {
		fields = append(fields, p.batchFields()...)
	}
	for _, stage := range Stages() {
		fields = append(fields, document.Field{Key: string(stage), Read: func(v any, at string) {
			config.Orders[stage] = p.order(v, at)
		}})
	}
	fields = append(fields,
		document.Field{Key: "kubernetes", Read: func(v any, at string) {
			p.List(v, at, func(v any, at string) { config.Kubernetes = append(config.Kubernetes, p.kubernetes(v, at)) })
		}},
		document.Field{Key: "schedule", Read: func(v any, at string) {
			p.List(v, at, func(v any, at string) { config.Schedules = append(config.Schedules, p.schedule(v, at)) })
		}},
		document.Field{Key: "settings", Read: func(v any, at string) { config.Settings = p.settings(v, at) }},
	)
	for _, key := range []string{"kubernetesValidating", "kubernetesMutating", "kubernetesCustomResourceConversion"} {
		fields = append(fields, p.refused(key, "hooks of application packages can't be webhooks"))
	}
	for _, key := range []string{"beforeAll", "afterAll"} {
		fields = append(fields, p.refused(key, "is a binding of global hooks; an application package has beforeHelm and afterHelm"))
	}
	return append(fields, p.refused("onKubernetesEvent", "is of configVersion v0; write kubernetes"))
}

// refused is a key that other programs of this family know.
func (p *parser) refused(key, why string) document.Field {
	return document.Field{Key: key, Read: func(_ any, at string) { p.Found(at, "%s", why) }}
}

// maxOrder keeps orders exact in every program that reads them as a float.
const maxOrder = 1 << 53

func (p *parser) order(value any, at string) int64 { return p.Integer(value, at, -maxOrder, maxOrder) }

// whole makes the checks that need all of one hook.
func (p *parser) whole(config *Config, at string) {
	bindings := len(config.Orders) + len(config.Schedules) + len(config.Kubernetes)
	if bindings == 0 && at != readinessKey { // readiness is asked for, not called
		p.Found(at, "there is no binding in it, so nothing would ever call the hook")
	}
	p.uniqueKubernetes(config, at)
	p.uniqueSchedules(config, at)
	known := config.SnapshotNames()
	for i, k := range config.Kubernetes {
		p.included(k.IncludeSnapshotsFrom, known, document.Join(at, fmt.Sprintf("kubernetes[%d]", i)))
	}
	for i, s := range config.Schedules {
		p.included(s.IncludeSnapshotsFrom, known, document.Join(at, fmt.Sprintf("schedule[%d]", i)))
	}
	_, startup := config.Orders[OnStartup]
	if p.batch && startup && len(config.Kubernetes) > 0 {
		p.Found(document.Join(at, string(OnStartup)),
			"excludes kubernetes bindings: a batch hook would be called without its snapshots")
	}
}

// uniqueKubernetes refuses two bindings of one name: one snapshot would hide the
// other. That holds also for two that have none.
func (p *parser) uniqueKubernetes(config *Config, at string) {
	first := map[string]int{}
	for i, k := range config.Kubernetes {
		here := document.Join(at, fmt.Sprintf("kubernetes[%d]", i))
		j, twice := first[k.Name]
		switch {
		case !twice:
			first[k.Name] = i
		case p.names[here] == "":
			p.Found(here, "has no name, and neither has kubernetes[%d]: give them names, their snapshots would be one", j)
		default:
			p.Found(document.Join(here, "name"), "%q is the name of kubernetes[%d] too", k.Name, j)
		}
	}
}

// uniqueSchedules refuses two bindings of one name. Schedules without a name may
// be many, if they differ in their times only: triggers go by the name.
func (p *parser) uniqueSchedules(config *Config, at string) {
	first := map[string]int{}
	for i, s := range config.Schedules {
		here := document.Join(at, fmt.Sprintf("schedule[%d]", i))
		j, twice := first[s.Name]
		switch {
		case !twice:
			first[s.Name] = i
		case p.names[here] != "":
			p.Found(document.Join(here, "name"), "%q is the name of schedule[%d] too", s.Name, j)
		case !alike(s, config.Schedules[j]):
			p.Found(here, "has no name and differs from schedule[%d] in more than its crontab: give it a name", j)
		}
	}
}

func alike(a, b Schedule) bool {
	return a.Queue == b.Queue && a.Group == b.Group && a.AllowFailure == b.AllowFailure &&
		slices.Equal(a.IncludeSnapshotsFrom, b.IncludeSnapshotsFrom)
}

func (p *parser) included(names, known []string, at string) {
	for i, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		have := "there is none"
		if len(known) > 0 {
			have = "there are " + strings.Join(known, ", ")
		}
		p.Found(fmt.Sprintf("%s.includeSnapshotsFrom[%d]", at, i), "%q is no kubernetes binding of this hook; %s", name, have)
	}
}

// warn records an oddity.
func (p *parser) warn(at, format string, args ...any) {
	p.warnings = append(p.warnings, p.located(document.Finding{At: at, Text: fmt.Sprintf(format, args...)}))
}

// file moves what was found in the hook that was read to the findings of all.
func (p *parser) file() {
	for _, f := range p.Findings {
		p.findings = append(p.findings, p.located(f))
	}
	p.Findings = nil
}

// located adds hook and binding to a finding.
func (p *parser) located(f document.Finding) Finding {
	out := Finding{Hook: p.hookName, At: f.At, Text: f.Text}
	for at, name := range p.names {
		if f.At == at || strings.HasPrefix(f.At, at+".") {
			out.Binding = name
		}
	}
	return out
}

func (p *parser) err() error {
	if len(p.findings) == 0 {
		return nil
	}
	return &Error{Findings: p.findings}
}
