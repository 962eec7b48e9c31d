package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
)

// bound is a kubernetes binding named b with these keys.
func bound(t *testing.T, keys string) *binding.Kubernetes {
	t.Helper()
	c, _, err := binding.Parse([]byte("configVersion: v1\nkubernetes: [{name: b, kind: ConfigMap"+keys+"}]"), binding.Options{Rule: binding.Any})
	require.NoError(t, err)
	return &c.Kubernetes[0]
}

// configMap is an object; rest are further keys, beginning with a comma.
func configMap(t *testing.T, namespace, name, rest string) map[string]any {
	t.Helper()
	body, err := object.DecodeJSON(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":%q,"name":%q}%s}`, namespace, name, rest))
	require.NoError(t, err)
	return body
}

func set(t *testing.T, tracker *Tracker, body map[string]any) *Change {
	t.Helper()
	change, err := tracker.Set(t.Context(), body)
	require.NoError(t, err)
	return change
}

func text(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return string(data)
}

func TestTrackerEvents(t *testing.T) {
	tracker := NewTracker(bound(t, ", jqFilter: .data"))
	one := configMap(t, "ns", "a", `,"data":{"x":"1"}`)

	change := set(t, tracker, one)
	require.NotNil(t, change)
	assert.Equal(t, binding.Added, change.Event)
	assert.Equal(t, map[string]any{"x": "1"}, change.Entry.Result)

	assert.Nil(t, set(t, tracker, configMap(t, "ns", "a", `,"data":{"x":"1"},"status":{"seen":true}`)), "what the filter leaves out calls nobody")
	now, err := tracker.Snapshot()
	require.NoError(t, err)
	assert.Contains(t, text(t, now), `"seen":true`, "the snapshot has it all the same")

	change = set(t, tracker, configMap(t, "ns", "a", `,"data":{"x":"2"}`))
	require.NotNil(t, change)
	assert.Equal(t, binding.Modified, change.Event)

	change = tracker.Remove(object.RefOf(one))
	require.NotNil(t, change)
	assert.Equal(t, binding.Deleted, change.Event)
	assert.Equal(t, map[string]any{"x": "2"}, change.Entry.Result, "the last known state")
	assert.Nil(t, tracker.Remove(object.RefOf(one)))
	assert.Equal(t, Counts{Added: 1, Modified: 1, Deleted: 1}, tracker.Counts())
}

// A hook that writes to the object it watches comes to rest.
func TestOwnWritesDoNotCallAgain(t *testing.T) {
	tracker := NewTracker(bound(t, ", jqFilter: .spec"))
	runs := 0
	body := configMap(t, "ns", "a", `,"spec":{"x":1}`)
	for range 5 {
		if set(t, tracker, body) == nil {
			break
		}
		runs++
		body = configMap(t, "ns", "a", fmt.Sprintf(`,"spec":{"x":1},"annotations":{"run":"%d"}`, runs))
	}
	assert.Equal(t, 1, runs)
}

func TestTrackerExecutesOnChosenEventsOnly(t *testing.T) {
	tracker := NewTracker(bound(t, ", executeHookOnEvent: [Added]"))
	assert.NotNil(t, set(t, tracker, configMap(t, "ns", "a", "")))
	assert.Nil(t, set(t, tracker, configMap(t, "ns", "a", `,"data":{}`)))
	assert.Nil(t, tracker.Remove(object.RefOf(configMap(t, "ns", "a", ""))))
	none := NewTracker(bound(t, ", executeHookOnEvent: []"))
	assert.Nil(t, set(t, none, configMap(t, "ns", "a", "")))
	now, err := none.Snapshot()
	require.NoError(t, err)
	assert.Len(t, now, 1)
}

func TestTrackerWithoutFilterComparesWholeObjects(t *testing.T) {
	tracker := NewTracker(bound(t, ""))
	set(t, tracker, configMap(t, "ns", "a", `,"data":{"x":"1"}`))
	assert.Nil(t, set(t, tracker, configMap(t, "ns", "a", `,"data":{"x":"1"}`)))
	assert.NotNil(t, set(t, tracker, configMap(t, "ns", "a", `,"data":{"x":"2"}`)))
}

// An object that moves out of sight is Deleted, one that moves in is Added.
func TestTrackerFollowsTheSelection(t *testing.T) {
	tracker := NewTracker(bound(t, `, labelSelector: {matchLabels: {pick: "yes"}}`))
	unlabelled := configMap(t, "ns", "a", "")
	labelled := configMap(t, "ns", "a", "")
	labelled["metadata"].(map[string]any)["labels"] = map[string]any{"pick": "yes"}
	assert.Nil(t, set(t, tracker, unlabelled))
	assert.Equal(t, binding.Added, set(t, tracker, labelled).Event)
	assert.Equal(t, binding.Deleted, set(t, tracker, unlabelled).Event)
}

func TestReset(t *testing.T) {
	tracker := NewTracker(bound(t, ", jqFilter: .data"))
	a, b, c := configMap(t, "ns", "a", ""), configMap(t, "ns", "b", ""), configMap(t, "ns", "c", "")
	changes, err := tracker.Reset(t.Context(), []map[string]any{b, a})
	require.NoError(t, err)
	assert.Equal(t, "Added b, Added a", events(changes))
	changes, err = tracker.Reset(t.Context(), []map[string]any{configMap(t, "ns", "b", `,"data":{"x":"1"}`), c})
	require.NoError(t, err)
	assert.Equal(t, "Deleted a, Modified b, Added c", events(changes))
	changes, err = tracker.Reset(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, "Deleted b, Deleted c", events(changes))
}

func events(changes []Change) string {
	out := ""
	for i, c := range changes {
		if i > 0 {
			out += ", "
		}
		out += string(c.Event) + " " + c.Entry.Ref.Name
	}
	return out
}

// Case J01: an error with the object's name while the filter fails, never a null.
func TestFilterThatFails(t *testing.T) {
	tracker := NewTracker(bound(t, `, jqFilter: ".data.n | tonumber"`))
	good, odd := configMap(t, "ns", "good", `,"data":{"n":"7"}`), configMap(t, "ns", "odd", `,"data":{"n":"s3cret"}`)
	set(t, tracker, good)
	_, err := tracker.Set(t.Context(), odd)
	var failure *Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, "b", failure.Binding)
	assert.Equal(t, object.RefOf(odd), failure.Ref)
	assert.ErrorContains(t, err, `binding "b": ConfigMap ns/odd: filter ".data.n | tonumber": `)
	assert.NotContains(t, err.Error(), "s3cret")

	_, err = tracker.Snapshot()
	assert.ErrorContains(t, err, "ConfigMap ns/odd")
	assert.NotNil(t, set(t, tracker, configMap(t, "ns", "good", `,"data":{"n":"8"}`)), "other objects go on")

	change := set(t, tracker, configMap(t, "ns", "odd", `,"data":{"n":"9"}`))
	require.NotNil(t, change)
	assert.Equal(t, binding.Added, change.Event)
	_, err = tracker.Snapshot()
	assert.NoError(t, err)

	t.Run("one that was in order before calls again, though nothing differs", func(t *testing.T) {
		_, err := tracker.Set(t.Context(), configMap(t, "ns", "odd", `,"data":{"n":"x"}`))
		require.Error(t, err)
		change := set(t, tracker, configMap(t, "ns", "odd", `,"data":{"n":"9"}`))
		require.NotNil(t, change)
		assert.Equal(t, binding.Modified, change.Event)
	})
	t.Run("one that is deleted is no error any more", func(t *testing.T) {
		_, err := tracker.Set(t.Context(), configMap(t, "ns", "odd", `,"data":{"n":"x"}`))
		require.Error(t, err)
		assert.NotNil(t, tracker.Remove(object.RefOf(odd)))
		_, err = tracker.Snapshot()
		assert.NoError(t, err)
	})
	t.Run("a list names the first of many", func(t *testing.T) {
		var bodies []map[string]any
		for i := range 8 {
			bodies = append(bodies, configMap(t, "ns", fmt.Sprint("odd-", i), `,"data":{"n":"x"}`))
		}
		_, err := tracker.Reset(t.Context(), bodies)
		assert.ErrorContains(t, err, "ConfigMap ns/odd-4")
		assert.ErrorContains(t, err, "and 3 more objects")
		_, err = Take(t.Context(), bound(t, `, jqFilter: ".data.n | tonumber"`), bodies)
		assert.ErrorContains(t, err, "and 3 more objects")
		_, err = tracker.Snapshot()
		assert.Error(t, err)
		_, err = tracker.Reset(t.Context(), nil)
		require.NoError(t, err)
		now, err := tracker.Snapshot()
		require.NoError(t, err)
		assert.Empty(t, now)
	})
}

