package command

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestNotesOfARecordNeedSomethingApplied(t *testing.T) {
	rec := &state.Record{Notes: []string{"bodies are missing"}}
	require.Empty(t, worthNoting(rec), "an empty record")
	rec.Entries = []state.Entry{{}}
	require.Empty(t, worthNoting(rec), "a run that failed wrote ahead only")
	rec.Entries = append(rec.Entries, state.Entry{ContentHash: "0a"})
	require.Equal(t, rec.Notes, worthNoting(rec))
}
