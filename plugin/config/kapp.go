package config

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sync"

	"github.com/Masterminds/semver/v3"
)

// What makes a document, or a ConfigMap, configuration in the format of kapp.
const (
	KappAPIVersion = "kapp.k14s.io/v1alpha1"
	KappKind       = "Config"
	// KappConfigLabel, with any value, marks ConfigMaps that carry configuration
	// under KappConfigKey. They are deployed like any other.
	KappConfigLabel = "kapp.k14s.io/config"
	KappConfigKey   = "config.yml"
	// KappVersion is the newest kapp whose configuration is read here;
	// minimumRequiredVersion is held against it.
	KappVersion = "0.64.0"
)

// KappConfig is the content of kapp configuration: rules that say which fields
// the cluster decides, which are hidden, in which order objects go and when they
// are ready. The zero value has no rules. Rules of several documents stand one
// after the other, defaults first; nothing replaces a default. What was read is not
// changed afterwards, it is added to by With.
type KappConfig struct {
	// MinimumRequiredVersion is the oldest kapp that the author had in mind;
	// empty when there is no bound.
	MinimumRequiredVersion string
	// RebaseRules run in order, each on the result of the ones before.
	RebaseRules []RebaseRule
	// LastAppliedExclusions (diffAgainstLastAppliedFieldExclusionRules) are
	// judged by what is wanted against what was applied last: what the cluster
	// makes of them is no difference.
	LastAppliedExclusions []FieldRule
	// ExistingExclusions (diffAgainstExistingFieldExclusionRules) are left to
	// the cluster once an object exists. What is created is not changed by them.
	ExistingExclusions []FieldRule
	// MaskRules (diffMaskRules) hide the values of the mapping at their path.
	MaskRules []FieldRule
	// OwnershipLabelRules and LabelScopingRules are read and have no effect:
	// labels of Pods and selectors are never altered. See Notes.
	OwnershipLabelRules []FieldRule
	LabelScopingRules   []LabelScopingRule
	// TemplateRules say where versioned objects are referred to.
	TemplateRules []TemplateRule
	// WaitRules say when an object is ready; the first that matches counts.
	WaitRules []WaitRule
	// ChangeGroupBindings put objects into groups, ChangeRuleBindings order them
	// by groups. Later rules weigh more where one has to give way.
	ChangeGroupBindings []ChangeGroupBinding
	ChangeRuleBindings  []ChangeRuleBinding
	// AdditionalLabels are put on every object, in its own metadata only.
	AdditionalLabels map[string]string
	// PreflightRules name checks that run before anything is written.
	PreflightRules []PreflightRule

	// digest computes the Digest, once for all copies; nil for a value that
	// nobody has read.
	digest func() string
}

// With gives the rules of c followed by those of more. Where both set a label,
// more wins; of two minimum versions the higher one stays.
func (c KappConfig) With(more KappConfig) KappConfig {
	out := KappConfig{
		MinimumRequiredVersion: newerVersion(c.MinimumRequiredVersion, more.MinimumRequiredVersion),
		RebaseRules:            slices.Concat(c.RebaseRules, more.RebaseRules),
		LastAppliedExclusions:  slices.Concat(c.LastAppliedExclusions, more.LastAppliedExclusions),
		ExistingExclusions:     slices.Concat(c.ExistingExclusions, more.ExistingExclusions),
		MaskRules:              slices.Concat(c.MaskRules, more.MaskRules),
		OwnershipLabelRules:    slices.Concat(c.OwnershipLabelRules, more.OwnershipLabelRules),
		LabelScopingRules:      slices.Concat(c.LabelScopingRules, more.LabelScopingRules),
		TemplateRules:          slices.Concat(c.TemplateRules, more.TemplateRules),
		WaitRules:              slices.Concat(c.WaitRules, more.WaitRules),
		ChangeGroupBindings:    slices.Concat(c.ChangeGroupBindings, more.ChangeGroupBindings),
		ChangeRuleBindings:     slices.Concat(c.ChangeRuleBindings, more.ChangeRuleBindings),
		PreflightRules:         slices.Concat(c.PreflightRules, more.PreflightRules),
	}
	if len(c.AdditionalLabels)+len(more.AdditionalLabels) > 0 {
		out.AdditionalLabels = map[string]string{}
		maps.Copy(out.AdditionalLabels, c.AdditionalLabels)
		maps.Copy(out.AdditionalLabels, more.AdditionalLabels)
	}
	out.digest = sync.OnceValue(out.fingerprint)
	return out
}

// newerVersion gives the higher of two versions that were checked on reading.
func newerVersion(a, b string) string {
	va, errA := semver.NewVersion(a)
	vb, errB := semver.NewVersion(b)
	if errB != nil || errA == nil && vb.LessThan(va) {
		return a
	}
	return b
}

// Rule is what all rules have in common.
type Rule struct {
	// At is where the rule stands.
	At Place
	// Matchers choose the objects: one of them has to match.
	Matchers []ResourceMatcher
}

// Rules lists the rules that choose objects, kind by kind. Preflight rules don't.
func (c KappConfig) Rules() []Rule {
	var all []Rule
	for _, r := range c.RebaseRules {
		all = append(all, Rule{r.At, r.Matchers})
	}
	for _, list := range [][]FieldRule{c.LastAppliedExclusions, c.ExistingExclusions, c.MaskRules, c.OwnershipLabelRules} {
		for _, r := range list {
			all = append(all, Rule{r.At, r.Matchers})
		}
	}
	for _, r := range c.LabelScopingRules {
		all = append(all, Rule{r.At, r.Matchers})
	}
	for _, r := range c.TemplateRules {
		all = append(all, Rule{r.At, r.Matchers})
	}
	for _, r := range c.WaitRules {
		all = append(all, Rule{r.At, r.Matchers})
	}
	for _, r := range c.ChangeGroupBindings {
		all = append(all, Rule{r.At, r.Matchers})
	}
	for _, r := range c.ChangeRuleBindings {
		all = append(all, Rule{r.At, r.Matchers})
	}
	return all
}

// Notes says what of the configuration has no effect, a line each, for a user
// who comes from kapp.
func (c KappConfig) Notes() []string {
	const never = "labels of Pods and selectors are never altered"
	var notes []string
	if len(c.OwnershipLabelRules) > 0 {
		notes = append(notes, c.OwnershipLabelRules[0].At.String()+": ownershipLabelRules have no effect: "+never)
	}
	if len(c.LabelScopingRules) > 0 {
		notes = append(notes, c.LabelScopingRules[0].At.String()+": labelScopingRules have no effect: "+never)
	}
	if len(c.PreflightRules) > 0 {
		notes = append(notes, c.PreflightRules[0].At.String()+": preflightRules have no effect: nothing is checked but what the plan asks the server")
	}
	return notes
}

// Digest is a fingerprint of the content; where a rule stands is no part of it.
// Whoever keeps a verdict keeps this beside it. It is cheap to ask for again.
func (c KappConfig) Digest() string {
	if c.digest == nil {
		return c.fingerprint()
	}
	return c.digest()
}

func (c KappConfig) fingerprint() string {
	sum := sha256.Sum256(c.Encode())
	return hex.EncodeToString(sum[:16])
}
