package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseMetrics(t *testing.T) {
	got, err := ParseMetrics([]byte(`
{"name":"runs_total","action":"add","value":1,"labels":{"kind":"full"}}
{"name":"size","action":"set","value":-1.5}
{"name":"took","action":"observe","value":42,"buckets":[1,2.5,10],"labels":{}}
{"name":"short_add","add":3}{"name":"short_set","set":0,"group":"g","labels":null}
{"group":"g","action":"expire"}
{"name":"","group":"h","action":"expire","labels":{}}
`))
	require.NoError(t, err)
	none := map[string]string{}
	assert.Equal(t, []Metric{
		{Name: "runs_total", Action: MetricAdd, Value: 1, Labels: map[string]string{"kind": "full"}},
		{Name: "size", Action: MetricSet, Value: -1.5, Labels: none},
		{Name: "took", Action: MetricObserve, Value: 42, Buckets: []float64{1, 2.5, 10}, Labels: none},
		{Name: "short_add", Action: MetricAdd, Value: 3, Labels: none},
		{Name: "short_set", Group: "g", Action: MetricSet, Labels: none},
		{Group: "g", Action: MetricExpire, Labels: none},
		{Group: "h", Action: MetricExpire, Labels: none},
	}, got)
	got, err = ParseMetrics(nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestParseMetricsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a","add":1}` + "\n" + `{"name":"b"`: "line 2, column 12: not JSON: unexpected EOF",
		`metric 1`:                                                  "line 1, column 1: not JSON: invalid character 'm' looking for beginning of value",
		`[{"name":"a","add":1}]`:                                    "metric 1: wanted a mapping, found a list",
		`{"name":"a"}`:                                              "metric 1: wanted one of action, add, set; found none",
		`{"name":"a","add":1,"set":2}`:                              "metric 1: action, add and set exclude each other",
		`{"name":"a","action":"inc"}`:                               `metric 1.action: wanted one of add, set, observe, expire, found "inc"`,
		`{"name":"a","action":"set"}`:                               "metric 1.value: is missing: set needs it",
		`{"name":"a b","add":1}`:                                    `metric 1.name: wanted the name of a metric, found "a b"`,
		`{"add":1}`:                                                 `metric 1.name: wanted the name of a metric, found ""`,
		`{"name":"a","add":-1}`:                                     "metric 1.value: a counter can't be lowered",
		`{"name":"a","set":"1"}`:                                    "metric 1.set: wanted a number, found text",
		`{"name":"a","set":1e999}`:                                  "metric 1.set: the number is too large",
		`{"name":"a","set":1,"label":1}`:                            `metric 1: unknown key "label"; did you mean labels?`,
		`{"name":"a","set":1,"labels":{"a-b":"x"}}`:                 `metric 1.labels: "a-b" is no name of a label`,
		`{"name":"a","set":1,"labels":{"__a":"x"}}`:                 `metric 1.labels: "__a" is no name of a label`,
		`{"name":"a","set":1,"labels":{"a":1}}`:                     "metric 1.labels.a: wanted text, found a number",
		`{"name":"a","set":1,"labels":[]}`:                          "metric 1.labels: wanted a mapping, found a list",
		`{"name":"a","action":"observe","value":1}`:                 "metric 1.buckets: is missing: observe needs it",
		`{"name":"a","action":"observe","value":1,"buckets":[2,2]}`: "metric 1.buckets[1]: has to be above the one before",
		`{"name":"a","action":"observe","value":1,"buckets":[2],"group":"g"}`: "metric 1.group: a histogram can't be of a group: its counts would begin anew with each run",
		`{"name":"a","set":1,"buckets":[1]}`:                                  "metric 1.buckets: belongs to observe",
		`{"action":"expire"}`:                                                 "metric 1.group: is missing: expire ends a group",
		`{"name":"a","add":1}{"name":"b","set":1}{"name":"a","set":1}`:        `metric 3: "a" is used with set here and with add in metric 1`,
		`{"name":"a b","add":1}{"name":"c","add":-1}`:                         "2 mistakes:\n  metric 1.name: wanted the name of a metric, found \"a b\"\n  metric 2.value: a counter can't be lowered",
	} {
		_, err := ParseMetrics([]byte(text))
		assert.EqualError(t, err, "METRICS_PATH: "+want, text)
	}
}

func metrics(t *testing.T, lines ...string) []Metric {
	t.Helper()
	got, err := ParseMetrics([]byte(strings.Join(lines, "\n")))
	require.NoError(t, err)
	return got
}

func samples(s *Series) string {
	var out []string
	for _, one := range s.Samples() {
		labels := ""
		for _, key := range slices.Sorted(maps.Keys(one.Labels)) {
			labels += fmt.Sprintf("%s=%s,", key, one.Labels[key])
		}
		out = append(out, fmt.Sprintf("%s{%s}%v", one.Name, strings.TrimSuffix(labels, ","), one.Value))
	}
	return strings.Join(out, " ")
}

