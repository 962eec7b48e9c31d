package api

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group and Version of all kinds.
const (
	Group   = "deckhouse.io"
	Version = "v1alpha1"
)

// Kinds.
const (
	KindApplication                = "Application"
	KindApplicationPackage         = "ApplicationPackage"
	KindApplicationPackageVersion  = "ApplicationPackageVersion"
	KindPackageRepository          = "PackageRepository"
	KindPackageRepositoryOperation = "PackageRepositoryOperation"
	KindModule                     = "Module"
)

// Labels of the objects of an application.
const (
	// LabelHeritage with HeritageDeckhouse says that a person should not change it.
	LabelHeritage     = "heritage"
	HeritageDeckhouse = "deckhouse"
	// LabelPackage names the package, LabelInstance the Application.
	LabelPackage  = "packages.deckhouse.io/package"
	LabelInstance = "packages.deckhouse.io/instance"
	// LabelHealth has the InstanceName: workloads with it count for its health.
	LabelHealth = "health.deckhouse.io/package"
	// LabelMaintenance is on the objects of an application in maintenance; its value
	// is empty.
	LabelMaintenance = "maintenance.deckhouse.io/no-resource-reconciliation"
)

// Labels of the kinds of this package.
const (
	// LabelDraft is on an ApplicationPackageVersion until its metadata is loaded.
	LabelDraft = "packages.deckhouse.io/draft"
	// LabelRepository names the PackageRepository.
	LabelRepository = "packages.deckhouse.io/repository"
	// LabelExistInRegistry is "true" or "false": what the last full scan found.
	LabelExistInRegistry = "packages.deckhouse.io/exist-in-registry"
	// LabelOperationType and LabelOperationTrigger are on operations; the trigger is
	// TriggerAuto or TriggerManual.
	LabelOperationType    = "packages.deckhouse.io/operation-type"
	LabelOperationTrigger = "packages.deckhouse.io/operation-trigger"
	TriggerAuto           = "auto"
	TriggerManual         = "manual"
)

// Annotations.
const (
	// AnnotationRegistryChecksum of a PackageRepository is a checksum of how its
	// registry was reached when it was last scanned as a whole.
	AnnotationRegistryChecksum = "packages.deckhouse.io/registry-spec-checksum"
	// AnnotationManagedBy of a release says who installed it: ManagedByDeckhouse.
	AnnotationManagedBy = "packages.deckhouse.io/managed-by"
	ManagedByDeckhouse  = "deckhouse"
)

// Finalizers.
const (
	// FinalizerApplication holds an Application until all of it is removed.
	FinalizerApplication = "application.deckhouse.io/statistic-registered"
	// FinalizerVersionUsed holds an ApplicationPackageVersion while an Application
	// uses it.
	FinalizerVersionUsed = "applicationpackageversion.deckhouse.io/used-by-application"
	// FinalizerRepository holds a PackageRepository while there are versions of it.
	FinalizerRepository = "packages.deckhouse.io/package-repository"
)

// MaxInstanceName is how many characters the name of an Application may have: names
// of its objects begin with it.
const MaxInstanceName = 24

// DefaultRepository is the PackageRepository of an Application that names none.
const DefaultRepository = "deckhouse"

// GroupVersion is that of all kinds.
func GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: Group, Version: Version}
}

// InstanceName is NAMESPACE.INSTANCE: the name of an application in releases, queues,
// logs and commands. Neither part has a dot.
func InstanceName(namespace, name string) string { return namespace + "." + name }

// SplitInstanceName is the reverse of InstanceName; ok is false for any other text.
func SplitInstanceName(text string) (namespace, name string, ok bool) {
	namespace, name, ok = strings.Cut(text, ".")
	ok = ok && namespace != "" && name != "" && !strings.Contains(name, ".")
	return namespace, name, ok
}

// VersionName is the name of the ApplicationPackageVersion of a version of a package
// in a repository.
func VersionName(repository, packageName, version string) string {
	return repository + "-" + packageName + "-" + version
}
