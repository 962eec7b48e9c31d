package plan

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// liveWith is an object with managedFields, in the form owners reads.
func liveWith(t *testing.T, text string, entries ...map[string]any) map[string]any {
	t.Helper()
	live := parsed(t, text)
	list := make([]any, len(entries))
	for i, e := range entries {
		list[i] = e
	}
	meta := live["metadata"].(map[string]any)
	meta["resourceVersion"], meta["managedFields"] = "7", list
	return live
}

func managerEntry(t *testing.T, manager, operation, fields string) map[string]any {
	t.Helper()
	var set any
	require.NoError(t, json.Unmarshal([]byte(fields), &set))
	return map[string]any{
		"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1",
		"time": "2026-01-02T03:04:05Z", "fieldsV1": set,
	}
}

func ownershipOf(t *testing.T, live map[string]any) ownership {
	t.Helper()
	entries, err := owners(live)
	require.NoError(t, err)
	return ownership{manager: "tazuna", adopted: adoptedByDefault, entries: entries}
}

func TestTakeoverMovesWhatTheFilesNameAndNothingElse(t *testing.T) {
	const object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {" + lastAppliedAnnotation + ": '{}'}\ndata: {mine: '1', gone: '2', theirs: '3'}"
	const history = `"f:metadata":{"f:annotations":{".":{},"f:` + lastAppliedAnnotation + `":{}}}`
	removed := Difference{Verdict: VerdictRemove, at: fieldpath.MakePathOrDie("data", "gone")}
	tests := map[string]struct {
		entries []map[string]any
		shown   []Difference
		want    string // manager/operation fields, a line each; "" for no patch
	}{
		"the rest stays with its tool": {
			entries: []map[string]any{
				managerEntry(t, "kubectl-create", "Update", `{"f:data":{".":{},"f:mine":{},"f:theirs":{}}}`),
				managerEntry(t, "kubectl-client-side-apply", "Update", `{`+history+`}`),
			},
			want: "kubectl-create/Update {\"f:data\":{\"f:theirs\":{}}}\n" +
				"kubectl-client-side-apply/Update {\"f:metadata\":{\"f:annotations\":{}}}\n" +
				"tazuna/Apply {\"f:data\":{\".\":{},\"f:mine\":{}},\"f:metadata\":{\"f:annotations\":{\"f:" + lastAppliedAnnotation + "\":{}}}}",
		},
		"what leaves goes with it": {
			entries: []map[string]any{managerEntry(t, "helm", "Update", `{"f:data":{"f:mine":{},"f:gone":{}}}`)},
			shown:   []Difference{removed},
			want:    `tazuna/Apply {"f:data":{"f:gone":{},"f:mine":{}}}`,
		},
		"added to what is ours": {
			entries: []map[string]any{
				managerEntry(t, "tazuna", "Apply", `{"f:data":{"f:gone":{}}}`),
				managerEntry(t, "tazuna", "Update", `{"f:data":{"f:mine":{}}}`),
			},
			want: `tazuna/Apply {"f:data":{"f:gone":{},"f:mine":{}}}`,
		},
		"others are left alone": {
			entries: []map[string]any{
				managerEntry(t, "kubectl-edit", "Update", `{"f:data":{"f:mine":{}}}`),
				managerEntry(t, "kubectl", "Apply", `{"f:data":{"f:mine":{}}}`),
			},
		},
		"nothing that is wanted": {
			entries: []map[string]any{managerEntry(t, "kubectl-create", "Update", `{"f:data":{"f:theirs":{}}}`)},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			live := liveWith(t, object, tt.entries...)
			send := parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {mine: '1'}")
			patch, err := takeover(live, "v1", ownershipOf(t, live), movedBy(send, live, tt.shown))
			require.NoError(t, err)
			assert.Equal(t, tt.want, entriesOf(t, patch))
		})
	}
}

// entriesOf reads the patch of a takeover.
func entriesOf(t *testing.T, patch []byte) string {
	t.Helper()
	if patch == nil {
		return ""
	}
	var ops []struct {
		Op, Path string
		Value    json.RawMessage
	}
	require.NoError(t, json.Unmarshal(patch, &ops))
	require.Len(t, ops, 2)
	assert.Equal(t, "replace /metadata/resourceVersion", ops[0].Op+" "+ops[0].Path)
	assert.JSONEq(t, `"7"`, string(ops[0].Value))
	var entries []struct {
		Manager, Operation string
		FieldsV1           json.RawMessage
	}
	require.NoError(t, json.Unmarshal(ops[1].Value, &entries))
	var lines []string
	for _, e := range entries {
		set := fieldpath.NewSet()
		require.NoError(t, set.FromJSON(strings.NewReader(string(e.FieldsV1))))
		lines = append(lines, e.Manager+"/"+e.Operation+" "+string(e.FieldsV1))
	}
	return strings.Join(lines, "\n")
}

