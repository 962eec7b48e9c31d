package plan

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// testSchema is a kind with one field of every merge behaviour.
func testSchema(t testing.TB) *cluster.Schema {
	t.Helper()
	data, err := os.ReadFile("testdata/openapi.json")
	require.NoError(t, err)
	s, err := cluster.ParseSchema(data, schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Thing"})
	require.NoError(t, err)
	return s
}

// body reads one object given as JSON flow or YAML; empty text is no object.
func body(t testing.TB, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	set, err := object.Load(strings.NewReader("apiVersion: apps/v1\nkind: Thing\nmetadata: {name: x}\n"+text), "test.yaml")
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	return set.Objects[0].Body
}

// paths are the findings as `path` lines.
func paths(c comparison) []string {
	var out []string
	for _, f := range c.findings {
		out = append(out, f.path.String())
	}
	return out
}

func TestCompare(t *testing.T) {
	tests := map[string]struct {
		d, a, l string
		want    []string
		suspect bool
	}{
		"equal":                          {d: "spec: {replicas: 1}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}"},
		"drift":                          {d: "spec: {replicas: 1}", a: "spec: {replicas: 1}", l: "spec: {replicas: 3}", want: []string{".spec.replicas"}},
		"change":                         {d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}", want: []string{".spec.replicas"}},
		"already so":                     {d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 2}"},
		"deleted live field is drift":    {d: "spec: {replicas: 1}", a: "spec: {replicas: 1}", l: "spec: {paused: true}", want: []string{".spec.replicas"}},
		"defaults are foreign":           {d: "spec: {replicas: 1}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1, paused: false}"},
		"foreign annotation":             {d: "metadata: {name: x}", a: "metadata: {name: x}", l: "metadata: {name: x, annotations: {theirs: '1'}}"},
		"left the files":                 {d: "spec: {}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}", want: []string{".spec.replicas"}},
		"left the files, already gone":   {d: "spec: {}", a: "spec: {replicas: 1}", l: "spec: {}"},
		"only our keys of a map go":      {d: "{}", a: "data: {a: '1'}", l: "data: {a: '1', theirs: '2'}", want: []string{".data.a"}},
		"desired empty, live absent":     {d: "spec: {ports: [], selector: {}}", a: "", l: "spec: {}"},
		"closed list that was opened":    {d: "spec: {ingress: []}", a: "spec: {ingress: []}", l: "spec: {ingress: [{}]}", want: []string{".spec.ingress[0]"}},
		"element too many":               {d: "spec: {args: [a]}", a: "spec: {args: [a]}", l: "spec: {args: [a, b]}", want: []string{".spec.args[1]"}},
		"default inside an atomic list":  {d: "spec: {ingress: [{from: a}]}", a: "spec: {ingress: [{from: a}]}", l: "spec: {ingress: [{from: a, protocol: TCP}]}", suspect: true},
		"addition to an atomic map":      {d: "spec: {selector: {a: b}}", a: "spec: {selector: {a: b}}", l: "spec: {selector: {a: b, c: d}}", suspect: true},
		"keys, not positions":            {d: "spec: {ports: [{port: 2}, {port: 1}]}", a: "spec: {ports: [{port: 2}, {port: 1}]}", l: "spec: {ports: [{port: 1, protocol: TCP}, {port: 2, protocol: TCP}]}", suspect: true},
		"one port, two protocols":        {d: "spec: {ports: [{port: 1, protocol: UDP}]}", a: "spec: {ports: [{port: 1}, {port: 1, protocol: UDP}]}", l: "spec: {ports: [{port: 1, protocol: TCP}, {port: 1, protocol: UDP}]}", want: []string{`.spec.ports[port=1,protocol="TCP"]`}},
		"foreign item of a keyed list":   {d: "spec: {ports: [{port: 1}]}", a: "spec: {ports: [{port: 1}]}", l: "spec: {ports: [{port: 1, protocol: TCP}, {port: 9, protocol: TCP}]}"},
		"set without order":              {d: "spec: {finalizers: [a, b]}", a: "spec: {finalizers: [a, b]}", l: "spec: {finalizers: [b, a, theirs]}"},
		"key that has its default":       {d: "spec: {ports: [{port: 1}]}", a: "spec: {ports: [{port: 1, protocol: TCP}]}", l: "spec: {ports: [{port: 1, protocol: TCP}]}"},
		"set element left the files":     {d: "spec: {finalizers: [a]}", a: "spec: {finalizers: [a, b]}", l: "spec: {finalizers: [a, b]}", want: []string{`.spec.finalizers[="b"]`}},
		"quantity by value":              {d: "spec: {limit: 1000m}", a: "spec: {limit: 1000m}", l: "spec: {limit: '1'}"},
		"quantity that differs":          {d: "spec: {limit: 1000m}", a: "spec: {limit: 1000m}", l: "spec: {limit: '2'}", want: []string{".spec.limit"}},
		"int-or-string by type":          {d: "spec: {port: '8080'}", a: "spec: {port: '8080'}", l: "spec: {port: 8080}", want: []string{".spec.port"}},
		"numbers beyond 2^53":            {d: "spec: {replicas: 9007199254740993}", a: "", l: "spec: {replicas: 9007199254740992}", want: []string{".spec.replicas"}},
		"status of controllers is quiet": {d: "spec: {replicas: 1}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}\nstatus: {ready: 1}"},
		"asked status, applied before":   {d: "status: {key: value}", a: "status: {key: value}", l: "status: {key: other}"},
		"asked status, new":              {d: "status: {key: value}", a: "{}", l: "status: {ready: 1}", want: []string{".status"}},
		"asked status, taken back":       {d: "{}", a: "status: {key: value}", l: "{}", want: []string{".status"}},
	}
	s := testSchema(t)
	exclude := []fieldpath.Path{fieldpath.MakePathOrDie("status")}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := compare(flow(t, tc.d), flow(t, tc.a), flow(t, tc.l), s, false, exclude)
			require.Equal(t, tc.want, paths(got))
			require.Equal(t, tc.suspect, got.suspect)
		})
	}
}

