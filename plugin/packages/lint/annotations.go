package lint

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/report"
)

// judge says what is wrong with the value of an annotation; "" for nothing.
type judge func(value string) string

// oneOf wants one of some words, listOf a list of them with commas.
func oneOf(words ...string) judge {
	return func(value string) string {
		if slices.Contains(words, value) {
			return ""
		}
		return "wanted " + strings.Join(words, ", ")
	}
}

func listOf(words ...string) judge {
	return func(value string) string {
		for _, word := range strings.Split(value, ",") {
			if !slices.Contains(words, strings.TrimSpace(word)) {
				return fmt.Sprintf("wanted a list of %s, found %q in it", strings.Join(words, ", "), strings.TrimSpace(word))
			}
		}
		return ""
	}
}

func integer(value string) string {
	if _, err := strconv.Atoi(value); err != nil {
		return "wanted a whole number"
	}
	return ""
}

func natural(value string) string {
	if n, err := strconv.Atoi(value); err != nil || n < 0 {
		return "wanted a whole number from 0"
	}
	return ""
}

func duration(value string) string {
	if d, err := time.ParseDuration(value); err != nil || d < 0 {
		return "wanted a duration such as 10m"
	}
	return ""
}

func anything(string) string { return "" }

func annotationJudges() map[string]judge {
	moments := []string{
		"pre-install", "install", "post-install", "pre-upgrade", "upgrade", "post-upgrade",
		"pre-rollback", "rollback", "post-rollback", "pre-uninstall", "uninstall", "post-uninstall",
	}
	truth := oneOf("true", "false")
	return map[string]judge{
		"helm.sh/resource-policy":              oneOf("keep"),
		"werf.io/weight":                       integer,
		"werf.io/ownership":                    oneOf("release", "anyone"),
		"werf.io/deploy-on":                    listOf(moments...),
		"werf.io/delete-policy":                listOf("before-creation", "before-creation-if-immutable", "succeeded", "failed"),
		"werf.io/resource-policy":              listOf("skip-create", "skip-update", "skip-recreate", "skip-delete", "keep"),
		"werf.io/delete-propagation":           oneOf("Foreground", "Background", "Orphan"),
		"werf.io/track-termination-mode":       oneOf("WaitUntilResourceReady", "NonBlocking"),
		"werf.io/fail-mode":                    oneOf("FailWholeDeployProcessImmediately", "IgnoreAndContinueDeployProcess", "HopeUntilEndOfDeployProcess"),
		"werf.io/failures-allowed-per-replica": natural,
		"werf.io/no-activity-timeout":          duration,
		"werf.io/replicas-on-creation":         natural,
		"werf.io/sensitive":                    truth,
		"werf.io/sensitive-paths":              anything,
		"werf.io/show-service-messages":        truth,
		"werf.io/skip-logs":                    noLogs,
	}
}

// noLogs is said of annotations about logs: none are collected of applications.
func noLogs(string) string { return "has no effect: logs of applications are not collected" }

// Annotations whose key ends with a name that the author chooses.
func judgeOf(key string) (judge, bool) {
	if known, ok := annotationJudges()[key]; ok {
		return known, true
	}
	for prefix, known := range map[string]judge{
		"werf.io/deploy-dependency-": anything, "werf.io/delete-dependency-": anything,
		"werf.io/ignore-readiness-probe-fails-for-": duration,
		"werf.io/log-regex":                         noLogs, "werf.io/skip-logs-for-": noLogs, "werf.io/show-logs-": noLogs,
	} {
		if strings.HasPrefix(key, prefix) {
			return known, true
		}
	}
	return nil, !strings.HasPrefix(key, "werf.io/")
}

// annotations judges those that the engine reads.
func annotations(p *Package, found func(report.Severity, string, string)) {
	for _, o := range p.Objects {
		all, _, _ := unstructured.NestedStringMap(o.Body, "metadata", "annotations")
		for _, key := range slices.Sorted(maps.Keys(all)) {
			known, ok := judgeOf(key)
			switch {
			case !ok:
				found(report.Warning, templateOf(o), called(o)+": the annotation "+key+" is unknown and has no effect")
			case known == nil:
			default:
				if wrong := known(all[key]); wrong != "" {
					found(severityOf(wrong), templateOf(o), fmt.Sprintf("%s: annotation %s=%q: %s", called(o), key, all[key], wrong))
				}
			}
		}
	}
}

func severityOf(wrong string) report.Severity {
	if wrong == noLogs("") {
		return report.Warning
	}
	return report.Error
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
