package api

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// schemaOf is the schema of a definition.
func schemaOf(t *testing.T, crd *unstructured.Unstructured) map[string]any {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	require.NoError(t, err)
	require.Len(t, versions, 1)
	version, isMap := versions[0].(map[string]any)
	require.True(t, isMap)
	schema, found, err := unstructured.NestedMap(version, "schema", "openAPIV3Schema")
	require.NoError(t, err)
	require.True(t, found)
	return schema
}

// types are the kinds with their Go types.
func types() map[string]reflect.Type {
	return map[string]reflect.Type{
		KindApplication: reflect.TypeFor[Application](), KindApplicationPackage: reflect.TypeFor[ApplicationPackage](),
		KindApplicationPackageVersion: reflect.TypeFor[ApplicationPackageVersion](), KindModule: reflect.TypeFor[Module](),
		KindPackageRepository: reflect.TypeFor[PackageRepository](), KindPackageRepositoryOperation: reflect.TypeFor[PackageRepositoryOperation](),
	}
}

func TestTypesAndDefinitionsAgree(t *testing.T) {
	crds, err := CRDs()
	require.NoError(t, err)
	scheme := runtime.NewScheme()
	AddToScheme(scheme)
	seen := 0
	for _, crd := range crds {
		kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
		of, ok := types()[kind]
		require.True(t, ok, kind)
		assert.True(t, scheme.Recognizes(GroupVersion().WithKind(kind)), kind)
		assert.True(t, scheme.Recognizes(GroupVersion().WithKind(kind+"List")), kind)
		agree(t, kind, of, schemaOf(t, crd))
		seen++
	}
	assert.Equal(t, len(types()), seen)
}

// agree holds a Go type and a schema together.
func agree(t *testing.T, path string, of reflect.Type, schema map[string]any) {
	t.Helper()
	assert.NotEmpty(t, schema["description"], "%s: nobody says what it is", path)
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	want := ""
	switch of {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.Duration]():
		assert.Equal(t, "string", schema["type"], path)
		return
	case reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[Tracking]():
		assert.Equal(t, true, schema["x-kubernetes-preserve-unknown-fields"], path)
		return
	}
	switch of.Kind() { //nolint:exhaustive // the others are in no kind of ours
	case reflect.String:
		want = "string"
	case reflect.Int, reflect.Int64:
		want = "integer"
	case reflect.Bool:
		want = "boolean"
	case reflect.Slice:
		want = "array"
		items, isMap := schema["items"].(map[string]any)
		require.True(t, isMap, path)
		agree(t, path+"[]", of.Elem(), items)
	case reflect.Map:
		want = "object"
		values, isMap := schema["additionalProperties"].(map[string]any)
		require.True(t, isMap, path)
		agree(t, path+"{}", of.Elem(), values)
	case reflect.Struct:
		want = "object"
		agreeFields(t, path, of, schema)
	}
	assert.Equal(t, want, schema["type"], path)
}

func agreeFields(t *testing.T, path string, of reflect.Type, schema map[string]any) {
	t.Helper()
	properties, isMap := schema["properties"].(map[string]any)
	require.True(t, isMap, path)
	seen := map[string]bool{}
	for i := range of.NumField() {
		name, option, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "metadata" || option == "inline" {
			continue
		}
		seen[name] = true
		property, isMap := properties[name].(map[string]any)
		if assert.True(t, isMap, "%s.%s is in no schema", path, name) {
			agree(t, path+"."+name, of.Field(i).Type, property)
		}
	}
	for name := range properties {
		assert.True(t, seen[name], "%s.%s is in no type", path, name)
	}
	required, _, err := unstructured.NestedStringSlice(schema, "required")
	require.NoError(t, err)
	for _, name := range required {
		assert.True(t, seen[name], "%s requires %s, which isn't there", path, name)
	}
}

func TestInstanceNames(t *testing.T) {
	assert.Equal(t, "demo.shop", InstanceName("demo", "shop"))
	namespace, name, ok := SplitInstanceName("demo.shop")
	assert.Equal(t, []any{"demo", "shop", true}, []any{namespace, name, ok})
	for _, text := range []string{"", "demo", "demo.", ".shop", "a.b.c"} {
		_, _, ok := SplitInstanceName(text)
		assert.False(t, ok, text)
	}
	assert.Equal(t, "main-store-v1.0.0", VersionName("main", "store", "v1.0.0"))
}

// The shape of status.tracking is read by programs (complaint D#23190).
func TestComplaint19ShapeOfTracking(t *testing.T) {
	encoded, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&Application{Status: ApplicationStatus{Tracking: &Tracking{
		Completed: 1, Remaining: 1,
		Report: TrackingReport{Operations: []Operation{{
			Group: "apps", Version: "v1", Kind: "Deployment", Name: "d8a-web", Namespace: "demo", Type: "create", Iteration: 0,
			ID: "create/1", Category: CategoryResource, Status: OperationCompleted, DependsOn: []string{"create/0"},
		}}},
	}}})
	require.NoError(t, err)
	tracking, _, _ := unstructured.NestedMap(encoded, "status", "tracking")
	assert.Equal(t, map[string]any{
		"completed": int64(1), "remaining": int64(1),
		"report": map[string]any{"operations": []any{map[string]any{
			"group": "apps", "version": "v1", "kind": "Deployment", "name": "d8a-web", "namespace": "demo", "type": "create",
			"iteration": int64(0), "id": "create/1", "category": "resource", "status": "Completed", "dependsOn": []any{"create/0"},
		}}},
	}, tracking)
}
