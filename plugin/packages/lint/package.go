package lint

import (
	"io/fs"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// Package is what the rules look at.
type Package struct {
	// Files is the bundle.
	Files fs.FS
	// Instance is the name under which it was rendered.
	Instance string
	// Images are the digests of images_digests.json by name.
	Images map[string]string
	// Objects are all that it renders to, Helm hooks included. They are nil where
	// it can't be rendered, and then no rule judges them.
	Objects []object.Object
	// Values are those that it was rendered with.
	Values map[string]any
	// SettingsProperties are the names of the top level of the settings schema.
	SettingsProperties []string
	// Namespaced tells the scope of a kind, as far as it is known.
	Namespaced func(gk schema.GroupKind) (namespaced, known bool)
}

// rule is one check.
type rule struct {
	name  string
	check func(p *Package, found func(report.Severity, string, string))
}

// Rules lists the names of the rules, in the order in which they are checked.
func Rules() []string {
	var names []string
	for _, r := range rules() {
		names = append(names, r.name)
	}
	return names
}

func rules() []rule {
	return []rule{
		{"docs", docs},
		{"icon", icon},
		{"instance-prefix", instancePrefix},
		{"name-length", nameLength},
		{"instance-namespace", instanceNamespace},
		{"scope", scope},
		{"workload", workload},
		{"pdb", disruptionBudget},
		{"service-port", servicePort},
		{"images", images},
		{"annotations", annotations},
		{"keep-data", keepData},
		{"orphans", orphans},
		{"endpoint", endpoint},
	}
}

// Check applies all rules.
func Check(p *Package) []report.Finding {
	var all []report.Finding
	for _, r := range rules() {
		r.check(p, func(severity report.Severity, file, text string) {
			all = append(all, report.Finding{Severity: severity, Rule: r.name, File: file, Text: text})
		})
	}
	return all
}

// templateOf is the file of an object's template within the bundle.
func templateOf(o object.Object) string { return inPackage(o.Origin.File) }

// called is how findings name an object.
func called(o object.Object) string { return o.GVK().Kind + " " + o.Name() }
