package config

import (
	"slices"
	"strings"
)

// Annotations of kapp that objects may carry. Where nothing else is said, they
// count by being there, whatever their value.
const (
	// Exists: somebody else makes the object; it is only waited for.
	KappExists = "kapp.k14s.io/exists"
	// Noop: nothing is done to the object.
	KappNoop = "kapp.k14s.io/noop"
	// Strategies; their values are those of package plan.
	KappCreateStrategy = "kapp.k14s.io/create-strategy"
	KappUpdateStrategy = "kapp.k14s.io/update-strategy"
	KappDeleteStrategy = "kapp.k14s.io/delete-strategy"
	// Waiting.
	KappDisableWait           = "kapp.k14s.io/disable-wait"
	KappDisableAssociatedWait = "kapp.k14s.io/disable-associated-resources-wait"
	// KappMinimumReplicas is how many Pods of a Deployment have to be available:
	// "10" or "5%".
	KappMinimumReplicas = "kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available"
	// Order; a suffix ".x" makes room for several.
	KappChangeGroup          = "kapp.k14s.io/change-group"
	KappChangeRule           = "kapp.k14s.io/change-rule"
	KappDisableDefaultChange = "kapp.k14s.io/disable-default-change-group-and-rules"
	// Versions.
	KappVersioned    = "kapp.k14s.io/versioned"
	KappKeepOriginal = "kapp.k14s.io/versioned-keep-original"
	// KappNumVersions is how many versions stay, the newest included.
	KappNumVersions = "kapp.k14s.io/num-versions"
	// KappExplicitRef names a versioned object, as YAML with apiVersion, kind and
	// name; a suffix ".x" makes room for several.
	KappExplicitRef = "kapp.k14s.io/versioned-explicit-ref"
)

// otherKappAnnotations are known too, though they mean nothing here or are
// written by kapp itself.
func otherKappAnnotations() []string {
	const prefix = "kapp.k14s.io/"
	names := []string{
		"app", "app-changes-use-app-label", "association", "deploy-logs", "deploy-logs-container-names",
		"disable-default-label-scoping-rules", "disable-default-ownership-label-rules",
		"disable-default-secretgen-rebase-rules", "disable-label-scoping", "disable-original",
		"identity", "is-configmap-migrated", "last-renewed-time", "nonce", "original", "original-diff",
		"original-diff-full", "original-diff-md5", "owned-for-deletion", "renew-duration",
	}
	for i := range names {
		names[i] = prefix + names[i]
	}
	return names
}

// KappAnnotations lists every annotation of kapp.
func KappAnnotations() []string {
	return append([]string{
		KappExists, KappNoop, KappCreateStrategy, KappUpdateStrategy, KappDeleteStrategy,
		KappDisableWait, KappDisableAssociatedWait, KappMinimumReplicas,
		KappChangeGroup, KappChangeRule, KappDisableDefaultChange,
		KappVersioned, KappKeepOriginal, KappNumVersions, KappExplicitRef,
	}, otherKappAnnotations()...)
}

// MisspeltKappAnnotation says what is wrong with the key of an annotation that
// has kapp's prefix but isn't known; empty for all others. Such a key does
// nothing, which its author should hear of.
func MisspeltKappAnnotation(key string) string {
	if !strings.HasPrefix(key, kappGroup+"/") {
		return ""
	}
	known := KappAnnotations()
	base, _, _ := strings.Cut(strings.TrimPrefix(key, kappGroup+"/"), ".")
	base = kappGroup + "/" + base
	if slices.Contains(known, key) || slices.Contains([]string{KappChangeGroup, KappChangeRule, KappExplicitRef}, base) {
		return ""
	}
	return "unknown annotation " + key + near(key, known)
}
