package build

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// files writes a txtar archive into a new directory.
func files(t *testing.T, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
	}
	return dir
}

func yamlAt(path string) Manifest {
	return Manifest{Name: "set", Type: TypeYAML, Path: path}
}

func kustomizeAt(path string) Manifest {
	return Manifest{Name: "set", Type: TypeKustomize, Path: path}
}

// build builds a manifest that must build.
func build(t *testing.T, m Manifest) Result {
	t.Helper()
	r, err := Builder{}.Build(t.Context(), m)
	require.NoError(t, err)
	return r
}

// refused builds a manifest that must not build and gives the error's text, with
// the directory taken out.
func refused(t *testing.T, m Manifest) string {
	t.Helper()
	_, err := Builder{}.Build(t.Context(), m)
	require.Error(t, err)
	return err.Error()
}

// refs gives the identities in order.
func refs(objects []object.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, o.Ref().String())
	}
	return all
}

// origins gives the places in order, relative to dir.
func origins(t *testing.T, dir string, objects []object.Object) []string {
	t.Helper()
	var all []string
	for _, o := range objects {
		at := o.Origin
		var err error
		at.File, err = filepath.Rel(dir, at.File)
		require.NoError(t, err)
		all = append(all, at.String())
	}
	return all
}
