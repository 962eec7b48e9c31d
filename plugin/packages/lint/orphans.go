package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// orphanKey is the field of the values that lists kinds which are deleted together
// with an Application.
const orphanKey = "orphanResources"

const valuesSchema = "openapi/values.yaml"

// orphans wants the list to be one, out of the users' reach, and to hold the kind of
// everything that stays behind when the release is uninstalled.
func orphans(p *Package, found func(report.Severity, string, string)) {
	if slices.Contains(p.SettingsProperties, orphanKey) {
		found(report.Error, "openapi/settings.yaml", orphanKey+": belongs into values.yaml: here users could change what is deleted")
	}
	listed, wrong := orphanKinds(p.Values[orphanKey])
	if wrong != "" {
		found(report.Error, valuesSchema, orphanKey+": "+wrong+": nothing would be deleted with the Application")
		return
	}
	for _, o := range p.Objects {
		if staysBehind(o) && !slices.ContainsFunc(listed, func(k orphanKind) bool { return k.matches(o) }) {
			found(report.Warning, templateOf(o), called(o)+": outlives the Application: its kind is not in "+orphanKey+" of "+valuesSchema)
		}
	}
}

// orphanKind is an entry of the list: a version without a group is of any group.
type orphanKind struct{ kind, version string }

func (k orphanKind) matches(o object.Object) bool {
	gvk := o.GVK()
	return k.kind == gvk.Kind && (k.version == gvk.Version || k.version == gvk.GroupVersion().String())
}

func orphanKinds(value any) (kinds []orphanKind, wrong string) {
	if value == nil {
		return nil, ""
	}
	list, ok := value.([]any)
	if !ok {
		return nil, "wanted a list of {kind, version}"
	}
	for i, entry := range list {
		item, _ := entry.(map[string]any)
		kind, _ := item["kind"].(string)
		version, _ := item["version"].(string)
		if kind == "" || version == "" || strings.Count(version, "/") > 1 {
			return nil, fmt.Sprintf("entry %d: wanted kind, and version as VERSION or GROUP/VERSION", i+1)
		}
		kinds = append(kinds, orphanKind{kind, version})
	}
	return kinds, ""
}
