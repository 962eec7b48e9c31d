package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestProtectedKinds(t *testing.T) {
	f := ProtectedKinds{Kinds: DefaultProtectedKinds()}
	for ref, protected := range map[object.Ref]bool{
		{Kind: "Namespace", Name: "a"}:                                                  true,
		{Kind: "PersistentVolume", Name: "a"}:                                           true,
		{Kind: "PersistentVolumeClaim", Namespace: "x", Name: "a"}:                      true,
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: "a.b"}:  true,
		{Group: "demo.example", Kind: "Namespace", Name: "a"}:                           false,
		{Kind: "ConfigMap", Namespace: "x", Name: "a"}:                                  false,
		{Group: "apps", Kind: "StatefulSet", Namespace: "x", Name: "PersistentVolumes"}: false,
	} {
		got := f.Keep(Candidate{Ref: ref})
		assert.Equal(t, protected, got != nil, ref)
		if got != nil {
			assert.True(t, got.Refused, "the user can allow it")
			assert.Contains(t, got.Reason, "--prune-protected")
		}
	}
	assert.Contains(t, ProtectedKinds{Kinds: []schema.GroupKind{{Kind: "Thing"}}}.Keep(Candidate{Ref: object.Ref{Kind: "Thing"}}).Reason, "kind Thing are protected")
}

func TestDefaultFiltersLetProtectedKindsThroughOnRequest(t *testing.T) {
	ns := Candidate{Ref: object.Ref{Kind: "Namespace", Name: "a"}}
	assert.Equal(t, "protected-kind", First(DefaultFilters(false), ns).Filter)
	assert.Nil(t, First(DefaultFilters(true), ns))
}
