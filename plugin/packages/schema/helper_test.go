package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

// secret must be in no text.
const secret = "hunter2-hunter2"

func settingsFile(text string) *bundle.File {
	return &bundle.File{Name: "openapi/settings.yaml", Data: []byte(text)}
}

func valuesFile(text string) *bundle.File {
	return &bundle.File{Name: "openapi/values.yaml", Data: []byte(text)}
}

// settings loads a schema of settings that has nothing wrong.
func settings(t testing.TB, text string) *Schema {
	t.Helper()
	set, findings := Load(settingsFile(text), nil)
	require.NoError(t, bundle.AsError(findings))
	return set.Settings
}

// value reads YAML with exact numbers.
func value(t testing.TB, text string) map[string]any {
	t.Helper()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	json, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	body, err := object.DecodeJSON(json)
	require.NoError(t, err)
	return body
}

// lines writes findings, one a line.
func lines(findings []bundle.Finding) string {
	var all []string
	for _, f := range findings {
		all = append(all, f.String())
	}
	return strings.Join(all, "\n")
}
