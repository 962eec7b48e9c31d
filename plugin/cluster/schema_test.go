package cluster

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func readSchema(t *testing.T, file string, gvk schema.GroupVersionKind) *Schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(t, err)
	s, err := ParseSchema(data, gvk)
	require.NoError(t, err)
	require.NotNil(t, s)
	return s
}

func deploymentSchema(t *testing.T) *Schema {
	return readSchema(t, "openapi-apps-v1.json", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"})
}

func gadgetSchema(t *testing.T) *Schema {
	return readSchema(t, "openapi-gadget-v1.json", schema.GroupVersionKind{Group: "schema.demo.example", Version: "v1", Kind: "Gadget"})
}

// at walks fields; "[]" steps into a list's items.
func at(s *Schema, path ...string) *Schema {
	for _, p := range path {
		if p == "[]" {
			s = s.Item()
			continue
		}
		s = s.Field(p)
	}
	return s
}

func TestSchemaOfBuiltInKind(t *testing.T) {
	s := deploymentSchema(t)
	podSpec := at(s, "spec", "template", "spec")
	require.True(t, podSpec.Known())

	containers := podSpec.Field("containers")
	assert.Equal(t, ListMap, containers.ListType())
	assert.Equal(t, []string{"name"}, containers.ListMapKeys())
	assert.Empty(t, containers.KeyDefault("name"), "the server gives required keys their zero value")

	ports := at(containers, "[]", "ports")
	assert.Equal(t, []string{"containerPort", "protocol"}, ports.ListMapKeys())
	assert.Equal(t, "TCP", ports.KeyDefault("protocol"))

	assert.Equal(t, ListAtomic, at(containers, "[]", "args").ListType())
	assert.Equal(t, ListAtomic, podSpec.Field("tolerations").ListType())
	assert.Equal(t, ListSet, at(s, "metadata", "finalizers").ListType())
	assert.Equal(t, []string{"uid"}, at(s, "metadata", "ownerReferences").ListMapKeys())

	limit := at(containers, "[]", "resources", "limits", "example.com/anything")
	assert.True(t, limit.IsQuantity())
	assert.False(t, at(containers, "[]", "image").IsQuantity())
	assert.True(t, at(podSpec, "volumes", "[]", "emptyDir", "sizeLimit").IsQuantity())

	surge := at(s, "spec", "strategy", "rollingUpdate", "maxSurge")
	assert.True(t, surge.IsIntOrString())
	assert.False(t, at(s, "spec", "replicas").IsIntOrString())

	assert.True(t, at(s, "spec", "selector").MapAtomic())
	assert.True(t, podSpec.Field("nodeSelector").MapAtomic())
	assert.False(t, at(s, "metadata", "labels").MapAtomic())

	assert.Equal(t, "string", at(s, "metadata", "labels", "any/key").Type(), "labels are a map of strings")
	assert.Equal(t, "integer", at(s, "spec", "replicas").Type())
	assert.False(t, at(s, "spec", "replicas").Nullable())
	assert.Nil(t, at(s, "spec", "nonsense"))
	assert.Nil(t, at(s, "metadata", "labels", "a", "deeper"))
}

func TestSchemaOfCustomKind(t *testing.T) {
	spec := gadgetSchema(t).Field("spec")
	assert.True(t, spec.Field("maybe").Nullable())
	assert.False(t, spec.Field("big").Nullable())
	assert.True(t, spec.Field("port").IsIntOrString())
	assert.Equal(t, ListSet, spec.Field("tags").ListType())
	assert.Equal(t, ListAtomic, spec.Field("plain").ListType())

	endpoints := spec.Field("endpoints")
	assert.Equal(t, ListMap, endpoints.ListType())
	assert.Equal(t, []string{"port", "protocol"}, endpoints.ListMapKeys())
	assert.Equal(t, "TCP", endpoints.KeyDefault("protocol"))
	assert.Nil(t, endpoints.KeyDefault("port"))

	assert.True(t, spec.Field("whole").MapAtomic())
	assert.True(t, spec.Field("free").PreserveUnknown())
	assert.Nil(t, at(spec, "free", "anything"))
	assert.Equal(t, "string", at(spec, "tree", "oak", "leaf").Type())
	assert.Equal(t, ListSet, at(gadgetSchema(t), "metadata", "finalizers").ListType())
}

func TestUnknownSchemaAnswersEverything(t *testing.T) {
	var s *Schema
	assert.False(t, s.Known())
	assert.Nil(t, s.Field("a"))
	assert.Nil(t, s.Item())
	assert.Equal(t, ListAtomic, s.ListType())
	assert.Nil(t, s.ListMapKeys())
	assert.Nil(t, s.KeyDefault("a"))
	assert.Nil(t, s.Default())
	assert.Empty(t, s.Type())
	for _, is := range []func() bool{s.MapAtomic, s.IsQuantity, s.IsIntOrString, s.Nullable, s.PreserveUnknown} {
		assert.False(t, is())
	}
}

func TestParseSchemaWithoutTheKind(t *testing.T) {
	data, err := os.ReadFile("testdata/openapi-apps-v1.json")
	require.NoError(t, err)
	s, err := ParseSchema(data, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"})
	require.NoError(t, err)
	assert.Nil(t, s)

	s, err = ParseSchema(data, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DeleteOptions"})
	require.NoError(t, err)
	assert.Nil(t, s, "options are no kinds")
}

// Documents that no server should send, but some extension server will.
func TestParseSchemaOddities(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "g", Version: "v", Kind: "K"}
	const mark = `"x-kubernetes-group-version-kind":[{"group":"g","version":"v","kind":"K"}]`
	parse := func(t *testing.T, k, more string) *Schema {
		t.Helper()
		s, err := ParseSchema([]byte(`{"components":{"schemas":{"K":{`+mark+k+`}`+more+`}}}`), gvk)
		require.NoError(t, err)
		return s
	}
	t.Run("references in a circle", func(t *testing.T) {
		s := parse(t, `,"properties":{"a":{"$ref":"#/components/schemas/X"}}`,
			`,"X":{"$ref":"#/components/schemas/Y"},"Y":{"$ref":"#/components/schemas/X"}`)
		assert.Nil(t, s.Field("a"))
	})
	t.Run("a type that contains itself", func(t *testing.T) {
		s := parse(t, `,"properties":{"a":{"$ref":"#/components/schemas/K"}}`, "")
		assert.True(t, at(s, "a", "a", "a", "a").Known())
	})
	t.Run("a reference to nothing", func(t *testing.T) {
		s := parse(t, `,"properties":{"a":{"$ref":"#/components/schemas/Gone"}}`, "")
		assert.Nil(t, s.Field("a"))
	})
	t.Run("a definition that is no schema", func(t *testing.T) {
		s := parse(t, `,"properties":{"a":{"$ref":"#/components/schemas/Odd"}}`, `,"Odd":{"properties":[1]}`)
		assert.Nil(t, s.Field("a"))
	})
	t.Run("additionalProperties as a boolean", func(t *testing.T) {
		s := parse(t, `,"properties":{"a":{"type":"object","additionalProperties":true}}`, "")
		assert.True(t, s.Field("a").Known())
		assert.Nil(t, at(s, "a", "b"))
	})
	t.Run("several parts in allOf", func(t *testing.T) {
		s := parse(t, `,"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"integer"}}}]`, "")
		assert.Equal(t, "string", s.Field("a").Type())
		assert.Equal(t, "integer", s.Field("b").Type())
	})
	t.Run("what stands beside allOf wins", func(t *testing.T) {
		s := parse(t, `,"properties":{"a":{"default":5,"allOf":[{"$ref":"#/components/schemas/N"}]}}`,
			`,"N":{"type":"integer","default":1}`)
		assert.Equal(t, int64(5), s.Field("a").Default())
		assert.Equal(t, "integer", s.Field("a").Type())
	})
	t.Run("not JSON", func(t *testing.T) {
		_, err := ParseSchema([]byte(`<html>`), gvk)
		require.ErrorContains(t, err, "OpenAPI v3")
	})
	t.Run("empty", func(t *testing.T) {
		s, err := ParseSchema([]byte(`{}`), gvk)
		require.NoError(t, err)
		assert.Nil(t, s)
	})
}

// The copy on disk must answer like the original, node by node.
func TestReducedDocumentSaysTheSame(t *testing.T) {
	for _, file := range []string{"openapi-apps-v1.json", "openapi-gadget-v1.json"} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", file))
			require.NoError(t, err)
			full, err := parseDocument(data)
			require.NoError(t, err)
			small, err := full.reduced()
			require.NoError(t, err)
			again, err := parseDocument(small)
			require.NoError(t, err)

			assert.Equal(t, full.kinds, again.kinds)
			require.Len(t, again.definitions, len(full.definitions))
			for name := range full.definitions {
				want, got := full.definition(name), again.definition(name)
				assert.JSONEq(t, asJSON(t, want), asJSON(t, got), name)
			}
		})
	}
}

// asJSON shows a node with its additionalProperties decoded, without the raw copy.
func asJSON(t *testing.T, n *schemaNode) string {
	t.Helper()
	require.NoError(t, n.reduce())
	data, err := json.Marshal(n)
	require.NoError(t, err)
	return string(data)
}

func FuzzParseSchema(f *testing.F) {
	for _, file := range []string{"openapi-apps-v1.json", "openapi-gadget-v1.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		require.NoError(f, err)
		f.Add(data)
	}
	f.Add([]byte(`{"components":{"schemas":{"K":{"x-kubernetes-group-version-kind":[{"kind":"K"}],"items":{"items":null}}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := parseDocument(data)
		if err != nil {
			return
		}
		for gvk := range doc.kinds {
			s := doc.kind(gvk)
			at(s, "spec", "a", "[]", "b").KeyDefault("c")
			s.Item().ListMapKeys()
		}
		if _, err := doc.reduced(); err != nil {
			t.Errorf("a document that was read can't be written: %v", err)
		}
	})
}
