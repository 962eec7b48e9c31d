package config

import (
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// MatcherType says what a ResourceMatcher looks at.
type MatcherType string

// The matchers, by the name they have in a document.
const (
	MatchAll               MatcherType = "allMatcher"
	MatchAny               MatcherType = "anyMatcher"
	MatchEach              MatcherType = "andMatcher"
	MatchNot               MatcherType = "notMatcher"
	MatchAPIGroupKind      MatcherType = "apiGroupKindMatcher"
	MatchAPIVersionKind    MatcherType = "apiVersionKindMatcher"
	MatchKindNamespaceName MatcherType = "kindNamespaceNameMatcher"
	MatchAnnotations       MatcherType = "hasAnnotationMatcher"
	MatchNamespace         MatcherType = "hasNamespaceMatcher"
	MatchCustomResource    MatcherType = "customResourceMatcher"
	MatchEmptyField        MatcherType = "emptyFieldMatcher"
)

// ResourceMatcher chooses objects. Which fields are set depends on Type.
type ResourceMatcher struct {
	Type MatcherType
	// Matchers are the inner ones of MatchAny and MatchEach, at least one; for
	// MatchNot exactly one.
	Matchers []ResourceMatcher
	// APIGroup ("" is the core group) belongs to MatchAPIGroupKind, APIVersion to
	// MatchAPIVersionKind, Kind to both and to MatchKindNamespaceName.
	APIGroup, APIVersion, Kind string
	// Namespace ("" for cluster-scoped objects) and Name belong to
	// MatchKindNamespaceName.
	Namespace, Name string
	// Keys are the annotations that MatchAnnotations wants, all of them.
	Keys []string
	// Names are the namespaces of MatchNamespace; empty means any but none.
	Names []string
	// Path is the field of MatchEmptyField.
	Path RulePath
}

// matcherKind is how one type of matcher is read.
type matcherKind struct {
	name MatcherType
	read func(r *kappReader, n *yaml.Node, at string, m *ResourceMatcher)
}

// matcherKinds lists all matchers, in the order in which messages name them.
func matcherKinds() []matcherKind {
	return []matcherKind{
		{MatchAll, (*kappReader).nothingInside},
		{MatchAny, (*kappReader).innerMatchers},
		{MatchEach, (*kappReader).innerMatchers},
		{MatchNot, (*kappReader).innerMatcher},
		{MatchAPIGroupKind, (*kappReader).apiGroupKind},
		{MatchAPIVersionKind, (*kappReader).apiVersionKind},
		{MatchKindNamespaceName, (*kappReader).kindNamespaceName},
		{MatchAnnotations, (*kappReader).annotationKeys},
		{MatchNamespace, (*kappReader).namespaceNames},
		{MatchCustomResource, (*kappReader).nothingInside},
		{MatchEmptyField, (*kappReader).emptyField},
	}
}

// matchers reads a list of matchers.
func (r *kappReader) matchers(n *yaml.Node, at string) []ResourceMatcher {
	var all []ResourceMatcher
	r.list(n, at, func(v *yaml.Node, at string) { all = append(all, r.matcher(v, at)) })
	return all
}

// deepestMatcher bounds matchers in matchers. By an alias one may stand in itself.
const deepestMatcher = 30

// matcher reads one matcher: a mapping with exactly one key.
func (r *kappReader) matcher(n *yaml.Node, at string) ResourceMatcher {
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > deepestMatcher {
		r.found(n.Line, at, "more than %d matchers in each other", deepestMatcher)
		return ResourceMatcher{}
	}
	var m ResourceMatcher
	var met []string
	kinds := matcherKinds()
	fields := make([]field, 0, len(kinds))
	for _, k := range kinds {
		fields = append(fields, field{string(k.name), func(v *yaml.Node, at string) {
			met = append(met, string(k.name))
			m = ResourceMatcher{Type: k.name}
			k.read(r, v, at, &m)
		}})
	}
	before := len(r.findings)
	r.mapping(n, at, append(fields, r.oldName("allResourceMatcher", MatchAll)))
	if len(r.findings) > before {
		return m
	}
	switch len(met) {
	case 0:
		r.found(n.Line, at, "no matcher; known: %s", strings.Join(keys(fields), ", "))
	case 1:
	default:
		r.found(n.Line, at, "wanted one matcher, found %s; to have several, put them into an anyMatcher or andMatcher",
			strings.Join(met, " and "))
	}
	return m
}

// oldName is a matcher that has another name.
func (r *kappReader) oldName(name string, now MatcherType) field {
	return field{name, func(v *yaml.Node, at string) { r.found(v.Line, at, "this matcher is called %s now", now) }}
}

func (r *kappReader) nothingInside(n *yaml.Node, at string, _ *ResourceMatcher) {
	r.mapping(n, at, nil)
}

func (r *kappReader) innerMatchers(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"matchers", func(v *yaml.Node, at string) { m.Matchers = r.matchers(v, at) }},
	}, func() []string { return absent("matchers", len(m.Matchers) == 0) })
}

func (r *kappReader) innerMatcher(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"matcher", func(v *yaml.Node, at string) { m.Matchers = []ResourceMatcher{r.matcher(v, at)} }},
	}, func() []string { return absent("matcher", len(m.Matchers) == 0) })
}

func (r *kappReader) apiGroupKind(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"apiGroup", func(v *yaml.Node, at string) { m.APIGroup = r.text(v, at) }},
		{"kind", func(v *yaml.Node, at string) { m.Kind = r.text(v, at) }},
	}, func() []string { return absent("kind", m.Kind == "") })
}

func (r *kappReader) apiVersionKind(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"apiVersion", func(v *yaml.Node, at string) { m.APIVersion = r.text(v, at) }},
		{"kind", func(v *yaml.Node, at string) { m.Kind = r.text(v, at) }},
	}, func() []string {
		return slices.Concat(absent("apiVersion", m.APIVersion == ""), absent("kind", m.Kind == ""))
	})
}

func (r *kappReader) kindNamespaceName(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"kind", func(v *yaml.Node, at string) { m.Kind = r.text(v, at) }},
		{"namespace", func(v *yaml.Node, at string) { m.Namespace = r.text(v, at) }},
		{"name", func(v *yaml.Node, at string) { m.Name = r.text(v, at) }},
	}, func() []string {
		return slices.Concat(absent("kind", m.Kind == ""), absent("name", m.Name == ""))
	})
}

func (r *kappReader) annotationKeys(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"keys", func(v *yaml.Node, at string) { m.Keys = r.texts(v, at) }},
	}, func() []string { return absent("keys", len(m.Keys) == 0) })
}

func (r *kappReader) namespaceNames(n *yaml.Node, at string, m *ResourceMatcher) {
	r.mapping(n, at, []field{
		{"names", func(v *yaml.Node, at string) { m.Names = r.texts(v, at) }},
	})
}

func (r *kappReader) emptyField(n *yaml.Node, at string, m *ResourceMatcher) {
	r.strict(n, at, []field{
		{"path", func(v *yaml.Node, at string) { m.Path = r.path(v, at, pathUse{}) }},
	}, func() []string { return absent("path", len(m.Path) == 0) })
}
