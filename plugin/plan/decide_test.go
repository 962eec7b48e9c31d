package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// managed builds an ownership from `manager/operation: fields` pairs.
func managed(t testing.TB, fields map[string]string) ownership {
	t.Helper()
	var entries []map[string]any
	for who, set := range fields {
		name, op, _ := strings.Cut(who, "/")
		var parsed any
		require.NoError(t, json.Unmarshal([]byte(set), &parsed))
		entries = append(entries, map[string]any{
			"manager": name, "operation": op, "apiVersion": "apps/v1",
			"fieldsType": "FieldsV1", "time": "2026-01-02T03:04:05Z", "fieldsV1": parsed,
		})
	}
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = e
	}
	read, err := owners(map[string]any{"metadata": map[string]any{"managedFields": list}})
	require.NoError(t, err)
	return ownership{manager: "tazuna", adopted: adoptedByDefault, entries: read}
}

func TestDecide(t *testing.T) {
	const replicas = `{"f:spec":{"f:replicas":{}}}`
	tests := map[string]struct {
		d, a, l, result string
		owners          map[string]string
		force           bool
		op              Op
		sent            bool // with force
		want            []string
		hidden          []string
	}{
		"drift is healed whoever owns it": {
			d: "spec: {replicas: 1}", a: "spec: {replicas: 1}", l: "spec: {replicas: 3}", result: "spec: {replicas: 1}",
			owners: map[string]string{"kubectl/Update": replicas},
			op:     OpUpdate, sent: true, want: []string{"drift .spec.replicas by kubectl"},
		},
		"deleted field has no author": {
			d: "data: {a: '1'}", a: "data: {a: '1'}", l: "data: {}", result: "data: {a: '1'}",
			op: OpUpdate, sent: true, want: []string{"drift .data.a by ?"},
		},
		"change of our own": {
			d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}", result: "spec: {replicas: 2}",
			owners: map[string]string{"tazuna/Apply": replicas},
			op:     OpUpdate, want: []string{"change .spec.replicas"},
		},
		"conflict refuses the object": {
			d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 5}", result: "spec: {replicas: 2}",
			owners: map[string]string{"operator/Apply": replicas},
			op:     OpRefuse, want: []string{"conflict .spec.replicas by operator"},
		},
		"conflict taken over on purpose": {
			d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 5}", result: "spec: {replicas: 2}",
			owners: map[string]string{"operator/Apply": replicas},
			force:  true, op: OpUpdate, sent: true, want: []string{"conflict .spec.replicas by operator"},
		},
		"fields of adopted managers are taken over": {
			d: "spec: {replicas: 2}", a: "", l: "spec: {replicas: 5}", result: "spec: {replicas: 2}",
			owners: map[string]string{"kubectl-client-side-apply/Update": replicas},
			op:     OpUpdate, sent: true, want: []string{"change .spec.replicas by kubectl-client-side-apply"},
		},
		"removed field": {
			d: "{}", a: "spec: {replicas: 2}", l: "spec: {replicas: 2}", result: "{}",
			owners: map[string]string{"tazuna/Apply": replicas},
			op:     OpUpdate, want: []string{"remove .spec.replicas"},
		},
		"removed field that another keeps": {
			d: "spec: {}", a: "spec: {replicas: 2}", l: "spec: {replicas: 2}", result: "spec: {replicas: 2}",
			owners: map[string]string{"tazuna/Apply": replicas, "operator/Update": replicas},
			op:     OpUpdate, want: []string{"release .spec.replicas by operator"},
		},
		"the server undoes it": {
			d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}", result: "spec: {replicas: 1}",
			op: OpNone, hidden: []string{"ineffective .spec.replicas"},
		},
		"default inside an atomic list is nothing": {
			d: "spec: {ingress: [{from: a}]}", a: "spec: {ingress: [{from: a}]}",
			l: "spec: {ingress: [{from: a, protocol: TCP}]}", result: "spec: {ingress: [{from: a, protocol: TCP}]}",
			op: OpNone,
		},
		"addition to an atomic map is drift": {
			d: "spec: {selector: {a: b}}", a: "spec: {selector: {a: b}}",
			l: "spec: {selector: {a: b, c: d}}", result: "spec: {selector: {a: b}}",
			owners: map[string]string{"kubectl-edit/Update": `{"f:spec":{"f:selector":{}}}`},
			op:     OpUpdate, sent: true, want: []string{"drift .spec.selector.c by kubectl-edit"},
		},
		"another order of a keyed list is drift": {
			d: "spec: {ports: [{port: 2}, {port: 1}]}", a: "spec: {ports: [{port: 2}, {port: 1}]}",
			l: "spec: {ports: [{port: 1, protocol: TCP}, {port: 2, protocol: TCP}]}", result: "spec: {ports: [{port: 2, protocol: TCP}, {port: 1, protocol: TCP}]}",
			op: OpUpdate, sent: true, want: []string{"drift .spec.ports by ?"},
		},
		"an atomic map that the files have empty": {
			d: "spec: {selector: {}}", a: "spec: {selector: {a: b}}", l: "spec: {selector: {c: d}}", result: "spec: {}",
			op: OpUpdate, want: []string{"change .spec.selector"},
		},
		"an atomic map that was empty": {
			d: "spec: {selector: {}}", a: "spec: {selector: {}}", l: "spec: {selector: {c: d}}", result: "spec: {}",
			owners: map[string]string{"kubectl-edit/Update": `{"f:spec":{"f:selector":{}}}`},
			op:     OpUpdate, sent: true, want: []string{"drift .spec.selector by kubectl-edit"},
		},
		"another manager's words for the same": {
			d: "spec: {replicas: 2, ingress: [{from: a}]}", a: "spec: {replicas: 1, ingress: []}",
			l: "spec: {replicas: 1, ingress: [{from: a, protocol: TCP}]}", result: "spec: {replicas: 2, ingress: [{from: a, protocol: TCP}]}",
			owners: map[string]string{"operator/Update": `{"f:spec":{"f:ingress":{}}}`},
			op:     OpUpdate, sent: true, want: []string{"change .spec.replicas"},
		},
		"what the server adds beside a change is shown": {
			d: "spec: {replicas: 2}", a: "spec: {replicas: 1}", l: "spec: {replicas: 1}",
			result: "metadata: {name: x, annotations: {hook: '1'}}\nspec: {replicas: 2}",
			op:     OpUpdate, want: []string{"change .spec.replicas", "server .metadata.annotations"},
		},
		"what the server adds by itself is not a change": {
			d: "spec: {selector: {a: b}}", a: "spec: {selector: {a: b}}", l: "spec: {selector: {a: b}}",
			result: "metadata: {name: x, annotations: {hook: '1'}}\nspec: {selector: {a: b}}",
			op:     OpNone, hidden: []string{"server .metadata.annotations"},
		},
	}
	s := testSchema(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			policy := ManifestPolicy()
			policy.ForceConflicts = tc.force
			d, a, l := flow(t, tc.d), flow(t, tc.a), flow(t, tc.l)
			e := evidence{
				cmp: compare(d, a, l, s, false, policy.Excluded), ownership: managed(t, tc.owners),
				result: flow(t, tc.result), live: l, schema: s, desired: d, applied: a, policy: policy,
			}
			got := decide(e)
			require.Equal(t, tc.op, got.op)
			require.Equal(t, tc.sent, got.force)
			require.Equal(t, tc.want, lines(got.shown))
			require.Equal(t, tc.hidden, lines(got.hidden))
		})
	}
}

