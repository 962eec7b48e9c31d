//go:build linux || darwin

package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/snapshot"
)

// shellConfig has bindings of every kind.
const shellConfig = `
configVersion: v1
onStartup: 1
beforeHelm: 1
afterHelm: 1
beforeDeleteHelm: 1
afterDeleteHelm: 1
schedule:
- {name: plain, crontab: "@daily"}
- {name: with-snapshots, crontab: "@daily", includeSnapshotsFrom: [settings, pods]}
- {name: grouped, crontab: "@daily", group: g}
- {crontab: "@hourly"}
kubernetes:
- {name: pods, kind: ConfigMap, jqFilter: .data, includeSnapshotsFrom: [settings]}
- {name: settings, kind: ConfigMap}
- {name: slim, kind: ConfigMap, jqFilter: .data, keepFullObjectsInMemory: false, group: g}
- {name: other, kind: ConfigMap, group: g, includeSnapshotsFrom: [settings]}
`

// told gives the binding contexts of a run.
func told(t *testing.T, h *Hook, source Source, triggers ...Trigger) []byte {
	t.Helper()
	c, err := h.contexts(t.Context(), triggers, source)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, c.write(&out))
	require.True(t, json.Valid(out.Bytes()))
	return out.Bytes()
}

// indented makes golden files that people can review.
func indented(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Indent(&out, data, "", "  "))
	return out.Bytes()
}

func testSource(t *testing.T) fixed {
	t.Helper()
	filtered := func(e snapshot.Entry, result any) snapshot.Entry {
		e.Result, e.Filtered = result, true
		return e
	}
	slim := filtered(entry(t, "slim", `{"n":"1"}`), map[string]any{"n": "1"})
	slim.Object = nil
	empty := filtered(entry(t, "empty", `{}`), map[string]any{})
	empty.Object = nil
	return fixed{
		"pods":     {filtered(entry(t, "a", `{"n":"1"}`), map[string]any{"n": "1"}), filtered(entry(t, "b", `null`), nil)},
		"settings": {entry(t, "settings", `{"html":"<&>","big":9007199254740993}`)},
		"slim":     {empty, slim},
		"other":    {},
	}
}

func TestContexts(t *testing.T) {
	h := one(t, shellConfig, "")
	source := testSource(t)
	change := func(name string, event binding.Event, e snapshot.Entry) Trigger {
		return Changed(name, snapshot.Change{Event: event, Entry: e})
	}
	for name, triggers := range map[string][]Trigger{
		"onStartup":               {Stage(binding.OnStartup)},
		"beforeHelm":              {Stage(binding.BeforeHelm)},
		"afterHelm":               {Stage(binding.AfterHelm)},
		"beforeDeleteHelm":        {Stage(binding.BeforeDeleteHelm)},
		"afterDeleteHelm":         {Stage(binding.AfterDeleteHelm)},
		"schedule":                {Scheduled("plain")},
		"schedule-snapshots":      {Scheduled("with-snapshots")},
		"schedule-without-name":   {Scheduled("schedule")},
		"schedule-group":          {Scheduled("grouped")},
		"synchronization":         {Synchronized("pods")},
		"synchronization-nothing": {Synchronized("settings")},
		"synchronization-group":   {Synchronized("other")},
		"event-added":             {change("pods", binding.Added, source["pods"][0])},
		"event-modified-null":     {change("pods", binding.Modified, source["pods"][1])},
		"event-deleted":           {change("settings", binding.Deleted, source["settings"][0])},
		"event-group":             {change("slim", binding.Modified, source["slim"][1])},
		"several": {
			Synchronized("settings"), change("pods", binding.Added, source["pods"][0]), Scheduled("grouped"),
			change("slim", binding.Added, source["slim"][1]), Scheduled("plain"), Synchronized("other"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			given := source
			if name == "synchronization-nothing" {
				given = fixed{}
			}
			golden(t, "contexts/"+name+".json", indented(t, told(t, h, given, triggers...)))
		})
	}
}

// A stage of a hook without kubernetes bindings comes with an empty map.
func TestContextsOfAStageWithoutBindings(t *testing.T) {
	h := one(t, "configVersion: v1\nbeforeHelm: 1", "")
	assert.JSONEq(t, `[{"binding":"beforeHelm","snapshots":{}}]`, string(told(t, h, nil, Stage(binding.BeforeHelm))))
}

func TestContextsOfABatch(t *testing.T) {
	set := load(t, loader(), batchBundle(t))
	state := set.Find("hooks/batchhooks:batch/state:0")
	source := fixed{"credentials": {{Filtered: true, Result: map[string]any{"name": "k"}}}}
	const snapshots = `"snapshots":{"credentials":[{"filterResult":{"name":"k"}}]}`
	assert.JSONEq(t, `[{"binding":"credentials","type":"Group","groupName":"main",`+snapshots+`}]`,
		string(told(t, state, source, Synchronized("credentials"), Changed("credentials", snapshot.Change{Event: binding.Added}))),
		"a batch hook sees the present, once")
	assert.JSONEq(t, `[{"binding":"beforeHelm",`+snapshots+`}]`, string(told(t, state, source, Stage(binding.BeforeHelm))))
	ready := set.Ready[0]
	assert.JSONEq(t, `[]`, string(told(t, ready, nil)))
}

// failing is a Source whose bindings fail.
type failing struct{}

func (failing) Snapshot(_ context.Context, hook, name string) (snapshot.Snapshot, error) {
	return nil, errors.New(hook + " can't see " + name)
}

func TestContextsFail(t *testing.T) {
	h := one(t, shellConfig, "")
	for name, tt := range map[string]struct {
		triggers []Trigger
		source   Source
		want     string
	}{
		"no trigger":         {nil, fixed{}, "nothing calls the hook"},
		"no such stage":      {[]Trigger{Stage("beforeAll")}, fixed{}, "the hook has no binding beforeAll"},
		"no such schedule":   {[]Trigger{Scheduled("x")}, fixed{}, "the hook has no binding x"},
		"no such kubernetes": {[]Trigger{Synchronized("x")}, fixed{}, "the hook has no binding x"},
		"no source":          {[]Trigger{Synchronized("pods")}, nil, "there is no source of snapshots"},
		"no snapshot":        {[]Trigger{Scheduled("with-snapshots")}, failing{}, "hooks/one.sh can't see pods\nhooks/one.sh can't see settings"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.contexts(t.Context(), tt.triggers, tt.source)
			assert.EqualError(t, err, tt.want)
		})
	}
	_, err := h.contexts(t.Context(), []Trigger{Stage(binding.OnStartup), Scheduled("plain")}, failing{})
	assert.NoError(t, err, "who needs no snapshot doesn't care")
}

// counting counts how often a snapshot is read.
type counting struct {
	fixed
	calls map[string]int
}

func (c counting) Snapshot(ctx context.Context, hook, name string) (snapshot.Snapshot, error) {
	c.calls[name]++
	return c.fixed.Snapshot(ctx, hook, name)
}

func TestSnapshotsAreReadOnceForARun(t *testing.T) {
	h := one(t, shellConfig, "")
	c := counting{testSource(t), map[string]int{}}
	told(t, h, c, Synchronized("pods"), Scheduled("with-snapshots"), Stage(binding.BeforeHelm), Synchronized("pods"))
	assert.Equal(t, map[string]int{"pods": 1, "settings": 1, "slim": 1, "other": 1}, c.calls)
}