// flow is body for tests whose text may be an empty mapping or own metadata.
func flow(t testing.TB, text string) map[string]any {
	t.Helper()
	switch {
	case text == "{}":
		return body(t, "\n")
	case strings.HasPrefix(text, "metadata:"):
		set, err := object.Load(strings.NewReader("apiVersion: apps/v1\nkind: Thing\n"+text), "test.yaml")
		require.NoError(t, err)
		return set.Objects[0].Body
	default:
		return body(t, text)
	}
}

func TestCompareCustomResourcesTakeEmptyAtItsWord(t *testing.T) {
	s := testSchema(t)
	d, l := flow(t, "spec: {ports: []}"), flow(t, "spec: {replicas: 1}")
	require.Equal(t, []string{".spec.ports"}, paths(compare(d, nil, l, s, true, nil)))
	require.Empty(t, paths(compare(d, nil, l, s, false, nil)))
	// Their metadata is that of any kind.
	d, l = flow(t, "metadata: {name: a, labels: {}}"), flow(t, "metadata: {name: a}")
	require.False(t, slices.ContainsFunc(compare(d, nil, l, nil, true, nil).findings, func(f finding) bool { return !f.guessed }))
}

// Elements with owners of their own leave one by one; what others put into the list is
// not ours to remove.
func TestCompareDropsElementsOneByOne(t *testing.T) {
	s := testSchema(t)
	a := flow(t, "spec: {ports: [{port: 1}, {port: 2}], args: [x]}")
	l := flow(t, "spec: {ports: [{port: 1, protocol: TCP}, {port: 9, protocol: TCP}], args: [x, y]}")
	require.Equal(t, []string{".spec.args", `.spec.ports[port=1,protocol="TCP"]`}, paths(compare(flow(t, "spec: {}"), a, l, s, false, nil)))
}

// An empty mapping with fields of its own is not the same as none to every field,
// so that the server has to say; one with any keys is, to all.
func TestCompareGuessesAtEmptyMappings(t *testing.T) {
	tests := map[string]struct {
		d, a, l string
		custom  bool
		want    []string
	}{
		"wanted":                   {d: "spec: {affinity: {}}", l: "spec: {paused: true}", want: []string{".spec.affinity"}},
		"wanted, with any keys":    {d: "spec: {selector: {}}", l: "spec: {paused: true}"},
		"wanted, unknown":          {d: "spec: {other: {}}", l: "spec: {paused: true}", want: []string{".spec.other"}},
		"wanted, a list":           {d: "spec: {args: []}", l: "spec: {paused: true}"},
		"wanted and live":          {d: "spec: {affinity: {}}", l: "spec: {affinity: {}}"},
		"wanted, live has more":    {d: "spec: {affinity: {}}", l: "spec: {affinity: {node: a}}"},
		"with an empty map inside": {d: "spec: {affinity: {labels: {}}}", l: "spec: {affinity: {}}"},
		"left the files":           {d: "spec: {}", a: "spec: {affinity: {}}", l: "spec: {affinity: {}}", want: []string{".spec.affinity"}},
		"left, others filled it":   {d: "spec: {}", a: "spec: {affinity: {}}", l: "spec: {affinity: {node: a}}"},
		"left and gone":            {d: "spec: {}", a: "spec: {affinity: {}}", l: "spec: {paused: true}"},
	}
	s := testSchema(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := compare(flow(t, tc.d), flow(t, tc.a), flow(t, tc.l), s, tc.custom, nil)
			require.Equal(t, tc.want, paths(got))
			for _, f := range got.findings {
				require.True(t, f.guessed)
			}
			e := evidence{cmp: got, live: flow(t, tc.l), result: flow(t, tc.l), schema: s}
			require.Empty(t, withoutGuesses(e), "the server would change nothing")
		})
	}
}

func TestCompareExactSeesBothSides(t *testing.T) {
	s := testSchema(t)
	result, live := flow(t, "spec: {replicas: 1}"), flow(t, "spec: {replicas: 1, paused: true}")
	require.Equal(t, []string{".spec.paused"}, paths(compareExact(result, live, s, false)))
}

func TestCompareWithoutSchemaGoesByPosition(t *testing.T) {
	d := flow(t, "spec: {ports: [{port: 1, name: a}, {port: 2}]}")
	l := flow(t, "spec: {ports: [{port: 2}, {port: 1, name: a}]}")
	require.NotEmpty(t, paths(compare(d, d, l, nil, false, nil)))
}
