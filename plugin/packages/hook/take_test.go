//go:build linux || darwin

package hook

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
)

func patch(t *testing.T, text string) output.ValuesPatch {
	t.Helper()
	p, err := output.ParseValuesPatch([]byte(text))
	require.NoError(t, err)
	return p
}

func operations(t *testing.T, text string) []output.Operation {
	t.Helper()
	all, err := output.ParseOperations([]byte(text))
	require.NoError(t, err)
	return all
}

// record is a set of Effects that writes down what happens, in order.
type record struct{ log []string }

func (r *record) effects(values map[string]any, fail map[int]error) Effects {
	return Effects{
		Values: values,
		Metrics: func(hook string, metrics []output.Metric) error {
			r.log = append(r.log, fmt.Sprintf("%d metrics of %s", len(metrics), hook))
			return nil
		},
		Objects: sinkFunc(func(o output.Operation) error {
			r.log = append(r.log, o.String())
			return fail[o.Number]
		}),
	}
}

const threeDeletes = `{"operation":"Delete","kind":"Pod","name":"a"}{"operation":"Delete","kind":"Pod","name":"b"}{"operation":"Delete","kind":"Pod","name":"c"}`

func TestTake(t *testing.T) {
	result := Result{
		Hook: &Hook{ID: "hooks/a.sh"}, Patch: patch(t, `{"op":"add","path":"/n","value":2}`),
		Operations: operations(t, threeDeletes), Metrics: []output.Metric{{Name: "m"}},
	}
	before := map[string]any{"n": int64(1)}
	all := []string{"1 metrics of hooks/a.sh", "operation 1: Delete of Pod a", "operation 2: Delete of Pod b", "operation 3: Delete of Pod c"}

	t.Run("in order", func(t *testing.T) {
		r := &record{}
		taken, err := result.Take(t.Context(), r.effects(before, nil))
		require.NoError(t, err)
		assert.Equal(t, Taken{Values: map[string]any{"n": int64(2)}, Changed: true}, taken)
		assert.Equal(t, all, r.log)
		assert.Equal(t, map[string]any{"n": int64(1)}, before)
	})
	t.Run("values that stay equal are no change", func(t *testing.T) {
		r := &record{}
		taken, err := result.Take(t.Context(), r.effects(map[string]any{"n": int64(2)}, nil))
		require.NoError(t, err)
		assert.False(t, taken.Changed)
	})
	t.Run("operations are tried all, and a failure keeps the values", func(t *testing.T) {
		r := &record{}
		taken, err := result.Take(t.Context(), r.effects(before, map[int]error{1: errors.New("forbidden"), 3: output.ErrMissing}))
		assert.EqualError(t, err, "hook hooks/a.sh: operation 1: Delete of Pod a: forbidden\noperation 3: Delete of Pod c: the object is not there")
		assert.ErrorIs(t, err, output.ErrMissing)
		assert.Equal(t, Taken{Values: before}, taken)
		assert.Equal(t, all, r.log)
	})
	t.Run("values that are refused leave everything alone", func(t *testing.T) {
		r := &record{}
		e := r.effects(before, nil)
		e.CheckValues = func(values map[string]any) error {
			assert.Equal(t, map[string]any{"n": int64(2)}, values)
			return errors.New("n: wanted at most 1")
		}
		taken, err := result.Take(t.Context(), e)
		assert.EqualError(t, err, "hook hooks/a.sh: values after its patch: n: wanted at most 1")
		assert.Equal(t, Taken{Values: before}, taken)
		assert.Empty(t, r.log)
	})
	t.Run("a patch that can't be applied leaves everything alone", func(t *testing.T) {
		r := &record{}
		broken := result
		broken.Patch = patch(t, `[{"op":"add","path":"/n","value":3},{"op":"remove","path":"/zzz"}]`)
		_, err := broken.Take(t.Context(), r.effects(before, nil))
		assert.EqualError(t, err, "hook hooks/a.sh: values patch: step 2 (remove /zzz): there is no /zzz")
		assert.Empty(t, r.log)
	})
	t.Run("metrics that are refused", func(t *testing.T) {
		r := &record{}
		e := r.effects(before, nil)
		e.Metrics = func(string, []output.Metric) error { return errors.New("another kind") }
		_, err := result.Take(t.Context(), e)
		assert.EqualError(t, err, "hook hooks/a.sh: another kind")
		assert.Empty(t, r.log)
	})
	t.Run("ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("the package is removed")
		r := &record{}
		e := r.effects(before, nil)
		e.Objects = sinkFunc(func(output.Operation) error { cancel(cause); return nil })
		_, err := result.Take(ctx, e)
		assert.ErrorIs(t, err, cause)
		assert.ErrorContains(t, err, "not begun from operation 2: Delete of Pod b on: ")
	})
	t.Run("without a sink", func(t *testing.T) {
		_, err := result.Take(t.Context(), Effects{Values: before})
		assert.EqualError(t, err, "hook hooks/a.sh: there is nothing that would do its operations on objects")
	})
	t.Run("without metrics and checks", func(t *testing.T) {
		taken, err := result.Take(t.Context(), Effects{Values: before, Objects: sinkFunc(func(output.Operation) error { return nil })})
		require.NoError(t, err)
		assert.True(t, taken.Changed)
	})
}

