package build

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// example is a block of a document, or a whole file.
type example struct{ name, kind, text string }

var (
	blocks   = regexp.MustCompile("(?ms)^```(yaml|json)([^\n]*)\n(.*?)^```$")
	examples = []string{"../../README.md", "../../docs/*.md", "../../demo/*.yaml", "../../docs/rbac/*.yaml"}
)

// readExamples finds all YAML and JSON that people may copy.
func readExamples(t *testing.T) []example {
	t.Helper()
	var out []example
	for _, glob := range examples {
		files, err := filepath.Glob(glob)
		require.NoError(t, err)
		require.NotEmpty(t, files, glob)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			if strings.HasSuffix(file, ".yaml") {
				out = append(out, example{filepath.Base(file), "yaml", string(content)})
				continue
			}
			for _, m := range blocks.FindAllStringSubmatch(string(content), -1) {
				out = append(out, example{filepath.Base(file) + m[2], m[1], m[3]})
			}
		}
	}
	return out
}

// TestExamplesOfDocuments holds every example in the documents against what reads
// such a thing, and against the published schema where there is one.
func TestExamplesOfDocuments(t *testing.T) {
	seen := map[string]int{}
	for _, e := range readExamples(t) {
		// Of packages, which have a test of their own; templates are no YAML.
		if strings.HasPrefix(e.name, "packages.md") || strings.HasPrefix(e.name, "packages-troubleshooting.md packages/") {
			continue
		}
		what := e.check(t)
		seen[what]++
	}
	for _, what := range []string{"tazuna.yaml", "GenesisSecret", "manifests", "rules", "objects", "event"} {
		assert.NotZero(t, seen[what], "no example of %s was found: %v", what, seen)
	}
}

// check tells what an example is, by its keys, and has it read.
func (e example) check(t *testing.T) string {
	t.Helper()
	if e.kind == "json" {
		for _, line := range strings.Split(strings.TrimSpace(e.text), "\n") {
			var event any
			require.NoError(t, json.Unmarshal([]byte(line), &event), "%s: %s", e.name, line)
			require.NoError(t, schemaOf(t, "events.v1alpha1.json").Validate(event), "%s: %s", e.name, line)
		}
		return "event"
	}
	var document any
	first, _, _ := strings.Cut(e.text, "\n---\n")
	require.NoError(t, yaml.UnmarshalStrict([]byte(first), &document), "%s:\n%s", e.name, e.text)
	if list, ok := document.([]any); ok {
		if first, _ := list[0].(map[string]any); first["type"] == nil {
			return "part" // of a rule of Prometheus
		}
		e.text = "spec:\n  manifests:\n" + indented(e.text)
		e.checkTazuna(t)
		return "manifests"
	}
	top, ok := document.(map[string]any)
	require.True(t, ok, "%s: wanted a mapping or a list:\n%s", e.name, e.text)
	kind, _ := top["kind"].(string)
	switch {
	case kind == "Tazuna", kind == "" && top["spec"] != nil:
		e.checkTazuna(t)
		return "tazuna.yaml"
	case kind == "GenesisSecret":
		require.NoError(t, schemaOf(t, "tazuna-genesissecret.v1.json").Validate(document), e.text)
		_, _, err := genesis.Parse([]byte(e.text), e.name, false)
		require.NoError(t, err, "%s:\n%s", e.name, e.text)
		return "GenesisSecret"
	case kind == "" && top["data"] != nil: // a part of a ConfigMap
		return "part"
	case kind == "":
		e.text = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n" + e.text
		kind = "Config"
	}
	if kind == "Config" { // the reader of rules wants an object with a name
		e.text += "metadata: {name: rules}\n"
	}
	set, err := object.Load(strings.NewReader(e.text), e.name)
	require.NoError(t, err, "%s:\n%s", e.name, e.text)
	require.NotEmpty(t, set.Objects, e.name)
	_, rest, err := config.ExtractKappConfig(set.Objects)
	require.NoError(t, err, "%s:\n%s", e.name, e.text)
	if len(rest) < len(set.Objects) {
		return "rules"
	}
	return "objects"
}

func (e example) checkTazuna(t *testing.T) {
	t.Helper()
	var document any
	require.NoError(t, yaml.UnmarshalStrict([]byte(e.text), &document), "%s:\n%s", e.name, e.text)
	require.NoError(t, schemaOf(t, "tazuna.v1.json").Validate(document), "%s:\n%s", e.name, e.text)
	options := config.LoadOptions{
		Types:    ConfigTypes(),
		ReadFile: otherFile,
		Exists:   func(string) bool { return true },
	}
	if strings.Contains(e.text, "\n  environments:") {
		options.Environment = "prod"
	}
	_, err := config.Parse([]byte(e.text), e.name, options)
	require.NoError(t, err, "%s:\n%s", e.name, e.text)
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ") + "\n"
}

// otherFile is what an example names: a file of rules, or one that is included.
func otherFile(path string) ([]byte, error) {
	if strings.Contains(path, "rules") {
		return []byte("apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n"), nil
	}
	return []byte("spec: {manifests: []}"), nil
}
