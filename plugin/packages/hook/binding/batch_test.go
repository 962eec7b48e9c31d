package binding

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// batchText is what a binary built with the SDK prints, odd keys included.
const batchText = `{"version":"v1","hooks":[
{"configVersion":"v1","metadata":{"name":"batch/state","path":"/hooks/state"},
 "kubernetes":[{"name":"credentials","apiVersion":"v1","kind":"Secret","nameSelector":{"matchNames":["d8a-x-key"]},
  "namespace":{"nameSelector":{"matchNames":["shop"]}},"labelSelector":{},"executeHookOnEvent":true,
  "keepFullObjectsInMemory":false,"jqFilter":"{name: .metadata.name}","queue":"slow","waitForSynchronization":false},
  {"name":"quiet","kind":"ConfigMap","nameSelector":{"matchNames":null},"executeHookOnEvent":false,"executeHookOnSynchronization":false,"keepFullObjectsInMemory":false,
   "fieldSelector":{"matchExpressions":[{"field":"metadata.name","operator":"NotEquals"}]}}],
 "beforeHelm":5,"settings":{"executionMinInterval":3000000000,"executionBurst":0,"EnableSchedulesOnStartup":null},"allowFailure":false,"logLevel":"INFO"},
{"configVersion":"v1","metadata":{"name":"batch/nightly","path":""},"schedule":[{"name":"nightly","crontab":"0 3 * * *","queue":"main"}],"queue":"main"}
],"readiness":{"configVersion":"v1","metadata":{"name":"readiness","path":"common-hooks/readiness"}},"has_settings_check":true}
`

func TestParseBatch(t *testing.T) {
	b, warnings, err := ParseBatch([]byte(batchText), shop())
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.True(t, b.SettingsCheck)
	require.NotNil(t, b.Readiness)
	assert.Equal(t, "readiness", b.Readiness.Name)
	require.Len(t, b.Hooks, 2)

	state := b.Hooks[0]
	assert.Equal(t, "batch/state", state.Name)
	assert.Equal(t, "/hooks/state", state.Path)
	assert.Equal(t, map[Type]int64{BeforeHelm: 5}, state.Config.Orders)
	assert.Equal(t, Settings{MinInterval: 3 * time.Second, Burst: 1}, state.Config.Settings)
	credentials := state.Config.FindKubernetes("credentials")
	require.NotNil(t, credentials)
	assert.Equal(t, []Event{Added, Modified, Deleted}, credentials.Events)
	assert.False(t, credentials.KeepFullObjects)
	assert.False(t, credentials.WaitForSynchronization)
	assert.Equal(t, MainQueue, credentials.Group, "changes are one run: a batch hook sees the present only")
	quiet := state.Config.FindKubernetes("quiet")
	assert.Empty(t, quiet.Events)
	assert.NotNil(t, quiet.Events)
	assert.True(t, quiet.KeepFullObjects, "without a filter there would be nothing to see")
	assert.Equal(t, []FieldRequirement{{Field: "metadata.name"}}, quiet.Fields, "the SDK leaves an empty value out")
	assert.Equal(t, []string{"credentials", "quiet"}, state.Config.Snapshots(nil, ""), "every run gets all snapshots")

	nightly := b.Hooks[1]
	assert.Equal(t, "nightly", nightly.Config.Schedules[0].Name)
	assert.True(t, nightly.Config.AllSnapshots)
}

func TestParseBatchOlderForms(t *testing.T) {
	b, warnings, err := ParseBatch([]byte("usage: batchhooks [command]\n"+
		`[{"configVersion":"v1","metadata":{"name":"a","path":"p"},"onStartup":1}]`), shop())
	require.NoError(t, err)
	require.Len(t, b.Hooks, 1)
	assert.Equal(t, int64(1), b.Hooks[0].Config.Orders[OnStartup])
	require.Len(t, warnings, 1)
	assert.Equal(t, "28 bytes of other text stand before the configuration on standard output", warnings[0].String())
}

func TestParseBatchWarns(t *testing.T) {
	_, warnings, err := ParseBatch([]byte(`{"version":"v1","later":1,"hooks":[{"configVersion":"v1","metadata":{"name":"a","path":"","extra":1},
"onStartup":1,"allowFailure":true,"unheardOf":{},"settings":{"EnableSchedulesOnStartup":true}},
{"configVersion":"v1","metadata":{"name":"b"},"kubernetes":[{"name":"k","kind":"Pod","waitForSynchronization":false}]}]}`), shop())
	require.NoError(t, err)
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	const unknown = "this version doesn't know the key; it is without effect"
	assert.ElementsMatch(t, []string{
		"later: " + unknown,
		`hook "a": hooks[0].metadata.extra: ` + unknown,
		`hook "a": hooks[0].allowFailure: of a whole hook is without effect in an application package; set it on the binding`,
		`hook "a": hooks[0].unheardOf: ` + unknown,
		`hook "a": hooks[0].settings.EnableSchedulesOnStartup: is without effect in an application package`,
		`hook "b": binding "k": hooks[1].kubernetes[0].waitForSynchronization: false is without effect, because the hook has no queue of its own`,
	}, texts)
}

func TestParseBatchRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":         {"", "wanted a configuration on standard output, found no output at all"},
		"only usage":      {"Usage: x\nFlags:\n", "the output is no configuration: line 1, column 1: not JSON: invalid character 'U' looking for beginning of value"},
		"no JSON after":   {"{\"version\":\"v1\"}\nUsage: x\n", "the output is no configuration: line 2, column 1: not JSON: invalid character 'U' looking for beginning of value"},
		"no hooks":        {`{"version":"v1"}`, "hooks: is missing"},
		"another version": {`{"version":"v2","hooks":[]}`, `version: wanted one of v1, found "v2"`},
		"startup and kubernetes": {
			`{"version":"v1","hooks":[{"configVersion":"v1","metadata":{"name":"a"},"onStartup":1,"kubernetes":[{"name":"k","kind":"Pod"}]}]}`,
			`hook "a": hooks[0].onStartup: excludes kubernetes bindings: a batch hook would be called without its snapshots`,
		},
		"another namespace": {
			`[{"configVersion":"v1","metadata":{"name":"a"},"kubernetes":[{"name":"k","kind":"Pod","namespace":{"nameSelector":{"matchNames":["x"]}}}]}]`,
			`hook "a": binding "k": hooks[0].kubernetes[0].namespace.nameSelector: hooks see the namespace of their instance only (--hook-namespaces=instance): wanted "shop", found "x"`,
		},
		"second hook": {
			`[{"configVersion":"v1","metadata":{"name":"a"},"onStartup":1},{"configVersion":"v1","metadata":{"name":"b"},"schedule":[{"name":"s","crontab":"x"}]}]`,
			`hook "b": binding "s": hooks[1].schedule[0].crontab: crontab "x": expected 5 to 6 fields, found 1: [x]`,
		},
		"no binding":  {`[{"configVersion":"v1","metadata":{"name":"a"}}]`, `hook "a": hooks[0]: there is no binding in it, so nothing would ever call the hook`},
		"no metadata": {`[{"onStartup":1}]`, `hook "hooks[0]": hooks[0].configVersion: is missing: wanted v1`},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ParseBatch([]byte(tt.text), shop())
			assert.EqualError(t, err, tt.want)
		})
	}
}
