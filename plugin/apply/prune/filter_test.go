package prune

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFirst(t *testing.T) {
	c := candidate(t, `{apiVersion: v1, kind: Namespace, metadata: {name: a, annotations: {helm.sh/resource-policy: keep}}}`)
	assert.Equal(t, "keep-annotation", First(DefaultFilters(false), c).Filter, "the first one decides")
	assert.Nil(t, First(nil, c))
	assert.Nil(t, First(DefaultFilters(false), candidate(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}`)))
}

func TestFiltersHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range append(append(DefaultFilters(false), EntryFilters(nil, "", nil, false)...), Incomplete{}, OverLimit{}) {
		assert.NotEmpty(t, f.Name())
		assert.False(t, seen[f.Name()], f.Name())
		seen[f.Name()] = true
	}
}
