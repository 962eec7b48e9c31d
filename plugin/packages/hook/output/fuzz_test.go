package output

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzPatches looks for output of a hook that makes a parser or what uses its result
// panic, that is applied by halves, or that doesn't survive being written and read.
func FuzzPatches(f *testing.F) {
	for _, seed := range []string{
		`[{"op":"add","path":"/a","value":1},{"op":"remove","path":"/a"}]`,
		`{"op":"replace","path":"/l/-","value":null}{"op":"add","path":"/l/0","value":{}}`,
		"operation: Create\nobject: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\noperation: Delete\nkind: Pod\nname: a\n",
		`{"operation":"MergePatch","kind":"A","name":"a","mergePatch":"a: null","ignoreMissingObjects":true}`,
		`{"operation":"JSONPatch","kind":"A","name":"a","jsonPatch":[{"op":"move","from":"/data","path":"/x"},{"op":"test","path":"/x/l/0","value":1}]}`,
		`{"operation":"JQPatch","kind":"A","name":"a","jqFilter":".data.x = 1","subresource":"status"}`,
		`{"operation":"CreateOrUpdate","object":{"apiVersion":"v1","kind":"A","metadata":{"name":"a","namespace":"n"},"status":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	on := values(f, `{"a":{"b":[1,{"c":null}]},"l":[1,2],"s":"x"}`)
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := ParseValuesPatch(data); err == nil {
			fuzzedValues(t, p, on)
		}
		if all, err := ParseOperations(data); err == nil {
			for _, o := range all {
				fuzzedOperation(t, o)
			}
		}
		_ = CheckSettingsPatch(data)
		ParseVerdict(data)
	})
}

func fuzzedValues(t *testing.T, p ValuesPatch, on map[string]any) {
	t.Helper()
	before := encoded(t, on)
	strict, err := p.Apply(on)
	require.Equal(t, before, encoded(t, on))
	lenient, skipped, lenientErr := p.Replay(on)
	require.NoError(t, lenientErr)
	if err == nil {
		require.Zero(t, skipped)
		require.Equal(t, strict, lenient)
	}
	assertJoinKeepsMeaning(t, p.Steps, on)
	again, err := ParseValuesPatch([]byte(encoded(t, append(JSONPatch{}, p.Steps...))))
	require.NoError(t, err)
	require.Len(t, again.Steps, len(p.Steps))
}

func fuzzedOperation(t *testing.T, o Operation) {
	t.Helper()
	require.NotEmpty(t, o.Name)
	require.NotEmpty(t, o.Kind)
	again, err := ParseOperations([]byte(encoded(t, o)))
	require.NoError(t, err, encoded(t, o))
	require.Equal(t, encoded(t, o), encoded(t, again[0]))
	scoped, _ := o.Scope("ns", "x")
	require.Equal(t, "ns", scoped.Namespace)
	require.Contains(t, scoped.Name, "d8a-x-")
	Bodies([]Operation{o, scoped})
	if o.JQ != nil {
		return // filters have their own tests, and may take their time
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	live := values(t, `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"data":{"l":[1]},"status":{"x":1}}`)
	before := encoded(t, live)
	_, _ = o.Effect(ctx, live)
	_, _ = scoped.Effect(ctx, nil)
	require.Equal(t, before, encoded(t, live))
}

// FuzzMetrics looks for metrics that make a parser panic, or that are accepted and
// then don't fit together.
func FuzzMetrics(f *testing.F) {
	for _, seed := range []string{
		`{"name":"a","action":"add","value":1,"labels":{"x":"y"}}` + "\n" + `{"name":"b","set":1.5,"group":"g"}`,
		`{"name":"o","action":"observe","value":42,"buckets":[1,2,5]}{"group":"g","action":"expire"}`,
		`{"name":"a","add":1e308}{"name":"a","add":1e308}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ParseMetrics(data)
		if err != nil {
			return
		}
		for _, m := range all {
			require.True(t, m.Action == MetricExpire && m.Group != "" || metricName.MatchString(m.Name))
			require.False(t, m.Action == MetricAdd && m.Value < 0)
		}
		s := &Series{}
		if err := s.Apply("h", all); err != nil {
			return
		}
		require.LessOrEqual(t, len(s.Samples()), len(all))
		require.NoError(t, s.Apply("h", all), "what fits once fits again")
	})
}