// lines writes differences as `verdict path [by author]`.
func lines(list []Difference) []string {
	var out []string
	for _, d := range list {
		line := string(d.Verdict) + " " + d.Path
		for _, a := range d.Authors {
			line += " by " + a.Manager
		}
		if d.AuthorUnknown {
			line += " by ?"
		}
		out = append(out, line)
	}
	return out
}

func TestWithoutDryRunTheLocalVerdictStands(t *testing.T) {
	s := testSchema(t)
	d, l := flow(t, "spec: {replicas: 1}"), flow(t, "spec: {replicas: 3}")
	e := evidence{
		cmp: compare(d, d, l, s, false, nil), ownership: managed(t, nil),
		live: l, schema: s, desired: d, applied: d, policy: ManifestPolicy(),
	}
	require.Equal(t, OpUpdate, decide(e).op)
}

func TestOwnersRefuseWhatTheyCannotRead(t *testing.T) {
	_, err := owners(map[string]any{"metadata": map[string]any{"managedFields": []any{
		map[string]any{"manager": "m", "operation": "Update", "fieldsV1": map[string]any{"k:no json": map[string]any{}}},
	}}})
	require.ErrorContains(t, err, `manager "m"`)
}

func TestRestrictShowsWhatIsOursAndWhatDiffers(t *testing.T) {
	s := testSchema(t)
	live := flow(t, "spec: {replicas: 3, paused: false, ports: [{port: 1, protocol: TCP}, {port: 9, protocol: TCP}]}")
	result := flow(t, "metadata: {name: x, annotations: {hook: '1'}}\nspec: {replicas: 1, paused: false, ports: [{port: 1, protocol: TCP}, {port: 9, protocol: TCP}]}")
	d := flow(t, "spec: {replicas: 1, ports: [{port: 1}]}")
	before, after := restrict(live, result, d, d, s, true)
	require.Equal(t, flow(t, "spec: {replicas: 3, ports: [{port: 1}]}"), before)
	require.Equal(t, flow(t, "metadata: {name: x, annotations: {hook: '1'}}\nspec: {replicas: 1, ports: [{port: 1}]}"), after)
}

