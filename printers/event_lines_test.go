package printers

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// What -o events prints is what docs/schemas says, for every type it names.
func TestEventLinesFollowTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../docs/schemas/events.v1alpha1.json")
	require.NoError(t, err)
	var named, seen []string
	for _, branch := range schema.Properties["type"].OneOf {
		named = append(named, (*branch.Const).(string))
	}
	for _, e := range sampleRun() {
		var out bytes.Buffer
		require.NoError(t, NewEventLines(&out).Print(e))
		require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")), "one event, one line")
		value, err := jsonschema.UnmarshalJSON(&out)
		require.NoError(t, err)
		require.NoError(t, schema.Validate(value), e.Type)
		if !slices.Contains(seen, e.Type) {
			seen = append(seen, e.Type)
		}

		value.(map[string]any)["surprise"] = true
		require.Error(t, schema.Validate(value), "the schema must notice an unknown field")
	}
	require.ElementsMatch(t, named, seen, "the sample has every type")
}

func TestEventLinesKeepTexts(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, NewEventLines(&out).Print(waitingFor("a", "<b> & \"c\"\nd")))
	require.Contains(t, out.String(), `<b> & \"c\"\nd`)
	var back Event
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	require.Equal(t, "<b> & \"c\"\nd", back.Reason)
}
