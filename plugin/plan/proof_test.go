package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const provenLive = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  uid: u
  resourceVersion: "7"
  creationTimestamp: "2026-01-01T00:00:00Z"
  annotations: {note: theirs}
  managedFields:
  - {manager: tazuna, operation: Apply, time: "2026-01-02T00:00:00Z", fieldsV1: {"f:data": {}}}
data: {k: v}`

// planned is an object as the planner has it after a run.
func planned(t *testing.T) *wanted {
	t.Helper()
	w := &wanted{recorded: true}
	w.out = &Object{Send: parsed(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}"), ContentHash: "hash", again: w}
	w.entry = state.Entry{UID: "u", ResourceVersion: "7", ContentHash: "hash"}
	return w
}

func TestProofIsOnlyOfWhatIsLiveAsSent(t *testing.T) {
	p := Planner{Policy: ManifestPolicy(), Circumstances: "here"}
	tests := map[string]struct {
		live string
		want bool
	}{
		"as sent":                   {provenLive, true},
		"a webhook changed a value": {strings.Replace(provenLive, "{k: v}", "{k: w}", 1), false},
		"a webhook dropped it":      {strings.Replace(provenLive, "{k: v}", "{}", 1), false},
		"somebody added to it":      {strings.Replace(provenLive, "{k: v}", "{k: v, more: '1'}", 1), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, p.Proof(planned(t).out, parsed(t, tt.live)) != "")
		})
	}
	w := planned(t)
	w.out.ContentHash = ""
	assert.Empty(t, p.Proof(w.out, parsed(t, provenLive)), "without a hash there is nothing to prove it by")
	p.Circumstances = ""
	assert.Empty(t, p.Proof(planned(t).out, parsed(t, provenLive)), "under unknown circumstances nothing is proven")
}

// Everything that may change a verdict has to undo a proof.
func TestProven(t *testing.T) {
	metadata := strings.Split(strings.Replace(provenLive, `, fieldsV1: {"f:data": {}}`, "", 1), "\ndata:")[0]
	tests := map[string]struct {
		planner func(p *Planner)
		wanted  func(w *wanted)
		live    func(text string) string
		want    bool
	}{
		"nothing changed":        {want: true},
		"other annotations":      {live: replace("note: theirs", "note: mine"), want: true}, // with another resourceVersion
		"another version":        {live: replace(`"7"`, `"8"`)},
		"another object":         {live: replace("uid: u", "uid: v")},
		"on its way out":         {live: replace("uid: u", "uid: u\n  deletionTimestamp: '2026-01-03T00:00:00Z'")},
		"restored from a backup": {live: replace("2026-01-02", "2026-01-03")},
		"another manager":        {live: replace("manager: tazuna", "manager: kubectl")},
		"another generation":     {live: replace("uid: u", "uid: u\n  generation: 2")},
		"looking at everything":  {planner: func(p *Planner) { p.Refresh = true }},
		"another version of us":  {planner: func(p *Planner) { p.ToolVersion = "2" }},
		"another webhook":        {planner: func(p *Planner) { p.Circumstances = "there" }},
		"unknown webhooks":       {planner: func(p *Planner) { p.Circumstances = "" }},
		"force":                  {planner: func(p *Planner) { p.Policy.ForceConflicts = true }},
		"another field manager":  {planner: func(p *Planner) { p.Policy.FieldManager = "other" }},
		"taking over more":       {planner: func(p *Planner) { p.Policy.AdoptApplied = true }},
		"dropping kapp's labels": {planner: func(p *Planner) { p.Policy.DropKappLabels = true }},
		"other files":            {wanted: func(w *wanted) { w.out.ContentHash = "other" }},
		"other files last":       {wanted: func(w *wanted) { w.entry.ContentHash = "other" }},
		"another schema":         {wanted: func(w *wanted) { w.schemaVersion = "2" }},
		"an unknown schema":      {wanted: func(w *wanted) { w.schemaUnknown = true }},
		"an autoscaler":          {wanted: func(w *wanted) { w.scaled = true }},
		"not recorded":           {wanted: func(w *wanted) { w.recorded = false }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, w, text := Planner{Policy: ManifestPolicy(), Circumstances: "here"}, planned(t), metadata
			w.entry.InputKey = p.Proof(w.out, parsed(t, provenLive))
			require.NotEmpty(t, w.entry.InputKey)
			require.True(t, p.provable(w))
			if tt.planner != nil {
				tt.planner(&p)
			}
			if tt.wanted != nil {
				tt.wanted(w)
			}
			if tt.live != nil {
				text = tt.live(text)
			}
			assert.Equal(t, tt.want, p.proven(w, &unstructured.Unstructured{Object: parsed(t, text)}))
		})
	}
	assert.False(t, Planner{}.proven(planned(t), nil), "an object that is gone")
}

// What nobody wrote since is no drift, whatever else changed.
func TestUntouched(t *testing.T) {
	metadata := strings.Split(strings.Replace(provenLive, `, fieldsV1: {"f:data": {}}`, "", 1), "\ndata:")[0]
	tests := map[string]struct {
		entry func(e *state.Entry)
		live  func(text string) string
		want  bool
	}{
		"nobody wrote it":            {want: true},
		"another version":            {live: replace(`"7"`, `"8"`)},
		"another object":             {live: replace("uid: u", "uid: v")},
		"on its way out":             {live: replace("uid: u", "uid: u\n  deletionTimestamp: '2026-01-03T00:00:00Z'")},
		"restored from a backup":     {live: replace("2026-01-02", "2026-01-03")},
		"not proven by the last run": {entry: func(e *state.Entry) { e.InputKey = "" }},
		"another kind of proof":      {entry: func(e *state.Entry) { e.InputKey = "0123" }},
		"an apply that didn't end":   {entry: func(e *state.Entry) { e.ContentHash = "" }},
		"a custom resource":          {entry: func(e *state.Entry) { e.Key.Group = "example.com" }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p, w, text := Planner{Policy: ManifestPolicy(), Circumstances: "here"}, planned(t), metadata
			w.entry.InputKey = p.Proof(w.out, parsed(t, provenLive))
			if tt.entry != nil {
				tt.entry(&w.entry)
			}
			if tt.live != nil {
				text = tt.live(text)
			}
			assert.Equal(t, tt.want, Untouched(w.entry, &unstructured.Unstructured{Object: parsed(t, text)}))
		})
	}
	assert.False(t, Untouched(state.Entry{}, nil), "an object that is gone")
}

func replace(old, now string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, now, 1) }
}
