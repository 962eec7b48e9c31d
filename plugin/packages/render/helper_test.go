package render

import (
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

const definition = "apiVersion: v1\ntype: Application\nname: store\nversion: v1.2.3\n"

// packageOf makes a bundle of a txtar archive; package.yaml is there.
func packageOf(t testing.TB, archive string) *bundle.Bundle {
	t.Helper()
	files := fstest.MapFS{"package.yaml": {Data: []byte(definition)}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	b, findings, err := bundle.Read(files)
	require.NoError(t, err)
	require.NoError(t, bundle.AsError(findings))
	return b
}

var shop = Instance{Namespace: "demo", Name: "shop"}

// rendered renders a package with the settings of its schema's defaults.
func rendered(t testing.TB, archive string, r Request) *Result {
	t.Helper()
	if r.Instance == (Instance{}) {
		r.Instance = shop
	}
	p, _, err := Prepare(t.Context(), packageOf(t, archive), Inputs{Settings: map[string]any{}})
	require.NoError(t, err)
	result, err := p.Render(t.Context(), r)
	require.NoError(t, err)
	return result
}

func at(t testing.TB, o object.Object, path ...string) any {
	t.Helper()
	var value any = o.Body
	for _, key := range path {
		m, isMap := value.(map[string]any)
		require.True(t, isMap, "%s: %v", o.Ref(), path)
		value = m[key]
	}
	return value
}
