package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// annotations judges those that the engine reads, as the engine does.
func annotations(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		for _, note := range nelm.Notes(o) {
			severity := report.Warning
			if note.Fault {
				severity = report.Error
			}
			found(severity, templateOf(o), fmt.Sprintf("%s: annotation %s: %s", called(o), note.Annotation, note.Text))
		}
	}
}

// Annotations that decide whether an object outlives its release.
const (
	helmHook   = "helm.sh/hook"
	helmPolicy = "helm.sh/resource-policy"
	ownership  = "werf.io/ownership"
	werfPolicy = "werf.io/resource-policy"
)

func isKept(o object.Object) bool { return o.Annotation(helmPolicy) == "keep" }

// staysBehind tells whether an object outlives the release without being protected.
func staysBehind(o object.Object) bool {
	return !isKept(o) && (o.Annotation(helmHook) != "" || o.Annotation(ownership) == "anyone" ||
		strings.Contains(o.Annotation(werfPolicy), "keep") || strings.Contains(o.Annotation(werfPolicy), "skip-delete"))
}

func keepData(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		if o.GVK().Kind == "PersistentVolumeClaim" && !isKept(o) && !staysBehind(o) {
			found(report.Warning, templateOf(o), called(o)+
				": its data are gone when the application is suspended; the annotation helm.sh/resource-policy: keep keeps them")
		}
	}
}

// endpoint wants an Ingress that is one to have an address.
func endpoint(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		description := o.Annotation("packages.deckhouse.io/application-endpoint-description")
		if o.GVK().Kind != "Ingress" || description == "" || description == "false" {
			continue
		}
		hasHost := func(entry any) bool {
			rule, _ := entry.(map[string]any)
			host, _ := rule["host"].(string)
			return host != ""
		}
		if !slices.ContainsFunc(listAt(o, "spec", "rules"), hasHost) {
			found(report.Warning, templateOf(o), called(o)+": is an endpoint without a host, so it has no address")
		}
	}
}
