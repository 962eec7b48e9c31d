package printers

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with testdata/<name>.txt.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run the tests with -update to make golden files")
	require.Equal(t, string(want), string(got))
}

// testNow is the clock of all golden files.
var testNow = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// testOptions prints as by default, without colour.
func testOptions(out *bytes.Buffer) Options {
	o := DefaultOptions(out)
	o.Now = testNow
	return o
}

// goldenPlainAndColored prints twice and compares with name and name-color.
func goldenPlainAndColored(t *testing.T, name string, write func(Options) error) {
	t.Helper()
	for _, color := range []bool{false, true} {
		var out bytes.Buffer
		o := testOptions(&out)
		o.Color = color
		require.NoError(t, write(o))
		if color {
			golden(t, name+"-color", out.Bytes())
			require.Equal(t, readGolden(t, name), stripColor(out.String()), "colour changes no text")
		} else {
			golden(t, name, out.Bytes())
		}
	}
}

func readGolden(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	require.NoError(t, err)
	return string(data)
}

// body reads a YAML object with exact numbers.
func body(t testing.TB, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	out, err := object.DecodeJSON(data)
	require.NoError(t, err)
	return out
}

// minutesAgo points at a time before testNow.
func minutesAgo(n int) *time.Time {
	at := testNow.Add(-time.Duration(n) * time.Minute)
	return &at
}

func author(manager string) plan.Author {
	return plan.Author{Manager: manager, Operation: "Update", Time: minutesAgo(90)}
}
