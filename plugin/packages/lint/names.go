package lint

import (
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// namePrefix stands before the name of the instance in the name of each object.
const namePrefix = "d8a-"

// Names of Jobs and of StatefulSets become parts of longer names and labels. With
// an instance of 24 characters this leaves 23 for what the package adds, and 34
// for other kinds.
const (
	maxJobSuffix = 23
	maxSuffix    = 34
)

func (p *Package) prefix() string { return namePrefix + p.Instance + "-" }

func instancePrefix(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		if suffix, ok := strings.CutPrefix(o.Name(), p.prefix()); !ok || suffix == "" {
			found(report.Error, templateOf(o), fmt.Sprintf(
				"%s: wanted a name that begins with d8a-INSTANCE- (%s), so that two instances can live in one namespace", called(o), p.prefix()))
		}
	}
}

func nameLength(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		suffix, ok := strings.CutPrefix(o.Name(), p.prefix())
		if !ok {
			continue
		}
		limit := maxSuffix
		switch o.GVK().Kind {
		case "StatefulSet", "Job", "CronJob":
			limit = maxJobSuffix
		}
		if len(suffix) > limit {
			found(report.Error, templateOf(o), fmt.Sprintf(
				"%s: wanted at most %d characters behind d8a-INSTANCE-, found %d: the name is too long for an instance with a name of 24",
				called(o), limit, len(suffix)))
		}
	}
}

func instanceNamespace(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		if o.Namespace() != "" {
			found(report.Error, templateOf(o), fmt.Sprintf(
				"%s: wanted no metadata.namespace, found %q: objects live in the namespace of their instance", called(o), o.Namespace()))
		}
	}
}

func scope(p *Package, found func(report.Severity, string, string)) {
	if p.Namespaced == nil {
		return
	}
	for _, o := range p.Objects {
		if namespaced, known := p.Namespaced(o.GVK().GroupKind()); known && !namespaced {
			found(report.Error, templateOf(o), fmt.Sprintf(
				"%s: wanted a kind that lives in a namespace, found one of the whole cluster", called(o)))
		}
	}
}
