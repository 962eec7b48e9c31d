package bundle

// Types of packages.
const (
	TypeApplication = "Application"
	TypeModule      = "Module"
)

// Definition is package.yaml.
type Definition struct {
	// APIVersion is "v1"; Type is TypeApplication: modules are not for us.
	APIVersion, Type string
	// Name is the package's name: a DNS label.
	Name string
	// Version is vMAJOR.MINOR.PATCH; empty in the sources of a package, "dev" in
	// one that is being worked on.
	Version string
	// Stage and Category are for catalogues: "Preview", "Databases".
	Stage, Category string
	// Descriptions are texts by language: "en", "ru".
	Descriptions map[string]string
	Requirements Requirements
	Disable      Disable
	// Editions say by edition of the platform whether the package is to be had.
	Editions map[string]Edition
	// Upgrade and Downgrade say between which versions an instance may change.
	Upgrade, Downgrade VersionRule
}

// Disable is about the removal of an instance, for user interfaces.
type Disable struct {
	Confirmation bool
	// Messages are texts by language.
	Messages map[string]string
}

// Edition is what one edition of the platform has of a package.
type Edition struct {
	Available        bool
	EnabledInBundles []string
}

// VersionRule bounds a change of version.
type VersionRule struct {
	// From and To are ranges of versions that a change begins or ends with.
	From, To Constraint
	// Skipping of versions that is allowed.
	AllowSkipPatches, AllowSkipMinor, AllowSkipMajor bool
	// MaxRollback is how many versions a downgrade may go back; 0: nothing is said.
	MaxRollback int64
}

// Requirements are what a cluster must be like.
type Requirements struct {
	// Kubernetes and Deckhouse are ranges of versions; the zero Constraint: any.
	Kubernetes, Deckhouse Constraint
	// Mandatory modules must be enabled, with a version that fits.
	Mandatory []ModuleRequirement
	// Conditional modules need not be enabled; if they are, the version must fit.
	Conditional []ModuleRequirement
	// AnyOf are groups of which at least one member must be enabled, NoneOf groups
	// of which none may be, each with a version that fits.
	AnyOf, NoneOf []ModuleGroup
}

// ModuleRequirement names a module and the versions that fit.
type ModuleRequirement struct {
	Name       string
	Constraint Constraint
}

// ModuleGroup is a choice of modules.
type ModuleGroup struct {
	Name, Description string
	Modules           []ModuleRequirement
}