// What the diff says stays must stay.
func TestConfirmBelievesTheServerAboutWhatStays(t *testing.T) {
	at := func(parts ...any) fieldpath.Path { return fieldpath.MakePathOrDie(parts...) }
	f := finding{path: at("data", "a"), a: some("1"), l: some("1")}
	gone := func(p fieldpath.Path) []finding { return []finding{{path: p, l: some("1")}} }
	require.Equal(t, VerdictRelease, confirm(VerdictRelease, f, nil))
	require.Equal(t, VerdictRelease, confirm(VerdictRelease, f, gone(at("data", "b"))))
	require.Equal(t, VerdictRelease, confirm(VerdictRelease, f, gone(at("data", "a", "deeper"))))
	require.Equal(t, VerdictRelease, confirm(VerdictRelease, f, []finding{{path: at("data", "a"), d: some("2"), l: some("1")}}))
	require.Equal(t, VerdictRemove, confirm(VerdictRelease, f, gone(at("data", "a"))))
	require.Equal(t, VerdictRemove, confirm(VerdictRelease, f, gone(at("data"))))
}

// What others put into a mapping isn't shown, and the mapping isn't shown as empty.
func TestRestrictShowsNoMappingAsEmptyThatIsNot(t *testing.T) {
	tests := map[string]struct{ live, after, d, before, want string }{
		"only theirs is live": {
			live: "labels: {theirs: '1'}", after: "labels: {theirs: '1', ours: '2'}", d: "labels: {ours: '2'}",
			before: "{}", want: "labels: {ours: '2'}",
		},
		"nothing is live": {
			live: "labels: {}", after: "labels: {ours: '2'}", d: "labels: {ours: '2'}",
			before: "labels: {}", want: "labels: {ours: '2'}",
		},
		"nothing of ours on either side": {
			live: "labels: {theirs: '1'}", after: "labels: {theirs: '1'}", d: "labels: {}",
			before: "labels: {}", want: "labels: {}",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before, after := restrict(flow(t, tt.live), flow(t, tt.after), flow(t, tt.d), nil, nil, true)
			require.Equal(t, flow(t, tt.before), before)
			require.Equal(t, flow(t, tt.want), after)
		})
	}
}

func TestPlanRefusesToBeMarshalled(t *testing.T) {
	_, err := json.Marshal(&Plan{})
	require.ErrorIs(t, err, ErrUnmarshalable)
	_, err = json.Marshal(&Object{})
	require.ErrorIs(t, err, ErrUnmarshalable)
}

func TestLookupFollowsKeysAndDefaults(t *testing.T) {
	b := flow(t, "spec: {ports: [{port: 1}, {port: 2, protocol: UDP}]}")
	p := fieldpath.MakePathOrDie("spec", "ports", fieldpath.KeyByFields("port", 2, "protocol", "UDP"), "port")
	require.Equal(t, some(int64(2)), lookup(b, p))
	require.False(t, lookup(b, fieldpath.MakePathOrDie("spec", "none")).ok)
}
