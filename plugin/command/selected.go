package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// selected narrows a report. Words that fit none of its objects are an error, for
// they are more likely misspelt than meant; that no object has an operation is an
// answer.
func selected(r *plan.Report, s plan.Selection) (*plan.Report, error) {
	s.Kinds = singular(r, s.Kinds)
	if err := checkSelection(r, s); err != nil {
		return nil, err
	}
	return r.Select(s), nil
}

// checkSelection looks at each word alone and then at all together.
func checkSelection(r *plan.Report, s plan.Selection) error {
	type part struct {
		what string
		plan.Selection
	}
	var parts []part
	for _, k := range s.Kinds {
		parts = append(parts, part{fmt.Sprintf("the kind %q", k), plan.Selection{Kinds: []string{k}}})
	}
	for _, n := range s.Names {
		parts = append(parts, part{fmt.Sprintf("the name %q", n), plan.Selection{Names: []string{n}}})
	}
	if s.Labels != nil {
		parts = append(parts, part{fmt.Sprintf("the labels %q", s.Labels), plan.Selection{Labels: s.Labels}})
	}
	if len(parts) == 0 {
		return nil
	}
	parts = append(parts, part{"all of the wanted kind, name and labels", plan.Selection{Kinds: s.Kinds, Names: s.Names, Labels: s.Labels}})
	for _, p := range parts {
		if len(r.Select(p.Selection).Objects) == 0 {
			return errors.New("no object of the plan has " + p.what + "; " + kindsOf(r))
		}
	}
	return nil
}

// kindsOf is a clause that lists the kinds of a plan.
func kindsOf(r *plan.Report) string {
	var kinds []string
	for _, o := range r.Objects {
		kinds = append(kinds, o.Kind)
	}
	if len(kinds) == 0 {
		return "it has no objects"
	}
	slices.Sort(kinds)
	return "there are: " + strings.Join(slices.Compact(kinds), ", ")
}

// singular replaces the plurals of the plan's kinds, as kubectl takes them:
// "deployments", "networkpolicies.networking.k8s.io".
func singular(r *plan.Report, kinds []string) []string {
	plurals := map[string]string{}
	for _, o := range r.Objects {
		resource, _ := meta.UnsafeGuessKindToResource(schema.FromAPIVersionAndKind(o.APIVersion, o.Kind))
		plurals[resource.Resource] = o.Kind
	}
	out := make([]string, 0, len(kinds))
	for _, k := range kinds {
		word, group, grouped := strings.Cut(k, ".")
		if kind, ok := plurals[strings.ToLower(word)]; ok {
			word = kind
		}
		if grouped {
			word += "." + group
		}
		out = append(out, word)
	}
	return out
}
