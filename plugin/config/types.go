package config

import "time"

// Values that a tazuna.yaml may carry in apiVersion and kind. Both keys are
// optional.
const (
	APIVersion = "tazuna.pepabo.com/v1"
	Kind       = "Tazuna"
)

// File is a tazuna.yaml that was read and found right, with what it includes.
type File struct {
	// Path is the path as it was given to Load.
	Path string
	// Tazuna is the content.
	Tazuna Tazuna
	// Environment is the one that was asked for; empty if none was.
	Environment string
	// Warnings are about what was accepted and is probably not meant, or not
	// understood by every version of the tool. In the order of the file.
	Warnings []Finding

	guards []guard
}

// Tazuna is the root of the document.
type Tazuna struct {
	// APIVersion and Kind are as written: empty or the constants above.
	APIVersion, Kind string
	// Spec is everything else.
	Spec Spec
}

// Spec is the content of the document, included files among it.
type Spec struct {
	// MinimumSupportedTazunaVersion is the oldest tool version that may use the
	// file, as written; empty when there is no bound. That of an included file is
	// checked, and not kept.
	MinimumSupportedTazunaVersion string
	// Project names the records of the file's manifests in the cluster, so that other
	// files there can be told from what left this one; a label value, or empty. That of
	// an included file is not kept.
	Project string
	// ContextMatches holds regular expressions (Go syntax, not anchored) for the
	// names of the contexts that may be used: those of the environment that was
	// asked for, else those of the file. Empty: every context may.
	ContextMatches []string
	// ContextMatchMode says how ContextMatches are joined. Never empty.
	ContextMatchMode MatchMode
	// Environments are the names that -e may give, in the order of the file.
	Environments []string
	// Manifests are in the order of the file, those of an included file in the
	// place of its entry. Names are unique.
	Manifests []Manifest
	// Rules are those of the files of kapp configuration that are named, in order.
	Rules KappConfig
	// Tests run once, after all manifests.
	Tests []Test
	// Providers are where generated Secrets come from. Names are unique.
	Providers []Provider
}

// MatchMode says whether one or all of a list of patterns must match.
type MatchMode string

const (
	// MatchOr wants at least one match. It is the default.
	MatchOr MatchMode = "or"
	// MatchAnd wants all patterns to match.
	MatchAnd MatchMode = "and"
)

// Manifest is one entry of spec.manifests: a named set of objects with a record
// of its own in the cluster.
type Manifest struct {
	// Name identifies the manifest and its record: lower-case letters, digits
	// and '-', at most 240 bytes.
	Name string
	// Description is free text for people.
	Description string
	// Type is the name of one of LoadOptions.Types.
	Type string
	// Path is where the input lies, joined with the directory of the file it
	// was written in (so relative to the working directory if that one is).
	// Empty for types that need none.
	Path string
	// Tags are free words to select manifests by.
	Tags []string
	// DependsOn names the manifests that must be done before this one starts. No
	// name is unknown and there is no circle.
	DependsOn []string
	// Tests run when the manifest is applied; what depends on it waits for them.
	Tests []Test
	// DefaultNamespace is given to namespaced objects that have no namespace.
	// Empty: whoever runs the build decides.
	DefaultNamespace string
	// Recursive makes a directory of type yaml be read with its subdirectories.
	Recursive bool
	// Wait makes the manifests behind this one wait until its objects are ready,
	// in a file without dependsOn.
	Wait bool
	// Timeout bounds the wait for each of its objects; 0 leaves that to the run.
	Timeout time.Duration
	// Options holds what a type's own block says beyond the fields above; nil
	// for the types that need no more.
	Options any
	// File is the file of the entry, Line its line there, from 1.
	File string
	Line int
}

// TestType says what a Test does.
type TestType string

const (
	// WaitUntil waits until a condition on an object holds.
	WaitUntil TestType = "WaitUntil"
	// ExistNonExist waits until an object exists, or doesn't.
	ExistNonExist TestType = "ExistNonExist"
)

// Test is a check against the cluster after an apply.
type Test struct {
	Type TestType
	// Successes is how many answers in a row must be good; at least 1.
	Successes int
	// Failures is how many bad answers in a row make the test fail; 0 means that
	// only the timeout does.
	Failures int
	// Timeout ends the test; 0 means never.
	Timeout time.Duration
	// Interval is the time between two answers of an object that doesn't change.
	Interval time.Duration
	// APIVersion, Kind, Namespace and Name are the object. Namespace is empty for
	// cluster-scoped kinds.
	APIVersion, Kind, Namespace, Name string
	// Condition is a CEL expression over the variable object (WaitUntil).
	Condition string
	// ShouldExist is what ExistNonExist wants.
	ShouldExist bool
	// File and Line are where the test stands.
	File string
	Line int
}

// ProviderType says how a Provider is read.
type ProviderType string

const (
	// ProviderOnePassword asks the op command of 1Password.
	ProviderOnePassword ProviderType = "onepassword"
	// ProviderEnvFile reads a file of KEY=VALUE lines.
	ProviderEnvFile ProviderType = "envfile"
)

// DefaultProvider is the name of the provider that is always there: 1Password.
const DefaultProvider = "default-op"

// Provider is a named source of secret values.
type Provider struct {
	Name string
	Type ProviderType
	// Path is the file of an envfile, joined with the directory of its tazuna.yaml.
	Path string
}

// LoadOptions are the circumstances of a Load.
type LoadOptions struct {
	// Version is the version of the running tool. When it is empty or no
	// semantic version ("dev"), minimumSupportedTazunaVersion is not enforced.
	Version string
	// Environment is the value of -e: the variable of templates, and the entry of
	// spec.environments that guards the run. Empty: none.
	Environment string
	// Lenient makes warnings of what older versions of the format let pass:
	// unknown fields, manifests without a name, options without effect.
	Lenient bool
	// Types are the manifest types that can be used.
	Types []Type
	// ReadFile reads included files; nil is os.ReadFile.
	ReadFile func(path string) ([]byte, error)
	// Exists tells whether a path is there, to recognise paths of included files
	// that are meant from the including one; nil asks the disk.
	Exists func(path string) bool
}
