package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/document"
)

// knownExtensions are the names below x-deckhouse- and x-kubernetes- that mean
// something to somebody. Another one would silently mean nothing.
var knownExtensions = []string{
	rulesKey, kubeRulesKey, immutableKey, grantKey, legacyGrantKey,
	"x-deckhouse-ui-order", "x-deckhouse-ui-group", "x-deckhouse-ui-advanced",
	"x-deckhouse-ui-validation-message", "x-deckhouse-ui-resource-name", "x-deckhouse-enum-switch-settings",
	"x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-list-type",
	"x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-embedded-resource",
}

// uiTypes are what the extensions for forms must hold; what they mean is the
// matter of those who draw the forms.
var uiTypes = map[string]func(any) (want string, fits bool){
	"x-deckhouse-ui-order":              isWhole,
	"x-deckhouse-ui-group":              isText,
	"x-deckhouse-ui-validation-message": isText,
	"x-deckhouse-ui-advanced":           isTruth,
	"x-deckhouse-ui-resource-name":      isResourceName,
	"x-deckhouse-enum-switch-settings":  isSwitch,
}

// checkExtensions warns of extensions that have no effect.
func (b *builder) checkExtensions(n *node) {
	for _, key := range slices.Sorted(maps.Keys(n.raw)) {
		ours := strings.HasPrefix(key, "x-deckhouse-") || strings.HasPrefix(key, "x-kubernetes-")
		if ours && !slices.Contains(knownExtensions, key) {
			b.warn(n.at.to(key), "unknown extension, which does nothing")
		}
		if check, known := uiTypes[key]; known {
			if want, fits := check(n.raw[key]); !fits {
				b.warn(n.at.to(key), "wanted %s, found %s: forms ignore it", want, document.KindOf(n.raw[key]))
			}
		}
	}
}

func isWhole(v any) (string, bool) {
	_, fits := v.(int64)
	return "a whole number", fits
}

func isText(v any) (string, bool) {
	_, fits := v.(string)
	return "text", fits
}

func isTruth(v any) (string, bool) {
	_, fits := v.(bool)
	return "true or false", fits
}

func isResourceName(v any) (string, bool) {
	of, _ := v.(map[string]any)
	_, version := of["apiVersion"].(string)
	_, kind := of["kind"].(string)
	return "{apiVersion, kind} and perhaps a labelSelector", version && kind
}

// isSwitch reads a list of {to, impact, messages}.
func isSwitch(v any) (string, bool) {
	const want = "a list of {to: […], impact: info, warning or destructive, messages}"
	list, isList := v.([]any)
	for _, item := range list {
		of, _ := item.(map[string]any)
		to, _ := of["to"].([]any)
		impact, given := of["impact"]
		if len(to) == 0 || given && !slices.Contains([]any{"info", "warning", "destructive"}, impact) {
			return want, false
		}
	}
	return want, isList
}