func TestSnapshotIsSortedAndKeepsEmptyResults(t *testing.T) {
	k := bound(t, `, jqFilter: "{}", keepFullObjectsInMemory: false`)
	bodies := []map[string]any{
		configMap(t, "b", "a", ""), configMap(t, "a", "b", ""), configMap(t, "a", "a", ""), configMap(t, "", "z", ""),
	}
	tracker := NewTracker(k)
	_, err := tracker.Reset(t.Context(), bodies)
	require.NoError(t, err)
	tracked, err := tracker.Snapshot()
	require.NoError(t, err)
	taken, err := Take(t.Context(), k, bodies)
	require.NoError(t, err)
	assert.Equal(t, tracked, taken, "both ways give one snapshot")
	var names []string
	for _, e := range taken {
		names = append(names, e.Ref.Namespace+"/"+e.Ref.Name)
	}
	assert.Equal(t, []string{"/z", "a/a", "a/b", "b/a"}, names)
	assert.Equal(t, `[{"filterResult":{}},{"filterResult":{}},{"filterResult":{}},{"filterResult":{}}]`, text(t, taken))
	assert.Equal(t, "[]", text(t, Snapshot(nil)))
}

func TestEntryForms(t *testing.T) {
	body := configMap(t, "ns", "a", `,"data":{"n":1}`)
	for name, tt := range map[string]struct{ keys, want string }{
		"whole":              {"", `{"object":` + text(t, body) + `}`},
		"with a filter":      {", jqFilter: .data.n", `{"filterResult":1,"object":` + text(t, body) + `}`},
		"filter only":        {", jqFilter: .data.n, keepFullObjectsInMemory: false", `{"filterResult":1}`},
		"a filter to null":   {", jqFilter: .none, keepFullObjectsInMemory: false", `{"filterResult":null}`},
		"nothing of objects": {", keepFullObjectsInMemory: false", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			taken, err := Take(t.Context(), bound(t, tt.keys), []map[string]any{body})
			require.NoError(t, err)
			assert.Equal(t, "["+tt.want+"]", text(t, taken))
		})
	}
}