func TestOperationErrorsHideWhatServersQuote(t *testing.T) {
	result := Result{Hook: &Hook{ID: "h"}, Operations: operations(t,
		`{"operation":"Create","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"k"},"stringData":{"p":"pa55phrase"}}}`)}
	err := result.Operate(t.Context(), sinkFunc(func(output.Operation) error { return errors.New(`admission denied "pa55phrase"`) }))
	assert.ErrorContains(t, err, "hook h: operation 1: Create of Secret k: admission denied")
	assert.NotContains(t, err.Error(), "pa55phrase")
}

// Case J03: what a hook writes is not a valid patch.
func TestCaseJ03(t *testing.T) {
	set := caseSet(t, "J03", binding.Instance)
	run := func(t *testing.T, name string) (Result, error) {
		t.Helper()
		return start(t, runner(t), set.Find("hooks/"+name))
	}
	t.Run("remove-missing", func(t *testing.T) {
		result, err := run(t, "remove-missing.sh")
		require.NoError(t, err)
		_, err = result.Take(t.Context(), Effects{Values: map[string]any{}})
		assert.EqualError(t, err, "hook hooks/remove-missing.sh: values patch: step 1 (remove /internal/not/there): there is no /internal")
		values, skipped, err := result.Patch.Replay(map[string]any{"from": "other settings"})
		require.NoError(t, err, "an accepted patch is replayed over whatever comes")
		assert.Equal(t, 1, skipped)
		assert.Equal(t, map[string]any{"from": "other settings", "internal": map[string]any{"seen": int64(1)}}, values)
	})
	t.Run("broken", func(t *testing.T) {
		result, err := run(t, "broken.sh")
		assert.EqualError(t, err, "hook hooks/broken.sh (onStartup): VALUES_JSON_PATCH_PATH: line 1, column 62: not JSON: unexpected EOF")
		assert.Empty(t, result.Operations, "none of its patches, object patches neither")
	})
	t.Run("outside", func(t *testing.T) {
		result, err := run(t, "outside.sh")
		require.NoError(t, err)
		before := map[string]any{"declared": int64(1)}
		taken, err := result.Take(t.Context(), Effects{Values: before, CheckValues: func(values map[string]any) error {
			if _, ok := values["undeclared"]; ok {
				return errors.New("undeclared: not declared in values schema")
			}
			return nil
		}})
		assert.EqualError(t, err, "hook hooks/outside.sh: values after its patch: undeclared: not declared in values schema")
		assert.Equal(t, before, taken.Values)
	})
}
