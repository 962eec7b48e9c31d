package printers

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// What -o json prints is what docs/schemas says.
func TestPlanJSONFollowsItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../docs/schemas/plan.v1alpha1.json")
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, Structured(&out, "json", sampleReport(t)))
	value, err := jsonschema.UnmarshalJSON(&out)
	require.NoError(t, err)
	require.NoError(t, schema.Validate(value))

	value.(map[string]any)["surprise"] = true
	require.Error(t, schema.Validate(value), "the schema must notice an unknown field")
}
