package state

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update once")
	assert.Equal(t, string(want), got)
}

// loadObjects reads a file of testdata.
func loadObjects(t *testing.T, name string) []object.Object {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer f.Close()
	set, err := object.Load(f, name)
	require.NoError(t, err)
	return set.Objects
}

// describe lists everything that a record says.
func describe(rec *Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "manifest: %s\nexists: %v\n", rec.Manifest, rec.Exists)
	if rec.GitCommitHash != "" || !rec.LastSyncedAt.IsZero() {
		fmt.Fprintf(&b, "commit: %s\nsynced: %s\n", rec.GitCommitHash, rec.LastSyncedAt.Format(time.RFC3339))
	}
	if rec.DefaultNamespace != "" || rec.FieldManager != "" {
		fmt.Fprintf(&b, "default namespace: %s\nfield manager: %s\n", rec.DefaultNamespace, rec.FieldManager)
	}
	if rec.LastRun.Operation != "" {
		fmt.Fprintf(&b, "last run: %s: %s\n", rec.LastRun.who(), rec.LastRun.Result)
	}
	b.WriteString("entries:\n")
	for _, e := range rec.Entries {
		fmt.Fprintf(&b, "  %s %q\n", e.Key, e.ContentHash)
		if e.Body != nil || e.UID != "" {
			body, _ := object.EncodeJSON(e.Body)
			fmt.Fprintf(&b, "    uid %s, version %s, input %s, order %d: %s\n", e.UID, e.ResourceVersion, e.InputKey, e.Order, body)
		}
	}
	b.WriteString("damaged:\n")
	for _, d := range rec.Damaged {
		fmt.Fprintf(&b, "  %s\n", d)
		if d.Key != (Key{}) {
			fmt.Fprintf(&b, "    seems to be %s\n", d.Key)
		}
	}
	b.WriteString("notes:\n")
	for _, n := range rec.Notes {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	return b.String()
}
