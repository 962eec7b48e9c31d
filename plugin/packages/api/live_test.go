package api

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// live has the definitions in the control plane that the environment names.
func live(t *testing.T) dynamic.Interface {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	require.NoError(t, err)
	c, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	crds, err := CRDs()
	require.NoError(t, err)
	definitions := c.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, crd := range crds {
		_, err := definitions.Apply(t.Context(), crd.GetName(), crd, metav1.ApplyOptions{FieldManager: "tazuna-packages", Force: true})
		require.NoError(t, err, crd.GetName())
	}
	for _, crd := range crds {
		require.Eventually(t, func() bool {
			found, err := definitions.Get(t.Context(), crd.GetName(), metav1.GetOptions{})
			require.NoError(t, err)
			conditions := conditionsOf(found)
			assert.NotContains(t, conditions, "NonStructuralSchema=True")
			return strings.Contains(conditions, "Established=True")
		}, 30*time.Second, 20*time.Millisecond, crd.GetName())
	}
	return c
}

func conditionsOf(u *unstructured.Unstructured) string {
	var all []string
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if of, isMap := c.(map[string]any); isMap {
			all = append(all, fmt.Sprintf("%v=%v", of["type"], of["status"]))
		}
	}
	return strings.Join(all, " ")
}

func object(kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": GroupVersion().String(), "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

func TestDefinitionsOnAServer(t *testing.T) {
	c := live(t)
	strict := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}
	application := func(change func(spec map[string]any)) map[string]any {
		spec := map[string]any{"packageName": "store", "packageVersion": "v1.0.0"}
		change(spec)
		return spec
	}
	nothing := func(map[string]any) {}
	repository := func(key string, value any) map[string]any {
		spec := map[string]any{"registry": map[string]any{"repo": "registry.example/packages"}}
		if key == "scanInterval" {
			spec[key] = value
			return spec
		}
		spec["registry"] = map[string]any{"repo": "registry.example/packages", key: value}
		return spec
	}
	for name, tt := range map[string]struct {
		resource string
		object   *unstructured.Unstructured
		want     string // "" if it is taken
	}{
		"A1: 24 characters":         {"applications", object(KindApplication, strings.Repeat("a", 24), application(nothing)), ""},
		"A1: 25 characters":         {"applications", object(KindApplication, strings.Repeat("a", 25), application(nothing)), "at most 24 characters"},
		"a dot":                     {"applications", object(KindApplication, "a.b", application(nothing)), "has no dot"},
		"settings are free":         {"applications", object(KindApplication, "a", application(func(s map[string]any) { s["settings"] = map[string]any{"a": map[string]any{"b": int64(1)}} })), ""},
		"settings are an object":    {"applications", object(KindApplication, "a", application(func(s map[string]any) { s["settings"] = "a" })), "must be of type object"},
		"maintenance":               {"applications", object(KindApplication, "a", application(func(s map[string]any) { s["maintenance"] = "NoResourceReconciliation" })), ""},
		"another maintenance":       {"applications", object(KindApplication, "a", application(func(s map[string]any) { s["maintenance"] = "Sometimes" })), "Unsupported value"},
		"a field that nobody knows": {"applications", object(KindApplication, "a", application(func(s map[string]any) { s["version"] = "v1" })), "unknown field"},
		"no package":                {"applications", object(KindApplication, "a", map[string]any{"packageVersion": "v1.0.0"}), "packageName"},
		"a repository":              {"packagerepositories", object(KindPackageRepository, "a", repository("scheme", "hTTp")), ""},
		"a scheme":                  {"packagerepositories", object(KindPackageRepository, "a", repository("scheme", "ftp")), "scheme"},
		"an interval":               {"packagerepositories", object(KindPackageRepository, "a", repository("scanInterval", "1h30m")), ""},
		"a short interval":          {"packagerepositories", object(KindPackageRepository, "a", repository("scanInterval", "10s")), "at least 3m"},
		"no interval":               {"packagerepositories", object(KindPackageRepository, "a", repository("scanInterval", "often")), "scanInterval"},
		"an operation":              {"packagerepositoryoperations", object(KindPackageRepositoryOperation, "a", map[string]any{"packageRepositoryName": "a", "type": "Update"}), ""},
		"another operation":         {"packagerepositoryoperations", object(KindPackageRepositoryOperation, "a", map[string]any{"packageRepositoryName": "a", "type": "Delete"}), "Unsupported value"},
	} {
		t.Run(name, func(t *testing.T) {
			resource := c.Resource(GroupVersion().WithResource(tt.resource))
			var into dynamic.ResourceInterface = resource
			if tt.resource == "applications" {
				into = resource.Namespace("default")
			}
			_, err := into.Create(t.Context(), tt.object, strict)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestSpecsThatNeverChange(t *testing.T) {
	c := live(t)
	id := fmt.Sprintf("api-%x", time.Now().UnixNano())
	for resource, o := range map[string]*unstructured.Unstructured{
		"applicationpackageversions": object(KindApplicationPackageVersion, id, map[string]any{
			"packageName": "store", "packageRepositoryName": id, "packageVersion": "v1.0.0",
		}),
		"packagerepositoryoperations": object(KindPackageRepositoryOperation, id, map[string]any{"packageRepositoryName": id, "type": "Update"}),
	} {
		of := c.Resource(GroupVersion().WithResource(resource))
		_, err := of.Create(t.Context(), o, metav1.CreateOptions{})
		require.NoError(t, err)
		t.Cleanup(func() { remove(t, of, id) })
		found, err := of.Get(t.Context(), id, metav1.GetOptions{})
		require.NoError(t, err)
		require.NoError(t, unstructured.SetNestedField(found.Object, "other", "spec", "packageRepositoryName"))
		_, err = of.Update(t.Context(), found, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		require.ErrorContains(t, err, "never changes")
	}
}

func remove(t *testing.T, of dynamic.NamespaceableResourceInterface, name string) {
	t.Helper()
	assert.NoError(t, of.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}))
}