// Row 48 of the complaints, and the example of the public documentation: what a run
// doesn't set of a group again is gone, counters go on.
func TestGroups(t *testing.T) {
	s := &Series{}
	require.NoError(t, s.Apply("h1", metrics(t,
		`{"group":"g1","name":"hook_metric","action":"add","value":1,"labels":{"kind":"pod"}}`,
		`{"group":"g1","name":"hook_metric","action":"add","value":1,"labels":{"kind":"replicaset"}}`,
		`{"group":"g1","name":"special","action":"set","value":12}`,
		`{"name":"common","action":"set","value":100,"labels":{"source":"s1"}}`)))
	require.NoError(t, s.Apply("h2", metrics(t,
		`{"group":"g2","name":"hook_metric","action":"add","value":1,"labels":{"kind":"secret"}}`,
		`{"name":"common","action":"set","value":200}`)))
	assert.Equal(t, "common{hook=h1,source=s1}100 common{hook=h2}200 hook_metric{hook=h1,kind=pod}1 "+
		"hook_metric{hook=h1,kind=replicaset}1 hook_metric{hook=h2,kind=secret}1 special{hook=h1}12", samples(s))

	require.NoError(t, s.Apply("h1", metrics(t, `{"group":"g1","name":"hook_metric","action":"add","value":1,"labels":{"kind":"pod"}}`)))
	assert.Equal(t, "common{hook=h1,source=s1}100 common{hook=h2}200 hook_metric{hook=h1,kind=pod}2 hook_metric{hook=h2,kind=secret}1", samples(s))

	require.NoError(t, s.Apply("h2", metrics(t, `{"group":"g2","action":"expire"}`)))
	assert.Equal(t, "common{hook=h1,source=s1}100 common{hook=h2}200 hook_metric{hook=h1,kind=pod}2", samples(s))

	require.NoError(t, s.Apply("h1", metrics(t,
		`{"group":"g1","name":"before","set":1}`, `{"group":"g1","action":"expire"}`, `{"group":"g1","name":"after","set":1}`)))
	assert.Equal(t, "after{hook=h1}1 common{hook=h1,source=s1}100 common{hook=h2}200", samples(s))

	s.Forget("h1")
	assert.Equal(t, "common{hook=h2}200", samples(s))
}

func TestSeriesKinds(t *testing.T) {
	s := &Series{}
	require.NoError(t, s.Apply("h", metrics(t,
		`{"name":"c","add":1}`, `{"name":"c","add":2.5}`, `{"name":"g","set":1}`, `{"name":"g","set":-4}`,
		`{"name":"o","action":"observe","value":1,"buckets":[1,5]}`, `{"name":"o","action":"observe","value":3,"buckets":[1,5]}`,
		`{"name":"o","action":"observe","value":9,"buckets":[1,5]}`)))
	assert.Equal(t, "c{hook=h}3.5 g{hook=h}-4 o{hook=h}13", samples(s))
	histogram := s.Samples()[2]
	assert.Equal(t, uint64(3), histogram.Count)
	assert.Equal(t, []uint64{1, 2}, histogram.Buckets)
	histogram.Buckets[0] = 99
	assert.Equal(t, []uint64{1, 2}, s.Samples()[2].Buckets, "samples are copies")

	before := samples(s)
	assert.EqualError(t, s.Apply("h", metrics(t, `{"name":"new","set":1}`, `{"name":"c","set":1}`)), `metric "c": is used with set, and was with add`)
	assert.EqualError(t, s.Apply("h", metrics(t, `{"name":"o","action":"observe","value":1,"buckets":[1]}`)), `metric "o": has other buckets than before`)
	assert.Equal(t, before, samples(s), "nothing of it counts")
}

func TestSeriesIsSafeForManyUsers(t *testing.T) {
	s := &Series{}
	var users sync.WaitGroup
	for i := range 4 {
		users.Go(func() {
			for range 100 {
				if err := s.Apply(fmt.Sprint("h", i), []Metric{{Name: "c", Action: MetricAdd, Value: 1}, {Name: "g", Group: "g", Action: MetricSet}}); err != nil {
					t.Error(err)
				}
				s.Samples()
			}
		})
	}
	users.Wait()
	assert.Equal(t, "c{hook=h0}100 c{hook=h1}100", strings.Join(strings.Fields(samples(s))[:2], " "))
}

// Row 22 of the complaints: the verdict is found on standard error.
func TestParseVerdict(t *testing.T) {
	for name, tt := range map[string]struct {
		stderr string
		want   *Verdict
	}{
		"refused":                   {`{"valid":false,"message":"replicas cannot be 0","warnings":null}` + "\n\n", &Verdict{Message: "replicas cannot be 0"}},
		"valid with warnings":       {`{"valid":true,"message":"","warnings":["even number",""]}`, &Verdict{Valid: true, Warnings: []string{"even number", ""}}},
		"valid":                     {`{"valid":true}`, &Verdict{Valid: true}},
		"after a log":               {"{\"level\":\"info\"}\nchecking\n{\"valid\":true}\n", &Verdict{Valid: true}},
		"before a log":              {"{\"valid\":false,\"message\":\"m\"}\nbye\n{\"level\":\"info\"}\n", &Verdict{Message: "m"}},
		"over several lines":        {"{\n  \"valid\": false,\n  \"message\": \"m\"\n}\n", &Verdict{Message: "m"}},
		"the last one counts":       {"{\"valid\":true}\n{\"valid\":false}\n", &Verdict{}},
		"in the middle of a line":   {`log: {"valid":true}`, nil},
		"nothing":                   {"", nil},
		"only a log":                {"panic: x\n{\"level\":\"info\"}\n", nil},
		"of another form":           {`{"valid":"yes"}`, nil},
		"null":                      {`{"valid":null}`, nil},
		"an unknown key":            {`{"valid":true,"severity":1}`, nil},
		"cut off":                   {`{"valid":true,"mess`, nil},
		"a key twice":               {`{"valid":true,"valid":false}`, nil},
		"many lines that are no it": {strings.Repeat("{\n", 20000), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := ParseVerdict([]byte(tt.stderr))
			assert.Equal(t, tt.want != nil, ok)
			if tt.want != nil {
				assert.Equal(t, *tt.want, got)
			}
		})
	}
}
