package object

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	body, err := DecodeJSON([]byte(text))
	require.NoError(t, err)
	return body
}

// loadCase loads one file of testdata/cases, without faults.
func loadCase(t *testing.T, name string) Set {
	t.Helper()
	set, err := loadCaseFile(t, name)
	require.NoError(t, err)
	return set
}

func loadCaseFile(t *testing.T, name string) (Set, error) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", filepath.FromSlash(name)))
	require.NoError(t, err)
	return Load(bytes.NewReader(data), name)
}

func refs(set Set) []string {
	var names []string
	for _, o := range set.Objects {
		names = append(names, o.Ref().String())
	}
	return names
}