// A Secret that was applied with stringData is owned under a name that the server
// finds nothing by; the takeover gives it the one that it has.
func TestTakeoverRenamesStringData(t *testing.T) {
	live := liveWith(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {kept: b25l, gone: dHdv}",
		managerEntry(t, "tazuna", "Apply", `{"f:stringData":{"f:gone":{},"f:kept":{}}}`))
	own := ownershipOf(t, live)
	send := parsed(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {kept: b25l}")
	gone := finding{path: fieldpath.MakePathOrDie("data", "gone")}
	assert.True(t, own.movedAt(gone))
	assert.False(t, own.adoptedAt(gone))
	patch, err := takeover(live, "v1", own, movedBy(send, live, nil))
	require.NoError(t, err)
	assert.Equal(t, `tazuna/Apply {"f:data":{"f:gone":{},"f:kept":{}}}`, entriesOf(t, patch))
}

func TestHoldsHistory(t *testing.T) {
	const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {" + kappApp + ": '1'}}"
	live := liveWith(t, text, managerEntry(t, "tazuna", "Apply", `{"f:metadata":{"f:labels":{"f:`+kappApp+`":{},"f:other":{}}}}`))
	own := ownershipOf(t, live)
	assert.True(t, holdsHistory(live, parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"), own.owned()))
	assert.False(t, holdsHistory(live, parsed(t, text), own.owned()), "the files name it")
	assert.False(t, holdsHistory(parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}"), nil, own.owned()), "it is gone")
}

func TestMarks(t *testing.T) {
	body := parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {"+kappApp+": '1', app: web}\n  annotations: {meta.helm.sh/release-name: web}")
	assert.Equal(t, parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app: web}}"), withoutMarks(body, nil))
	named := marksIn(nil, parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {"+kappApp+": '2'}}"))
	assert.Equal(t, []mark{{"labels", kappApp}}, named)
	assert.Equal(t, parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {"+kappApp+": '1', app: web}}"), withoutMarks(body, named))
}

// What an adopted tool owns counts as applied; what only it says is a guess, and
// an element of a list leaves as a whole.
func TestOwnedFindings(t *testing.T) {
	const element = `"f:spec":{"f:ports":{"k:{\"port\":1,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}},"k:{\"port\":2,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}}}`
	live := liveWith(t, "apiVersion: apps/v1\nkind: Thing\nmetadata: {name: a}\nspec: {replicas: 1, limit: 5, ports: [{port: 1, protocol: TCP, name: a}, {port: 2, protocol: TCP, name: b}]}",
		managerEntry(t, "tazuna", "Apply", `{`+element+`}}`),
		managerEntry(t, "helm", "Update", `{"f:spec":{"f:replicas":{},"f:limit":{}}}`),
		managerEntry(t, "kubectl-edit", "Update", `{"f:spec":{"f:args":{}}}`))
	desired := parsed(t, "apiVersion: apps/v1\nkind: Thing\nmetadata: {name: a}\nspec: {limit: 5, ports: [{port: 1, protocol: TCP}]}")
	var got []string
	for _, f := range ownedFindings(desired, live, ownershipOf(t, live)) {
		line := f.path.String()
		if f.guessed {
			line += " guessed"
		}
		got = append(got, line)
	}
	assert.ElementsMatch(t, []string{
		`.spec.replicas guessed`,
		`.spec.ports[port=1,protocol="TCP"].name`,
		`.spec.ports[port=2,protocol="TCP"]`,
	}, got)
}

// The patch made from two bodies leads from one to the other.
func TestMergePatch(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		from, to := thing(r), thing(r)
		got := mergedInto(from, mergePatch(from, to))
		require.True(t, object.Equal(to, got), "seed %d\nfrom %v\nto   %v\ngot  %v", seed, from, to, got)
		require.Empty(t, mergePatch(to, to), "seed %d", seed)
	}
}

// mergedInto applies a JSON merge patch as RFC 7386 says.
func mergedInto(body, patch map[string]any) map[string]any {
	out := copyMap(body)
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(out, k)
		case map[string]any:
			inside, _ := out[k].(map[string]any)
			out[k] = mergedInto(inside, v)
		default:
			out[k] = v
		}
	}
	return out
}

func TestAdoptedManagers(t *testing.T) {
	for _, tt := range []struct {
		author      Author
		ours, asked bool
	}{
		{Author{Manager: "kubectl-client-side-apply", Operation: "Update"}, true, true},
		{Author{Manager: "kapp", Operation: "Update"}, true, true},
		{Author{Manager: "helm", Operation: "Update", Subresource: "status"}, false, false},
		{Author{Manager: "kubectl", Operation: "Apply"}, false, true},
		{Author{Manager: "helm", Operation: "Apply"}, false, true},
		{Author{Manager: "helm", Operation: "Apply", Subresource: "status"}, false, false},
		{Author{Manager: "kubectl-edit", Operation: "Update"}, false, false},
		{Author{Manager: "operator", Operation: "Apply"}, false, false},
	} {
		p := ManifestPolicy()
		assert.Equal(t, tt.ours, p.adopts(tt.author), "%+v", tt.author)
		before := p.digest()
		p.AdoptApplied = true
		assert.Equal(t, tt.asked, p.adopts(tt.author), "%+v with --adopt", tt.author)
		assert.NotEqual(t, before, p.digest(), "verdicts of the one are not the other's")
	}
}

func TestRecordableHoldsNoFormerObjects(t *testing.T) {
	body := parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  uid: u\n  annotations: {"+lastAppliedAnnotation+": old, "+kappOriginal+": old, note: mine}")
	assert.Equal(t, parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, uid: u, annotations: {note: mine}}"), Recordable(body))
}
