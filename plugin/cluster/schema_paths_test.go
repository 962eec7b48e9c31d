package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Only the server's own word makes an update one that may be rehearsed, and it
// survives the reduced copy on disk.
func TestRehearsable(t *testing.T) {
	const document = `{
		"paths": {
			"/apis/g/v1/a/{name}": {"put": {"x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "A"}, "parameters": [{"name": "dryRun"}, {"name": "fieldManager"}]}},
			"/apis/g/v1/b/{name}": {"put": {"x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "B"}}, "parameters": [{"name": "dryRun"}]},
			"/apis/g/v1/c/{name}": {"put": {"x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "C"}, "parameters": [{"name": "pretty"}]}},
			"/apis/g/v1/d/{name}": {"put": {"x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "D"}, "parameters": [{"name": "dryRun"}]}},
			"/apis/g/v1/d/{name}/status": {"put": {"x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "D"}}},
			"/apis/g/v1/e/{name}": {"patch": {"x-kubernetes-group-version-kind": {"group": "g", "version": "v1", "kind": "E"}, "parameters": [{"name": "dryRun"}]}},
			"/apis/g/v1/": {"get": {}}
		},
		"components": {"schemas": {}}
	}`
	want := []groupVersionKind{{"g", "v1", "A"}, {"g", "v1", "B"}}
	doc, err := parseDocument([]byte(document))
	require.NoError(t, err)
	require.Equal(t, want, doc.rehearsed)
	reduced, err := doc.reduced()
	require.NoError(t, err)
	again, err := parseDocument(reduced)
	require.NoError(t, err)
	require.Equal(t, want, again.rehearsed)
}

func TestOnlyPut(t *testing.T) {
	tests := map[string]struct {
		verbs []string
		want  bool
	}{
		"all verbs":     {[]string{"get", "list", "create", "update", "patch", "delete"}, false},
		"no patch":      {[]string{"get", "list", "create", "update", "delete"}, true},
		"nothing known": {nil, false},
		"read only":     {[]string{"get", "list"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := Mapping{Verbs: sets.New(tt.verbs...)}
			require.Equal(t, tt.want, m.OnlyPut())
		})
	}
}
