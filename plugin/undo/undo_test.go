package undo

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func body(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &out))
	return out
}

// world is a run on one manifest, and its record as it was before.
type world struct {
	t   *testing.T
	h   object.Hasher
	run Run
}

func newWorld(t *testing.T) *world {
	t.Helper()
	h := object.Hasher{Key: make([]byte, 32)}
	return &world{t: t, h: h, run: Run{
		Plan:    &plan.Plan{Manifests: []plan.Manifest{{Name: "m"}}},
		Written: map[object.Ref]bool{}, Hasher: h,
		Before: map[string]*state.Record{},
	}}
}

// did adds an object that the run wrote; live is nil for one that was not there.
func (w *world) did(op plan.Op, desired, live string) *plan.Object {
	w.t.Helper()
	o := &plan.Object{Manifest: "m", Op: op}
	if live != "" {
		o.Live = body(w.t, live)
		o.Ref = object.RefOf(o.Live)
	}
	if desired != "" {
		o.Desired = object.Object{Body: body(w.t, desired)}
		o.Ref = o.Desired.Ref()
	}
	w.run.Plan.Objects = append(w.run.Plan.Objects, o)
	w.run.Written[o.Ref] = true
	return o
}

// recorded is an entry as an apply of that text leaves it.
func (w *world) recorded(text string) state.Entry {
	w.t.Helper()
	b := body(w.t, text)
	keyed, err := w.h.Keyed(b)
	require.NoError(w.t, err)
	hash, err := w.h.Content(b)
	require.NoError(w.t, err)
	return state.Entry{Key: state.KeyOf("m", object.Object{Body: b}), ContentHash: hash, Body: keyed}
}

func (w *world) back(entries ...state.Entry) Back {
	w.run.Before["m"] = state.RecordOf("m", entries)
	return w.run.Back()
}

const (
	fast   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {mode: fast}}"
	slow   = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {mode: slow}}"
	oldKey = "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, stringData: {k: old}, data: {l: b2xk}}"
	newKey = "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, stringData: {k: new}, data: {l: b2xk}}"
)

func TestWhatWasRecordedIsWantedAgain(t *testing.T) {
	w := newWorld(t)
	w.did(plan.OpUpdate, slow, fast)
	b := w.back(w.recorded(fast))
	require.Len(t, b.Objects["m"], 1)
	assert.True(t, object.Equal(body(t, fast), b.Objects["m"][0].Body))
	assert.Empty(t, b.Lost)
}

// Drift is not made again: the way leads to what was recorded.
func TestDriftIsNotMadeAgain(t *testing.T) {
	w := newWorld(t)
	w.did(plan.OpUpdate, fast, slow)
	b := w.back(w.recorded(fast))
	assert.True(t, object.Equal(body(t, fast), b.Objects["m"][0].Body))
}

func TestWhatTheRunMadeIsWantedByNobody(t *testing.T) {
	w := newWorld(t)
	made := w.did(plan.OpCreate, slow, "")
	other := &plan.Object{Manifest: "m", Ref: object.Ref{Kind: "ConfigMap", Namespace: "x", Name: "other"}, Op: plan.OpDelete}
	b := w.back()
	assert.Empty(t, b.Objects)
	assert.Empty(t, b.Lost)
	next := &plan.Plan{
		Objects:  []*plan.Object{made, other},
		Leftover: []plan.Leftover{{}},
		Manifests: []plan.Manifest{{Name: "m", Gone: []state.Key{
			{Manifest: "m", Kind: "ConfigMap", Version: "v1", Namespace: "x", Name: "other"},
			{Manifest: "m", Kind: "ConfigMap", Version: "v1", Namespace: "x", Name: "a"},
		}}},
	}
	b.Only(next)
	assert.Equal(t, []*plan.Object{made}, next.Objects, "nothing else that the record lists")
	assert.Empty(t, next.Leftover)
	require.Len(t, next.Manifests[0].Gone, 1)
	assert.Equal(t, "a", next.Manifests[0].Gone[0].Name)
}

// One that was recorded and missing was made by the run: it stays, as recorded.
func TestMissingObjectsOfTheRecordStay(t *testing.T) {
	w := newWorld(t)
	w.did(plan.OpCreate, slow, "")
	b := w.back(w.recorded(fast))
	assert.True(t, object.Equal(body(t, fast), b.Objects["m"][0].Body))
}

