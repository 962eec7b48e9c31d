package render

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

func BenchmarkPrepare(b *testing.B) {
	read, _, err := bundle.Read(os.DirFS("../../../test/testdata/packages/store"))
	require.NoError(b, err)
	for b.Loop() {
		_, _, err := Prepare(b.Context(), read, Inputs{Settings: map[string]any{"storage": map[string]any{"size": "1Gi"}}})
		require.NoError(b, err)
	}
}

func BenchmarkRender(b *testing.B) {
	read, _, err := bundle.Read(os.DirFS("../../../test/testdata/packages/store"))
	require.NoError(b, err)
	p, _, err := Prepare(b.Context(), read, Inputs{Complete: true})
	require.NoError(b, err)
	for b.Loop() {
		_, err := p.Render(b.Context(), Request{Instance: shop})
		require.NoError(b, err)
	}
}
