package config

import (
	"fmt"
	"time"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/expression"
)

// Place is where a rule was written.
type Place struct {
	// File is the path of the file, or what else the content came from; Line
	// counts from 1, 0 is unknown.
	File string
	Line int
	// Rule is the position in the document: "rebaseRules[3]".
	Rule string
}

// String gives "rules.yaml:12: rebaseRules[3]".
func (p Place) String() string {
	switch {
	case p.File == "":
		return p.Rule
	case p.Line == 0:
		return p.File + ": " + p.Rule
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Rule)
}

// Default reports whether the rule is one of DefaultKappConfig.
func (p Place) Default() bool { return p.File == defaultsName }

// RebaseType says what a rebase rule does at its paths.
type RebaseType string

// The types of rebase rules.
const (
	// RebaseCopy takes the value of the first source that has one.
	RebaseCopy RebaseType = "copy"
	// RebaseRemove takes the field out of what is wanted.
	RebaseRemove RebaseType = "remove"
)

// RebaseSource is a side that a copied value may come from.
type RebaseSource string

// The sources of a copy.
const (
	SourceNew      RebaseSource = "new"      // the files
	SourceExisting RebaseSource = "existing" // the cluster
)

// RebaseRule changes what is wanted of an object that exists.
type RebaseRule struct {
	At       Place
	Matchers []ResourceMatcher
	// Paths has at least one element; path and paths are the same to a reader.
	Paths []RulePath
	Type  RebaseType
	// Sources are in order of preference; empty for RebaseRemove.
	Sources []RebaseSource
}

// FieldRule is a rule about one field.
type FieldRule struct {
	At       Place
	Matchers []ResourceMatcher
	Path     RulePath
}

// LabelScopingRule is a FieldRule that kapp can be told to leave out.
type LabelScopingRule struct {
	FieldRule
	IsDefault bool
}

// TemplateRule says which objects refer to the versioned objects it matches.
type TemplateRule struct {
	At         Place
	Matchers   []ResourceMatcher
	References []ObjectReference
}

// ObjectReference is a place that names another object.
type ObjectReference struct {
	// Matchers choose the objects that refer.
	Matchers []ResourceMatcher
	// Path leads to the mapping that holds the name.
	Path RulePath
	// NameKey is the key of the name in that mapping; empty means "name".
	NameKey string
}

// WaitRule says when an object is ready.
type WaitRule struct {
	At       Place
	Matchers []ResourceMatcher
	// Conditions are looked at failures first. They may be empty where there is an
	// expression.
	Conditions []WaitCondition
	// Failed and Ready are expressions over the whole object, looked at before and
	// after the conditions; nil for none. kapp has none.
	Failed, Ready *expression.Condition
	// ObservedGeneration wants status.observedGeneration to have come up with
	// metadata.generation before any condition counts.
	ObservedGeneration bool
}

// WaitCondition gives a meaning to a condition of an object's status.
type WaitCondition struct {
	Type, Status string
	// Failure, Success and Unblock are the meanings; at least one is set, and
	// never both of the first two. Unblock lets dependants start while the
	// object itself is still waited for.
	Failure, Success, Unblock bool
	// ObservedGeneration wants the condition's own observedGeneration to have
	// come up with metadata.generation.
	ObservedGeneration bool
	// Timeout of a Failure is how long the condition must hold; 0 is at once.
	Timeout time.Duration
}

// ChangeGroupBinding puts the objects it matches into a group.
type ChangeGroupBinding struct {
	At       Place
	Matchers []ResourceMatcher
	// Name may hold placeholders; see ExpandGroupName.
	Name string
}

// ChangeRuleBinding gives the objects it matches a place in the order.
type ChangeRuleBinding struct {
	At       Place
	Matchers []ResourceMatcher
	Rules    []ChangeRule
	// IgnoreIfCyclical drops a relation that would close a circle.
	IgnoreIfCyclical bool
}

// PreflightRule asks for a check before anything is written.
type PreflightRule struct {
	At Place
	// Name is one of PreflightChecks.
	Name string
	// Config are the check's own settings, as JSON values; nil when not given.
	Config map[string]any
}

// PreflightChecks names the checks that a PreflightRule may ask for.
func PreflightChecks() []string { return []string{"CRDUpgradeSafety", "PermissionValidation"} }
