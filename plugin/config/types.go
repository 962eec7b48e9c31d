package config

// Values that a tazuna.yaml may carry in apiVersion and kind. Both keys are
// optional.
const (
	APIVersion = "tazuna.pepabo.com/v1"
	Kind       = "Tazuna"
)

// File is a tazuna.yaml that was read and found right.
type File struct {
	// Path is the path as it was given to Load.
	Path string
	// Tazuna is the content.
	Tazuna Tazuna

	guardLine int
}

// Tazuna is the root of the document.
type Tazuna struct {
	// APIVersion and Kind are as written: empty or the constants above.
	APIVersion, Kind string
	// Spec is everything else.
	Spec Spec
}

// Spec is the content of the document.
type Spec struct {
	// MinimumSupportedTazunaVersion is the oldest tool version that may use the
	// file, as written; empty when there is no bound.
	MinimumSupportedTazunaVersion string
	// ContextMatches holds regular expressions (Go syntax, not anchored) for the
	// names of the contexts that may be used. Empty: every context may.
	ContextMatches []string
	// ContextMatchMode says how ContextMatches are joined. Never empty.
	ContextMatchMode MatchMode
	// Manifests are in the order of the file. Names are unique.
	Manifests []Manifest
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
	// Type is one of SupportedTypes.
	Type string
	// Path is where the input lies, joined with the directory of the file it
	// was written in (so relative to the working directory if that one is).
	Path string
	// Tags are free words to select manifests by.
	Tags []string
	// DefaultNamespace is given to namespaced objects that have no namespace.
	// Empty: whoever runs the build decides.
	DefaultNamespace string
	// Recursive makes a directory of type yaml be read with its subdirectories.
	Recursive bool
	// Options holds what a type's own block says beyond the fields above; nil
	// for the types that need no more.
	Options any
	// Line is the line of the entry in the file, from 1.
	Line int
}

// LoadOptions are the circumstances of a Load.
type LoadOptions struct {
	// Version is the version of the running tool. When it is empty or no
	// semantic version ("dev"), minimumSupportedTazunaVersion is not enforced.
	Version string
}
