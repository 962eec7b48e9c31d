package object

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzLoad holds that no input brings the loader down, that its two ways of
// reading a document agree, and that what is written is read back the same.
func FuzzLoad(f *testing.F) {
	names, err := filepath.Glob("testdata/cases/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(names, "testdata/styles.yaml") {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, text := range []string{
		"", "\x00", "---\n...\n%YAML 1.1\n---\n", "&a [*a]", "a: &a {<<: *a}", "? |\n x\n: y\n", "!!binary =", "'", "\xef\xbb\xbf",
		"{\"a\":\"\\ud800\"}{}", "a: !!float 1\nb: !!null x\nc: !!timestamp 2001-01-01\n", "- - - ? a", "a: |3\n   x\n", "1e400: .nan\n",
		"apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: >\n  a\n   b\n\n  c\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		requireBothWaysAgree(t, data)
		set, err := Load(bytes.NewReader(data), "f.yaml")
		if err != nil {
			var fault *LoadError
			require.ErrorAs(t, err, &fault)
			require.NotEmpty(t, fault.Findings)
			return
		}
		for _, o := range set.Objects {
			require.Positive(t, o.Origin.Document)
			require.Positive(t, o.Origin.Line)
			requireReadsBack(t, o)
		}
	})
}

func requireReadsBack(t *testing.T, o Object) {
	t.Helper()
	written, err := EncodeYAML(o.Body)
	require.NoError(t, err)
	again, err := Load(bytes.NewReader(written), "again.yaml")
	require.NoError(t, err, "%s", written)
	require.Len(t, again.Objects, 1, "%s", written)
	require.True(t, Equal(o.Body, again.Objects[0].Body), "%s", written)
	h := Hasher{Key: make([]byte, 32)}
	before, err := h.Content(o.Body)
	require.NoError(t, err)
	after, err := h.Content(again.Objects[0].Body)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// requireBothWaysAgree: where a document is built from its nodes, kubectl's
// parser must read the same from its text.
func requireBothWaysAgree(t *testing.T, data []byte) {
	t.Helper()
	documents, fault := split(data, "f.yaml")
	if fault != nil {
		return
	}
	for _, d := range documents {
		r := &reading{document: d}
		if d.json != nil {
			continue
		}
		if r.parse(); r.node == nil {
			continue
		}
		if r.boundAliases(); len(r.findings) > 0 {
			continue
		}
		if r.checkKeys(); len(r.findings) > 0 {
			continue
		}
		quick, ok := ordinary(r.node)
		if !ok || bareTag.Match(d.text) {
			continue
		}
		slow, err := kubectlValue(d.text)
		require.NoError(t, err, "%q", d.text)
		require.True(t, Equal(quick, slow), "%q:\n%#v\n%#v", d.text, quick, slow)
	}
}

func TestLoadAndEncodeAreQuickOnLargeInput(t *testing.T) {
	// No clock here: a quadratic step makes this test run for minutes.
	var text strings.Builder
	for i := range 2000 {
		text.WriteString("---\n" + configMap("  n"+jsonInt(i)+": |\n    "+strings.Repeat("line\n    ", 50)+"\n"))
	}
	set := load(t, text.String())
	require.Len(t, set.Objects, 2000)
	for _, o := range set.Objects {
		_, err := EncodeYAML(o.Body)
		require.NoError(t, err)
	}
}
