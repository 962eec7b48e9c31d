package bundle

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestEveryFieldIsChecked puts something else into each place of a complete
// package.yaml: there is a finding at that place or above it, and the rest is
// read as before.
func TestEveryFieldIsChecked(t *testing.T) {
	data, err := os.ReadFile("testdata/definitions/complete.yaml")
	require.NoError(t, err)
	var document any
	require.NoError(t, yaml.Unmarshal(data, &document))
	_, findings := ParseDefinition(data, DefinitionFile)
	require.Empty(t, findings)

	places := 0
	eachPlace(document, "", func(at string, get any, set func(any)) {
		places++
		for _, wrong := range wrongFor(get) {
			set(wrong)
			text, err := json.Marshal(document)
			require.NoError(t, err)
			_, findings := ParseDefinition(text, DefinitionFile)
			require.Error(t, AsError(findings), "%s: %v instead of %v", at, wrong, get)
			for _, f := range findings {
				related := strings.HasPrefix(f.Key, at) || strings.HasPrefix(at, f.Key)
				assert.True(t, related, "%s: %v instead of %v: %s", at, wrong, get, f)
			}
		}
		set(get)
	})
	assert.GreaterOrEqual(t, places, 70, "the file has everything in it")
}

// eachPlace visits every value of a document.
func eachPlace(value any, at string, visit func(at string, get any, set func(any))) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range sortedKeys(v) {
			here := strings.TrimPrefix(at+"."+key, ".")
			visit(here, v[key], func(n any) { v[key] = n })
			eachPlace(v[key], here, visit)
		}
	case []any:
		for i := range v {
			here := fmt.Sprintf("%s[%d]", at, i)
			visit(here, v[i], func(n any) { v[i] = n })
			eachPlace(v[i], here, visit)
		}
	}
}

// wrongFor gives values of other kinds. Text in the place of a mapping may be the
// older form of a requirement, so there it is text that is no range.
func wrongFor(value any) []any {
	number, list, mapping := 5, []any{1}, map[string]any{"no such key": 1}
	switch value.(type) {
	case string:
		return []any{number, true, list, mapping}
	case bool:
		return []any{number, "x", list, mapping}
	case float64:
		return []any{"x", true, list, mapping}
	case []any:
		return []any{number, "x", true, mapping, list}
	}
	return []any{number, "no range", true, list}
}

// TestNothingNeedsToBeThere takes each key out: what is left is read, and only
// what a package can't be without is missed.
func TestNothingNeedsToBeThere(t *testing.T) {
	data, err := os.ReadFile("testdata/definitions/complete.yaml")
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, yaml.Unmarshal(data, &document))
	for _, key := range sortedKeys(document) {
		kept := document[key]
		delete(document, key)
		text, err := json.Marshal(document)
		require.NoError(t, err)
		_, findings := ParseDefinition(text, DefinitionFile)
		switch key {
		case "type", "name":
			assert.EqualError(t, AsError(findings), "package.yaml:1: error: "+key+" is missing")
		case "apiVersion":
			assert.Equal(t, []string{"package.yaml:1: warning: apiVersion is missing; it is taken for v1"}, texts(findings))
		default:
			assert.Empty(t, findings, key)
		}
		document[key] = kept
	}
}
