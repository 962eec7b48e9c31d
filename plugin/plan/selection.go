package plan

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
)

// Selection narrows a report to some of its objects. The zero value selects
// all. A report that was narrowed counts, and answers Differs, for what is left
// of it, so that text and exit code agree.
type Selection struct {
	Ops   []Op
	Kinds []string // without regard to case; "deployment" or "deployment.apps"
	Names []string // * matches any text
	// Labels selects by the labels of the wanted object, of the live one for
	// deletions.
	Labels labels.Selector
	// Filter is kapp's --diff-filter; nil selects all.
	Filter *DiffFilter
}

// Empty reports whether everything is selected.
func (s Selection) Empty() bool {
	return len(s.Ops) == 0 && len(s.Kinds) == 0 && len(s.Names) == 0 && s.Filter == nil &&
		(s.Labels == nil || s.Labels.Empty())
}

// Select returns the report of the selected objects. Leftovers and records
// stand for no object of the files: a narrowed report has none of them.
func (r *Report) Select(s Selection) *Report {
	if s.Empty() {
		return r
	}
	out := *r
	out.Objects = slices.DeleteFunc(slices.Clone(r.Objects), func(o ObjectReport) bool { return !s.selects(o) })
	out.Leftover, out.RecordOnly = nil, nil
	out.Summary = summarise(&out)
	return &out
}

func (s Selection) selects(o ObjectReport) bool {
	return (len(s.Ops) == 0 || slices.Contains(s.Ops, o.Op)) &&
		(len(s.Kinds) == 0 || slices.ContainsFunc(s.Kinds, o.isKind)) &&
		(len(s.Names) == 0 || slices.ContainsFunc(s.Names, func(n string) bool { return glob(n, o.Name) })) &&
		(s.Labels == nil || s.Labels.Matches(labels.Set(o.Labels))) &&
		(s.Filter == nil || s.Filter.matches(o))
}

// isKind compares with kubectl's forms Kind and kind.group, and with the words that
// the cluster has for the kind: deployments, deploy.
func (o ObjectReport) isKind(want string) bool {
	kind, group, qualified := strings.Cut(want, ".")
	have, _, grouped := strings.Cut(o.APIVersion, "/")
	if !grouped {
		have = ""
	}
	called := strings.EqualFold(kind, o.Kind) || kind != "" && slices.ContainsFunc(o.names, func(n string) bool { return strings.EqualFold(kind, n) })
	return called && (!qualified || strings.EqualFold(group, have))
}

// glob matches a text against a pattern in which * and % stand for any text.
func glob(pattern, text string) bool {
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' || r == '%' })
	if len(parts) == 0 {
		return pattern != "" || text == ""
	}
	anchored := func(i int) bool { return strings.ContainsRune("*%", rune(pattern[i])) }
	if !anchored(0) {
		if !strings.HasPrefix(text, parts[0]) {
			return false
		}
		text, parts = text[len(parts[0]):], parts[1:]
	}
	for i, part := range parts {
		if i == len(parts)-1 && !anchored(len(pattern)-1) {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return anchored(len(pattern)-1) || text == ""
}
