package plan

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// DiffFilter is kapp's --diff-filter (docs/coming-from.md): a JSON tree. All
// members of a node that are given must hold; ops holds if any of them is the
// object's operation.
type DiffFilter struct {
	And []DiffFilter `json:"and,omitempty"`
	Or  []DiffFilter `json:"or,omitempty"`
	Not *DiffFilter  `json:"not,omitempty"`
	// Ops are kapp's words: add, update, delete, keep, exists, noop.
	Ops              []string        `json:"ops,omitempty"`
	NewResource      *ResourceFilter `json:"newResource,omitempty"`
	ExistingResource *ResourceFilter `json:"existingResource,omitempty"`
}

// ResourceFilter is kapp's resource filter. Lists hold if any element does.
type ResourceFilter struct {
	Kinds          []string `json:"kinds,omitempty"`
	Namespaces     []string `json:"namespaces,omitempty"`
	Names          []string `json:"names,omitempty"`
	KindNames      []string `json:"kindNames,omitempty"`      // Kind/name
	KindNamespaces []string `json:"kindNamespaces,omitempty"` // Kind/namespace
	KindNsNames    []string `json:"kindNsNames,omitempty"`    // Kind/namespace/name
	Labels         []string `json:"labels,omitempty"`
}

// ParseDiffFilter reads the flag's value; unknown members and operations are
// errors.
func ParseDiffFilter(text string) (*DiffFilter, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var f DiffFilter
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("read the diff filter: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("read the diff filter: something follows the JSON value")
	}
	return &f, f.validate()
}

func (f DiffFilter) validate() error {
	for _, op := range f.Ops {
		if kappOps(op) == nil {
			return fmt.Errorf("diff filter: unknown operation %q: wanted add, update, delete, keep, exists or noop", op)
		}
	}
	for _, r := range []*ResourceFilter{f.NewResource, f.ExistingResource} {
		if r == nil {
			continue
		}
		for _, l := range r.Labels {
			if _, err := labels.Parse(l); err != nil {
				return fmt.Errorf("diff filter: label selector %q: %w", l, err)
			}
		}
	}
	for _, sub := range slices.Concat(f.And, f.Or) {
		if err := sub.validate(); err != nil {
			return err
		}
	}
	if f.Not != nil {
		return f.Not.validate()
	}
	return nil
}

// kappOps translates kapp's words for operations; nil for an unknown one.
func kappOps(word string) []Op {
	switch word {
	case "add", "create":
		return []Op{OpCreate}
	case "update":
		return []Op{OpUpdate, OpAdopt, OpReplace, OpRefuse, OpBlocked}
	case "delete":
		return []Op{OpDelete}
	case "keep", "exists", "noop":
		return []Op{OpNone}
	default:
		return nil
	}
}

func (f DiffFilter) matches(o ObjectReport) bool {
	for _, sub := range f.And {
		if !sub.matches(o) {
			return false
		}
	}
	if len(f.Or) > 0 && !slices.ContainsFunc(f.Or, func(s DiffFilter) bool { return s.matches(o) }) {
		return false
	}
	if f.Not != nil && f.Not.matches(o) {
		return false
	}
	if len(f.Ops) > 0 && !slices.ContainsFunc(f.Ops, func(w string) bool { return slices.Contains(kappOps(w), o.Op) }) {
		return false
	}
	if f.NewResource != nil && (o.Op == OpDelete || !f.NewResource.matches(o)) {
		return false
	}
	return f.ExistingResource == nil || (o.Op != OpCreate && f.ExistingResource.matches(o))
}

func (f ResourceFilter) matches(o ObjectReport) bool {
	any := func(patterns []string, text string) bool {
		return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return glob(p, text) })
	}
	return any(f.Kinds, o.Kind) && any(f.Namespaces, o.Namespace) && any(f.Names, o.Name) &&
		any(f.KindNames, o.Kind+"/"+o.Name) && any(f.KindNamespaces, o.Kind+"/"+o.Namespace) &&
		any(f.KindNsNames, o.Kind+"/"+o.Namespace+"/"+o.Name) && f.matchesLabels(o)
}

func (f ResourceFilter) matchesLabels(o ObjectReport) bool {
	if len(f.Labels) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Labels, func(text string) bool {
		selector, err := labels.Parse(text)
		return err == nil && selector.Matches(labels.Set(o.Labels))
	})
}