func TestSelects(t *testing.T) {
	body := configMap(t, "ns", "a", `,"spec":{"node":"n1","on":true,"count":3,"part":1.5},"status":{}`)
	body["metadata"].(map[string]any)["labels"] = map[string]any{"app": "web", "odd": int64(1)}
	field := func(field, operator, value string) string {
		return fmt.Sprintf(", fieldSelector: {matchExpressions: [{field: %s, operator: %q, value: %q}]}", field, operator, value)
	}
	for keys, want := range map[string]bool{
		"":                                     true,
		", nameSelector: {matchNames: [b, a]}": true,
		", nameSelector: {matchNames: [b]}":    false,
		", namespace: {nameSelector: {matchNames: [ns]}}":                              true,
		", namespace: {nameSelector: {matchNames: [other]}}":                           false,
		", namespace: {labelSelector: {matchLabels: {a: b}}}":                          true,
		", labelSelector: {matchLabels: {app: web}}":                                   true,
		", labelSelector: {matchLabels: {app: db}}":                                    false,
		", labelSelector: {matchExpressions: [{key: odd, operator: DoesNotExist}]}":    true,
		", labelSelector: {matchExpressions: [{key: app, operator: In, values: [x]}]}": false,
		field("spec.node", "=", "n1"):                                                  true,
		field("spec.node", "NotEquals", "n1"):                                          false,
		field("spec.on", "==", "true"):                                                 true,
		field("spec.count", "Equals", "3"):                                             true,
		field("spec.part", "Equals", "1.5"):                                            true,
		field("spec.none.deeper", "Equals", ""):                                        true,
		field("status.phase", "!=", "Failed"):                                          true,
		field("metadata.name", "=", "b"):                                               false,
	} {
		assert.Equal(t, want, Selects(bound(t, keys), body), keys)
	}
}

// Case J11: memory stays flat with 5000 updates of one object.
func TestTrackerStaysSmall(t *testing.T) {
	tracker := NewTracker(bound(t, ", jqFilter: .data.n"))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	update := func(i int) {
		body := configMap(t, "ns", "counter", fmt.Sprintf(`,"data":{"n":"%d","bulk":"%0*d"}`, i, 10000, i))
		require.NotNil(t, set(t, tracker, body))
	}
	update(0)
	before := heap()
	for i := range 5000 {
		update(i + 1)
	}
	assert.Less(t, int64(heap())-int64(before), int64(4<<20))
	now, err := tracker.Snapshot()
	require.NoError(t, err)
	require.Len(t, now, 1)
	assert.Equal(t, "5000", now[0].Result)
}

func TestTrackerIsSafeForManyUsers(t *testing.T) {
	tracker := NewTracker(bound(t, ", jqFilter: .data.n"))
	var users sync.WaitGroup
	for i := range 4 {
		users.Go(func() {
			for j := range 50 {
				body := configMap(t, "ns", fmt.Sprint(i), fmt.Sprintf(`,"data":{"n":"%d"}`, j))
				if _, err := tracker.Set(t.Context(), body); err != nil {
					t.Error(err)
				}
				if _, err := tracker.Snapshot(); err != nil {
					t.Error(err)
				}
				if j%10 == 9 {
					tracker.Remove(object.RefOf(body))
				}
			}
		})
	}
	users.Wait()
	now, err := tracker.Snapshot()
	require.NoError(t, err)
	assert.Empty(t, now)
}

func TestErrorUnwraps(t *testing.T) {
	cause := errors.New("cause")
	assert.ErrorIs(t, &Error{Err: cause}, cause)
}
