package object

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRefString(t *testing.T) {
	for want, ref := range map[string]Ref{
		"Deployment.apps default/web":                 {Group: "apps", Kind: "Deployment", Namespace: "default", Name: "web"},
		"ConfigMap default/a":                         {Kind: "ConfigMap", Namespace: "default", Name: "a"},
		"ClusterRole.rbac.authorization.k8s.io admin": {Group: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "admin"},
		"ConfigMap homeless":                          {Kind: "ConfigMap", Name: "homeless"},
	} {
		assert.Equal(t, want, ref.String())
	}
	assert.Equal(t, schema.GroupKind{Group: "apps", Kind: "Deployment"}, Ref{Group: "apps", Kind: "Deployment"}.GroupKind())
}

func TestCompareRefs(t *testing.T) {
	sorted := []Ref{
		{Kind: "ConfigMap", Name: "z"},
		{Kind: "ConfigMap", Namespace: "a", Name: "b"},
		{Kind: "ConfigMap", Namespace: "b", Name: "a"},
		{Kind: "Secret", Namespace: "a", Name: "a"},
		{Group: "apps", Kind: "Deployment", Namespace: "a", Name: "a"},
	}
	shuffled := []Ref{sorted[3], sorted[1], sorted[4], sorted[0], sorted[2]}
	slices.SortFunc(shuffled, CompareRefs)
	assert.Equal(t, sorted, shuffled)
	assert.Zero(t, CompareRefs(sorted[0], sorted[0]))
}

func TestObjectNamesItself(t *testing.T) {
	o := Object{Body: decode(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"default","annotations":{"a":"b","n":1}}}`)}
	assert.Equal(t, Ref{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "web"}, o.Ref())
	assert.Equal(t, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, o.GVK())
	assert.Equal(t, "default", o.Namespace())
	assert.Equal(t, "web", o.Name())
	assert.Equal(t, "b", o.Annotation("a"))
	assert.Empty(t, o.Annotation("n"), "no text")
	assert.Empty(t, o.Annotation("missing"))
	assert.Equal(t, "web", o.Unstructured().GetName())

	assert.Equal(t, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, Object{Body: decode(t, `{"apiVersion":"v1","kind":"Pod"}`)}.GVK())
	assert.Zero(t, Object{}.Ref())
	assert.Zero(t, Object{Body: decode(t, `{"apiVersion":1,"kind":[],"metadata":"x"}`)}.Ref(), "odd shapes have no name")
}

func TestObjectIdentityIgnoresTheVersion(t *testing.T) { // case I01
	set := loadCase(t, "I01/two-versions.yaml")
	assert.Equal(t, set.Objects[0].Ref(), set.Objects[1].Ref())
	assert.NotEqual(t, set.Objects[0].GVK(), set.Objects[1].GVK())
}

func TestDeepCopySharesNothing(t *testing.T) {
	o := Object{Body: decode(t, `{"a":{"b":[{"c":1}]}}`), Origin: Origin{File: "f", Document: 1, Line: 1}}
	c := o.DeepCopy()
	assert.Equal(t, o, c)
	field(c.Body, "a").(map[string]any)["b"].([]any)[0].(map[string]any)["c"] = int64(2)
	assert.Equal(t, decode(t, `{"a":{"b":[{"c":1}]}}`), o.Body)
	assert.Nil(t, Object{}.DeepCopy().Body)
}

func TestOriginAndWarningStrings(t *testing.T) {
	assert.Equal(t, "a.yaml: document 2, line 14", Origin{File: "a.yaml", Document: 2, Line: 14}.String())
	assert.Equal(t, "a.yaml: line 14", Origin{File: "a.yaml", Line: 14}.String())
	assert.Equal(t, "a.yaml", Origin{File: "a.yaml"}.String())

	ref := Ref{Kind: "ConfigMap", Name: "a"}
	assert.Equal(t, "a.yaml: document 1: ConfigMap a: odd", Warning{Origin: Origin{File: "a.yaml", Document: 1}, Ref: &ref, Text: "odd"}.String())
	assert.Equal(t, "odd", Warning{Text: "odd"}.String())
}

func TestLoadErrorIsBounded(t *testing.T) {
	e := &LoadError{}
	for i := range 25 {
		e.Findings = append(e.Findings, Finding{Origin: Origin{File: "f", Line: i + 1}, Key: "a.b", Text: "odd"})
	}
	assert.Contains(t, e.Error(), "25 problems:\n  f: line 1: odd (a.b)\n")
	assert.Contains(t, e.Error(), "f: line 20: odd (a.b)\n  and 5 more")
	assert.NotContains(t, e.Error(), "line 21")
	assert.Equal(t, "text", Finding{Text: "text"}.String())
}
