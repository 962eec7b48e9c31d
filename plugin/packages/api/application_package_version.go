package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ApplicationPackageVersion is one version of a package in one repository. Its name
// is that of VersionName.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ApplicationPackageVersion struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ApplicationPackageVersionSpec   `json:"spec"`
	Status ApplicationPackageVersionStatus `json:"status,omitempty"`
}

// ApplicationPackageVersionList is a list of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ApplicationPackageVersionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ApplicationPackageVersion `json:"items"`
}

// ApplicationPackageVersionSpec says which version it is; it never changes.
type ApplicationPackageVersionSpec struct {
	PackageName           string `json:"packageName"`
	PackageRepositoryName string `json:"packageRepositoryName"`
	PackageVersion        string `json:"packageVersion"`
}

// ConditionMetadataLoaded of an ApplicationPackageVersion: its status tells what the
// registry has.
const ConditionMetadataLoaded = "MetadataLoaded"

// Why metadata isn't loaded.
const (
	ReasonGetRepository     = "GetPackageRepositoryError"
	ReasonGetRegistryClient = "GetRegistryClientError"
	ReasonGetImage          = "GetImageError"
	ReasonFetchingRelease   = "FetchingReleaseError"
)

// ApplicationPackageVersionStatus is what the metadata of the version says.
type ApplicationPackageVersionStatus struct {
	PackageMetadata *PackageMetadata   `json:"packageMetadata,omitempty"`
	PackageSchemas  *PackageSchemas    `json:"packageSchemas,omitempty"`
	Conditions      []metav1.Condition `json:"conditions,omitempty"`
	UsedBy          []InstanceRef      `json:"usedBy,omitempty"`
	UsedByCount     int                `json:"usedByCount"`
}

// InstanceRef names an Application.
type InstanceRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// PackageSchemas are the schemas as catalogues publish them.
type PackageSchemas struct {
	SettingsSchema *PackageSchema `json:"settingsSchema,omitempty"`
	ValuesSchema   *PackageSchema `json:"valuesSchema,omitempty"`
}

// PackageSchema is one schema.
type PackageSchema struct {
	OpenAPIV3Schema *runtime.RawExtension `json:"openAPIV3Schema,omitempty"`
}

// PackageMetadata is what package.yaml and changelog.yaml say.
type PackageMetadata struct {
	// Description is by language: "en", "ru".
	Description               map[string]string          `json:"description,omitempty"`
	Category                  string                     `json:"category,omitempty"`
	Stage                     string                     `json:"stage,omitempty"`
	Requirements              *PackageRequirements       `json:"requirements,omitempty"`
	Licensing                 *PackageLicensing          `json:"licensing,omitempty"`
	Changelog                 *PackageChangelog          `json:"changelog,omitempty"`
	VersionCompatibilityRules *VersionCompatibilityRules `json:"versionCompatibilityRules,omitempty"`
	DisableOptions            *PackageDisableOptions     `json:"disableOptions,omitempty"`
}

// PackageRequirements are what a cluster must be like. Ranges are semver's.
type PackageRequirements struct {
	Kubernetes *VersionConstraint  `json:"kubernetes,omitempty"`
	Deckhouse  *VersionConstraint  `json:"deckhouse,omitempty"`
	Modules    *ModuleRequirements `json:"modules,omitempty"`
}

// VersionConstraint is a range of versions.
type VersionConstraint struct {
	Constraint string `json:"constraint"`
}

// ModuleRequirements are about modules: see package bundle for what each list means.
type ModuleRequirements struct {
	Mandatory   []ModuleRequirement `json:"mandatory,omitempty"`
	Conditional []ModuleRequirement `json:"conditional,omitempty"`
	AnyOf       []ModuleGroup       `json:"anyOf,omitempty"`
	NoneOf      []ModuleGroup       `json:"noneOf,omitempty"`
}

// ModuleRequirement names a module and the versions that fit; empty: any.
type ModuleRequirement struct {
	Name       string `json:"name"`
	Constraint string `json:"constraint,omitempty"`
}

// ModuleGroup is a choice of modules.
type ModuleGroup struct {
	Name        string              `json:"name"`
	Description string              `json:"description,omitempty"`
	Modules     []ModuleRequirement `json:"modules"`
}

// PackageLicensing says by edition of the platform whether the package is to be had.
type PackageLicensing struct {
	Editions map[string]PackageEdition `json:"editions,omitempty"`
}

// PackageEdition is what one edition of the platform has of a package.
type PackageEdition struct {
	Available        bool     `json:"available"`
	EnabledInBundles []string `json:"enabledInBundles,omitempty"`
}

// PackageChangelog is what is new.
type PackageChangelog struct {
	Features []string `json:"features,omitempty"`
	Fixes    []string `json:"fixes,omitempty"`
}

// VersionCompatibilityRules say between which versions an instance may change.
type VersionCompatibilityRules struct {
	Upgrade   *VersionCompatibilityRule `json:"upgrade,omitempty"`
	Downgrade *VersionCompatibilityRule `json:"downgrade,omitempty"`
}

// VersionCompatibilityRule bounds a change of version.
type VersionCompatibilityRule struct {
	From             string `json:"from,omitempty"`
	To               string `json:"to,omitempty"`
	AllowSkipPatches bool   `json:"allowSkipPatches,omitempty"`
	AllowSkipMinor   bool   `json:"allowSkipMinor,omitempty"`
	AllowSkipMajor   bool   `json:"allowSkipMajor,omitempty"`
	// MaxRollback is how many versions a downgrade may go back; 0: nothing is said.
	MaxRollback int64 `json:"maxRollback,omitempty"`
}

// PackageDisableOptions are about the removal of an instance, for user interfaces.
type PackageDisableOptions struct {
	Confirmation bool              `json:"confirmation"`
	Messages     map[string]string `json:"messages,omitempty"`
}
