package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// both gives the manifests of a case's file, as it is and behind kustomize.
func both(t *testing.T, file string) map[string]Manifest {
	t.Helper()
	path := filepath.Join("testdata", "cases", file)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte("resources: [input.yaml]\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "input.yaml"), data, 0o600))
	return map[string]Manifest{"yaml": yamlAt(path), "kustomize": kustomizeAt(dir)}
}

// finished builds and finishes, in namespace default and without a cluster.
func finished(t *testing.T, m Manifest) ([]Result, error) {
	t.Helper()
	r, err := Builder{}.Build(t.Context(), m)
	if err != nil {
		return nil, err
	}
	return Finish(t.Context(), []Result{r}, Builtin{}, "default")
}

func TestCasesThatBuild(t *testing.T) {
	tests := map[string][]string{
		"Y03/crlf-bom.yaml": {"ConfigMap default/lines-a", "ConfigMap default/lines-b"},
		"Y07/lists.yaml":    {"ConfigMap default/item-a", "ConfigMap default/item-b", "Role.rbac.authorization.k8s.io default/item-c"},
		"Y15/keys.yaml":     {"ConfigMap default/keyed"},
		"Y15/dates.yaml":    {"ConfigMap default/dated"},
		"I07/homeless.yaml": {"ConfigMap default/homeless", "ConfigMap default/housed"},
	}
	for file, want := range tests {
		for kind, m := range both(t, file) {
			t.Run(file+" "+kind, func(t *testing.T) {
				out, err := finished(t, m)
				require.NoError(t, err)
				assert.Equal(t, want, refs(out[0].Objects))
			})
		}
	}
}

// Pairs of inputs that are the same objects, whichever way they are built.
func TestCasesThatAreEqual(t *testing.T) {
	for file, same := range map[string]string{
		"Y03/crlf-bom.yaml": "Y03/plain.yaml",
	} {
		want := build(t, yamlAt(filepath.Join("testdata", "cases", same)))
		for kind, m := range both(t, file) {
			t.Run(file+" "+kind, func(t *testing.T) {
				got := build(t, m)
				require.Len(t, got.Objects, len(want.Objects))
				for i := range got.Objects {
					assert.True(t, object.Equal(want.Objects[i].Body, got.Objects[i].Body), refs(got.Objects[i:i+1]))
				}
			})
		}
	}
	// kustomize and kubectl read each of these the same way.
	for _, file := range []string{"Y05/anchors.yaml", "Y09/2-cr-a.yaml", "Y17/wrapped.yaml", "Y15/dates.yaml", "Y15/keys.yaml"} {
		t.Run(file, func(t *testing.T) {
			all := both(t, file)
			plain, kustomized := build(t, all["yaml"]), build(t, all["kustomize"])
			require.Len(t, kustomized.Objects, len(plain.Objects))
			for i := range plain.Objects {
				assert.Equal(t, plain.Objects[i].Body, kustomized.Objects[i].Body)
			}
		})
	}
}

func TestCasesThatAreRefused(t *testing.T) {
	tests := map[string][]string{
		"Y01/dup-key.yaml":      {`"env"`, "line 15", "17"},
		"I01/two-versions.yaml": {"HorizontalPodAutoscaler", "document 1, line 1", "; and ", "document 2, line 8"},
	}
	for file, want := range tests {
		for kind, m := range both(t, file) {
			t.Run(file+" "+kind, func(t *testing.T) {
				_, err := finished(t, m)
				require.Error(t, err)
				for _, w := range want {
					assert.ErrorContains(t, err, w)
				}
			})
		}
	}
	t.Run("I05/generate.yaml", func(t *testing.T) {
		text := refused(t, yamlAt("testdata/cases/I05/generate.yaml"))
		assert.Contains(t, text, "generate.yaml")
		assert.Contains(t, text, "Job")
		assert.Contains(t, text, "generateName")
	})
	t.Run("Y07/null-items.yaml", func(t *testing.T) {
		for _, m := range both(t, "Y07/null-items.yaml") {
			_, err := Builder{}.Build(t.Context(), m)
			var empty *EmptyError
			require.ErrorAs(t, err, &empty)
		}
	})
}

func TestCaseY11NullsAreNothing(t *testing.T) {
	want, err := object.Hasher{}.Content(build(t, yamlAt("testdata/cases/Y11/without.yaml")).Objects[0].Body)
	require.NoError(t, err)
	for kind, m := range both(t, "Y11/nulls.yaml") {
		got, err := object.Hasher{}.Content(build(t, m).Objects[0].Body)
		require.NoError(t, err)
		assert.Equal(t, want, got, kind)
	}
}

func TestCaseI01NamesBothPlaces(t *testing.T) {
	_, err := finished(t, yamlAt("testdata/cases/I01/two-versions.yaml"))
	require.EqualError(t, err, `HorizontalPodAutoscaler.autoscaling default/same is there twice: testdata/cases/I01/two-versions.yaml: document 1, line 1 (manifest set); and testdata/cases/I01/two-versions.yaml: document 2, line 8 (manifest set); autoscaling/v2 and autoscaling/v1 are versions of the same object
HorizontalPodAutoscaler.autoscaling default/same is there twice: testdata/cases/I01/two-versions.yaml: document 1, line 1 (manifest set); and testdata/cases/I01/two-versions.yaml: document 3, line 15 (manifest set)`)
}
