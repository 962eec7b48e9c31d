package state

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Only bodies that this tool wrote, and that are surely gone, are lost.
func TestReadTellsLostBodiesFromForbiddenOnes(t *testing.T) {
	t.Parallel()
	ours := map[string]any{AnnotationFieldManager: "tazuna"}
	for name, c := range map[string]struct {
		annotations map[string]any
		forbidden   bool
		announced   bool // the run wrote what it meant to do, and nothing came of it
		want        bool
		notes       int
	}{
		"lost":                     {annotations: ours, want: true, notes: 1},
		"forbidden":                {annotations: ours, forbidden: true, notes: 1},
		"never applied":            {annotations: ours, announced: true},
		"of the original tool":     {notes: 1},
		"of the original, no view": {forbidden: true, notes: 1},
	} {
		f, hash := newFakeCluster(t).withNamespace(), hashA
		if c.announced {
			hash = ""
		}
		f.put(configMapBody("tazuna-state-m", c.annotations, map[string]any{(Key{Manifest: "m", Version: "v1", Kind: "ConfigMap", Namespace: "n", Name: "a"}).DataKey(): entryValue(hash)}))
		f.before = func(_, kind, name string) error {
			if c.forbidden && kind == "Secret" {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, name, errors.New("no"))
			}
			return nil
		}
		rec, err := newStore(f).Read(t.Context(), "m")
		require.NoError(t, err, name)
		require.Len(t, rec.Entries, 1, name)
		assert.Equal(t, c.want, rec.BodiesLost, name)
		assert.False(t, rec.BodiesKnown, name)
		assert.Len(t, rec.Notes, c.notes, name)
	}
}