func TestSecretsComeFromWhatWasLive(t *testing.T) {
	live := "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, data: {k: b2xk, l: b2xk, theirs: eA==}}"
	w := newWorld(t)
	w.did(plan.OpUpdate, newKey, live)
	b := w.back(w.recorded(oldKey))
	require.Empty(t, b.Lost)
	assert.True(t, object.Equal(body(t, oldKey), b.Objects["m"][0].Body), "in the fields that it was built with")

	w = newWorld(t)
	w.did(plan.OpUpdate, newKey, "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, data: {k: ZHJpZnQ=, l: b2xk}}")
	b = w.back(w.recorded(oldKey))
	assert.Empty(t, b.Objects)
	require.Len(t, b.Lost, 1)
	assert.Contains(t, b.Lost[0].String(), "Secret x/s: the record knows values of it by their hashes only")
}

func TestWhatIsLost(t *testing.T) {
	for name, c := range map[string]struct {
		did    func(w *world) *plan.Object
		entry  func(w *world) []state.Entry
		reason string
		wanted int
	}{
		"taken over": {
			did:    func(w *world) *plan.Object { return w.did(plan.OpAdopt, slow, fast) },
			entry:  func(*world) []state.Entry { return nil },
			reason: "it was there and in no record",
		},
		"an apply that never ended": {
			did:    func(w *world) *plan.Object { return w.did(plan.OpUpdate, slow, fast) },
			entry:  func(w *world) []state.Entry { e := w.recorded(fast); e.ContentHash = ""; return []state.Entry{e} },
			reason: "it was there and in no record",
		},
		"the original tool's": {
			did:    func(w *world) *plan.Object { return w.did(plan.OpUpdate, slow, fast) },
			entry:  func(w *world) []state.Entry { e := w.recorded(fast); e.Body = nil; return []state.Entry{e} },
			reason: "holds its hash only",
		},
		"deleted": {
			did:    func(w *world) *plan.Object { return w.did(plan.OpDelete, "", fast) },
			entry:  func(w *world) []state.Entry { return []state.Entry{w.recorded(fast)} },
			reason: "as a new object", wanted: 1,
		},
		"taken from others": {
			did: func(w *world) *plan.Object {
				o := w.did(plan.OpUpdate, slow, fast)
				o.Overridden = []plan.Author{{Manager: "b"}, {Manager: "a"}, {Manager: "b"}}
				return o
			},
			entry:  func(w *world) []state.Entry { return []state.Entry{w.recorded(fast)} },
			reason: "fields were taken from a, b", wanted: 1,
		},
	} {
		w := newWorld(t)
		c.did(w)
		b := w.back(c.entry(w)...)
		require.Len(t, b.Lost, 1, name)
		assert.Contains(t, b.Lost[0].Reason, c.reason, name)
		assert.Len(t, b.Objects["m"], c.wanted, name)
	}
}

func TestWhatTheRunDidNotWriteIsLeft(t *testing.T) {
	w := newWorld(t)
	o := w.did(plan.OpUpdate, slow, fast)
	w.run.Written = nil
	b := w.back(w.recorded(fast))
	assert.Empty(t, b.Objects)
	next := &plan.Plan{Objects: []*plan.Object{o}}
	b.Only(next)
	assert.Empty(t, next.Objects)
}

// What was not ready before the run is as it was before the run, ready or not.
func TestWhatWasNotReadyIsNotWaitedFor(t *testing.T) {
	job := func(image string, ready bool) string {
		status := "{conditions: [{type: Failed, status: 'True'}]}"
		if ready {
			status = "{conditions: [{type: Complete, status: 'True'}]}"
		}
		return "{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: x}, spec: {template: {spec: {containers: [{image: " + image + "}]}}}, status: " + status + "}"
	}
	for _, ready := range []bool{true, false} {
		w := newWorld(t)
		o := w.did(plan.OpUpdate, job("b", ready), job("a", ready))
		b := w.back(w.recorded(job("a", ready)))
		require.Empty(t, b.Lost)
		assert.Equal(t, ready, len(b.Unready) == 0)
		way := &plan.Object{Ref: o.Ref, Op: plan.OpUpdate}
		b.Only(&plan.Plan{Objects: []*plan.Object{way}})
		assert.Equal(t, !ready, way.Strategy.NoWait)
	}
}
