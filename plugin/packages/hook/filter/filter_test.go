package filter

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func body(t *testing.T, text string) map[string]any {
	t.Helper()
	value, err := object.DecodeJSON([]byte(text))
	require.NoError(t, err)
	return value
}

func TestApply(t *testing.T) {
	const input = `{"kind":"ConfigMap","metadata":{"name":"a","labels":{"x":"1"}},` +
		`"data":{"n":"7"},"big":9007199254740993,"huge":123456789012345678901234567890,"part":1.10}`
	for name, tt := range map[string]struct{ filter, want string }{
		"a field":                   {`.metadata.name`, `"a"`},
		"an object":                 {`{n: .data.n, l: .metadata.labels}`, `{"l":{"x":"1"},"n":"7"}`},
		"nothing there":             {`.spec`, `null`},
		"no result":                 {`empty`, `null`},
		"several results":           {`.metadata.name, .data.n`, `["a","7"]`},
		"one result that is a list": {`[.metadata.name]`, `["a"]`},
		"an empty object stays":     {`{}`, `{}`},
		"text to number":            {`.data.n | tonumber`, `7`},
		"integers keep digits":      {`.big`, `9007199254740993`},
		"also beyond 64 bits":       {`.huge`, `123456789012345678901234567890`},
		"not a number":              {`nan`, `null`},
		"no environment":            {`env`, `{}`},
		"nor by its other name":     {`$ENV | length`, `0`},
		"halt ends it":              {`1, halt`, `1`},
		"an update":                 {`.data.n = "8" | .data`, `{"n":"8"}`},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Compile(tt.filter)
			require.NoError(t, err)
			in := body(t, input)
			got, err := f.Apply(t.Context(), in)
			require.NoError(t, err)
			text, err := object.EncodeJSON(got)
			require.NoError(t, err)
			assert.Equal(t, tt.want, string(text))
			assert.Equal(t, body(t, input), in, "the input is as it was")
		})
	}
}

func TestResultHasTheProgramsNumbers(t *testing.T) {
	f, err := Compile(`[1, 1.5, 3/2*2]`)
	require.NoError(t, err)
	got, err := f.Apply(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, []any{int64(1), json.Number("1.5"), int64(3)}, got)
}

func TestCompileRefuses(t *testing.T) {
	for _, text := range []string{"", "  \n", `{n: .data.n`, `.a |`, `nosuchfunction(.)`, `import "x" as x; .`, `$undefined`} {
		_, err := Compile(text)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, text)
		assert.Equal(t, text, syntax.Filter)
		assert.ErrorContains(t, err, "filter ")
	}
}

func TestApplyFailsWithoutQuotingValues(t *testing.T) {
	const secret = "s3cr3t-value"
	for name, tt := range map[string]struct{ filter, want string }{
		"a number":           {`.v | tonumber`, "tonumber"},
		"a key of text":      {`.v.x`, "string"},
		"an index":           {`.m[.v][0] | .x | .y`, ""},
		"a list of text":     {`.v[]`, "string"},
		"its own error":      {`error(.v)`, "called error"},
		"its own error text": {`error("x: " + .v)`, "called error"},
		"an object added":    {`.m + .v`, "object"},
		"halted":             {`.v | halt_error`, "called error"},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Compile(tt.filter)
			require.NoError(t, err)
			_, err = f.Apply(t.Context(), body(t, `{"v":"`+secret+`","m":{"a":"`+secret+`","`+secret+`":[{"x":"`+secret+`"}]}}`))
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
			assert.NotContains(t, err.Error(), secret)
		})
	}
}

func TestApplyEnds(t *testing.T) {
	t.Run("with its context", func(t *testing.T) {
		f, err := Compile(`[range(1; infinite)] | length`)
		require.NoError(t, err)
		cause := errors.New("the package is removed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
		_, err = f.Apply(ctx, nil)
		assert.ErrorIs(t, err, cause)
	})
	t.Run("after enough results", func(t *testing.T) {
		f, err := Compile(`repeat(1)`)
		require.NoError(t, err)
		_, err = f.Apply(t.Context(), nil)
		assert.ErrorContains(t, err, "more than 10000 results")
	})
}
