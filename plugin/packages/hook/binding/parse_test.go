package binding

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shop is the usual surrounding: an instance in namespace shop.
func shop() Options { return Options{Rule: Instance, Namespace: "shop"} }

func TestParseAllOfIt(t *testing.T) {
	const text = `
configVersion: v1
onStartup: 1
beforeHelm: -5
afterHelm: 20
beforeDeleteHelm: 0
afterDeleteHelm: 7
schedule:
- name: nightly
  crontab: "0 3 * * *"
  allowFailure: true
  queue: /modules/slow
  group: all
  includeSnapshotsFrom: [pods]
- crontab: "@every 90s"
- crontab: "CRON_TZ=UTC */30 * * * * *"
kubernetes:
- name: pods
  apiVersion: v1
  kind: Pod
  executeHookOnEvent: [Modified, Deleted]
  executeHookOnSynchronization: false
  waitForSynchronization: false
  keepFullObjectsInMemory: false
  resynchronizationPeriod: 5m
  nameSelector: {matchNames: [b, a, b]}
  labelSelector:
    matchLabels: {app: web}
    matchExpressions: [{key: tier, operator: In, values: [cache, front]}, {key: old, operator: DoesNotExist}]
  fieldSelector:
    matchExpressions: [{field: status.phase, operator: NotEquals, value: Failed}, {field: spec.nodeName, operator: "=", value: n1}]
  namespace: {nameSelector: {matchNames: [shop]}}
  jqFilter: .metadata.labels
  allowFailure: true
  includeSnapshotsFrom: [settings, pods]
  queue: pods
  group: all
- name: settings
  kind: configmap
  executeHookOnEvent: []
  group: all
settings:
  executionMinInterval: 3s
  executionBurst: 2
`
	c, warnings, err := Parse([]byte(text), shop())
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, map[Type]int64{OnStartup: 1, BeforeHelm: -5, AfterHelm: 20, BeforeDeleteHelm: 0, AfterDeleteHelm: 7}, c.Orders)
	assert.Equal(t, Settings{MinInterval: 3 * time.Second, Burst: 2}, c.Settings)

	require.Len(t, c.Schedules, 3)
	nightly := c.FindSchedule("nightly")
	require.NotNil(t, nightly)
	assert.Equal(t, "/modules/slow", nightly.Queue)
	assert.True(t, nightly.AllowFailure)
	assert.Equal(t, []string{"pods", "settings"}, c.Snapshots(nightly.IncludeSnapshotsFrom, nightly.Group))
	from := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	assert.Equal(t, from.Add(90*time.Second), c.Schedules[1].Times.Next(from))
	assert.Equal(t, from.Add(30*time.Second), c.Schedules[2].Times.Next(from))
	assert.Equal(t, "schedule", c.Schedules[2].Name)
	assert.Equal(t, MainQueue, c.Schedules[2].Queue)

	pods := c.FindKubernetes("pods")
	require.NotNil(t, pods)
	assert.Equal(t, "v1 Pod", pods.APIVersion+" "+pods.Kind)
	assert.Equal(t, []Event{Modified, Deleted}, pods.Events)
	assert.False(t, pods.OnSynchronization || pods.WaitForSynchronization || pods.KeepFullObjects)
	assert.Equal(t, 5*time.Minute, pods.Resynchronization)
	assert.Equal(t, []string{"a", "b"}, pods.Names)
	assert.Equal(t, "app=web,!old,tier in (cache,front)", pods.Labels.String())
	assert.Equal(t, []FieldRequirement{{"status.phase", false, "Failed"}, {"spec.nodeName", true, "n1"}}, pods.Fields)
	assert.Equal(t, []string{"shop"}, pods.Namespaces)
	assert.Equal(t, ".metadata.labels", pods.Filter.String())

	settings := c.FindKubernetes("settings")
	require.NotNil(t, settings)
	assert.Empty(t, settings.Events)
	assert.True(t, settings.OnSynchronization && settings.WaitForSynchronization && settings.KeepFullObjects, "defaults")
	assert.Equal(t, []string{"shop"}, settings.Namespaces, "bindings without a namespace are of the instance's")
	assert.Equal(t, []string{"pods", "settings"}, c.SnapshotNames())
	assert.Nil(t, c.FindKubernetes("none"))
	assert.Nil(t, c.FindSchedule("none"))
}

func TestParseDefaultsAndJSON(t *testing.T) {
	c, _, err := Parse([]byte(`{"configVersion":"v1","kubernetes":[{"kind":"Pod"}]}`), shop())
	require.NoError(t, err)
	k := c.Kubernetes[0]
	assert.Equal(t, "kubernetes", k.Name)
	assert.Equal(t, []Event{Added, Modified, Deleted}, k.Events)
	assert.Equal(t, MainQueue, k.Queue)
	assert.True(t, k.Labels.Empty())
	assert.Nil(t, k.Filter)
	assert.Empty(t, c.Snapshots(k.IncludeSnapshotsFrom, k.Group), "a binding gets no snapshots unless it asks")
}

func TestParseNamespacesAny(t *testing.T) {
	c, _, err := Parse([]byte(`
configVersion: v1
kubernetes:
- {name: all, kind: Pod}
- {name: two, kind: Pod, namespace: {nameSelector: {matchNames: [b, a]}}}
- {name: picked, kind: Pod, namespace: {labelSelector: {matchLabels: {pick: "yes"}}}}
`), Options{Rule: Any})
	require.NoError(t, err)
	assert.Empty(t, c.FindKubernetes("all").Namespaces)
	assert.Equal(t, []string{"a", "b"}, c.FindKubernetes("two").Namespaces)
	assert.Equal(t, "pick=yes", c.FindKubernetes("picked").NamespaceLabels.String())
}

func TestParseWarns(t *testing.T) {
	_, warnings, err := Parse([]byte(`
configVersion: v1
kubernetes: [{name: pods, kind: Pod, keepFullObjectsInMemory: false}]
`), shop())
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Equal(t, `binding "pods": kubernetes[0].keepFullObjectsInMemory: false without a jqFilter leaves nothing of the objects: the snapshot has empty entries`,
		warnings[0].String())
}

// The configurations of case J09.
func TestCaseJ09(t *testing.T) {
	for file, want := range map[string]string{
		"empty-crontab.yaml":    `binding "s": schedule[0].crontab: is empty`,
		"minute-61.yaml":        `binding "s": schedule[0].crontab: crontab "61 * * * *": end of range (61) above maximum (59): 61`,
		"unknown-snapshot.yaml": `binding "a": kubernetes[0].includeSnapshotsFrom[0]: "nobody" is no kubernetes binding of this hook; there are a`,
		"same-name.yaml":        `binding "a": kubernetes[1].name: "a" is the name of kubernetes[0] too`,
		"unknown-key.yaml":      `binding "a": kubernetes[0]: unknown key "nameSpace"; did you mean namespace?`,
		"not-yaml.txt":          `the output is no configuration: line 1: not YAML: did not find expected ',' or ']'`,
		"seconds.yaml":          "",
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", "J09", file))
			require.NoError(t, err)
			c, _, err := Parse(data, shop())
			if want == "" {
				require.NoError(t, err)
				assert.Len(t, c.Schedules, 2, "six fields and @every are fine")
				return
			}
			assert.EqualError(t, err, want)
		})
	}
}

// TestParseRefuses has one line for each mistake: the configuration below
// configVersion, and the message.
func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ config, want string }{
		{`onStartup: one`, `onStartup: wanted a whole number, found text`},
		{`onStartup: 1.5`, `onStartup: wanted a whole number, found a number`},
		{`onStartup: "1"`, `onStartup: wanted a whole number, found text`},
		{`onStartup: 9223372036854775807`, `onStartup: wanted a whole number from -9007199254740992 to 9007199254740992, found 9223372036854775807`},
		{`beforehelm: 1`, `unknown key "beforehelm"; did you mean beforeHelm?`},
		{`beforeAll: 1`, `beforeAll: is a binding of global hooks; an application package has beforeHelm and afterHelm`},
		{`kubernetesValidating: []`, `kubernetesValidating: hooks of application packages can't be webhooks`},
		{`onKubernetesEvent: []`, `onKubernetesEvent: is of configVersion v0; write kubernetes`},
		{`settings: {}`, `there is no binding in it, so nothing would ever call the hook`},
		{`schedule: {}`, `schedule: wanted a list, found a mapping`},
		{`schedule: [x]`, `schedule[0]: wanted a mapping, found text`},
		{`schedule: [{name: s}]`, `binding "s": schedule[0].crontab: is missing`},
		{`schedule: [{name: s, crontab: }]`, `binding "s": schedule[0].crontab: wanted text, found nothing`},
		{`schedule: [{name: s, crontab: 5}]`, `binding "s": schedule[0].crontab: wanted text, found a number`},
		{`schedule: [{name: s, crontab: "* * *"}]`, `binding "s": schedule[0].crontab: crontab "* * *": expected 5 to 6 fields, found 3: [* * *]`},
		{`schedule: [{crontab: "CRON_TZ=Mars/Base * * * * *"}]`, `schedule[0].crontab: crontab "CRON_TZ=Mars/Base * * * * *": unknown time zone "Mars/Base"`},
		{`schedule: [{crontab: "TZ=UTC"}]`, `schedule[0].crontab: crontab "TZ=UTC": nothing follows the time zone`},
		{`schedule: [{crontab: "TZ= 1 2 3 4 5"}]`, `schedule[0].crontab: crontab "TZ= 1 2 3 4 5": the time zone is empty`},
		{`schedule: [{crontab: "0 0 30 2 *"}]`, `schedule[0].crontab: crontab "0 0 30 2 *": there is no such day`},
		{`schedule: [{crontab: "@every 10ms"}]`, `schedule[0].crontab: crontab "@every 10ms": wanted at least 1s after @every`},
		{`schedule: [{crontab: "@every soon"}]`, `schedule[0].crontab: crontab "@every soon": wanted a duration such as 30s after @every, found "soon"`},
		{`schedule: [{crontab: "@reboot"}]`, `schedule[0].crontab: crontab "@reboot": unrecognized descriptor: @reboot`},
		{
			`schedule: [{name: s, crontab: "@daily"}, {name: s, crontab: "@hourly"}]`,
			`binding "s": schedule[1].name: "s" is the name of schedule[0] too`,
		},
		{
			`schedule: [{crontab: "@daily"}, {crontab: "@hourly", queue: slow}]`,
			`schedule[1]: has no name and differs from schedule[0] in more than its crontab: give it a name`,
		},
		{
			`schedule: [{name: s, crontab: "@daily", includeSnapshotsFrom: [a]}]`,
			`binding "s": schedule[0].includeSnapshotsFrom[0]: "a" is no kubernetes binding of this hook; there is none`,
		},
		{`schedule: [{crontab: "@daily", includeSnapshotsFrom: a}]`, `schedule[0].includeSnapshotsFrom: wanted a list, found text`},
		{`kubernetes: [{name: a}]`, `binding "a": kubernetes[0].kind: is missing`},
		{`kubernetes: [{kind: ""}]`, `kubernetes[0].kind: is empty`},
		{`kubernetes: [{kind: Pod}, {kind: Secret}]`, `kubernetes[1]: has no name, and neither has kubernetes[0]: give them names, their snapshots would be one`},
		{`kubernetes: [{kind: Pod, apiVersion: a/b/c}]`, `kubernetes[0].apiVersion: wanted GROUP/VERSION or VERSION, found "a/b/c"`},
		{`kubernetes: [{kind: Pod, executeHookOnEvent: [Created]}]`, `kubernetes[0].executeHookOnEvent[0]: wanted one of Added, Modified, Deleted, found "Created"`},
		{`kubernetes: [{kind: Pod, executeHookOnEvent: [Added, Added]}]`, `kubernetes[0].executeHookOnEvent[1]: Added is there twice`},
		{`kubernetes: [{kind: Pod, executeHookOnEvent: true}]`, `kubernetes[0].executeHookOnEvent: wanted a list, found a boolean`},
		{`kubernetes: [{kind: Pod, executeHookOnEvent: [], watchEvent: []}]`, `kubernetes[0].watchEvent: is the former name of executeHookOnEvent, which is there too`},
		{`kubernetes: [{kind: Pod, executeHookOnSynchronization: "yes"}]`, `kubernetes[0].executeHookOnSynchronization: wanted true or false, found text`},
		{`kubernetes: [{kind: Pod, waitForSynchronization: false}]`, `kubernetes[0].waitForSynchronization: false needs a queue of its own: give the binding a queue`},
		{`kubernetes: [{kind: Pod, resynchronizationPeriod: often}]`, `kubernetes[0].resynchronizationPeriod: wanted a duration such as 30s or 5m, found "often"`},
		{`kubernetes: [{kind: Pod, resynchronizationPeriod: -1s}]`, `kubernetes[0].resynchronizationPeriod: wanted a duration such as 30s or 5m, found "-1s"`},
		{`kubernetes: [{kind: Pod, nameSelector: {}}]`, `kubernetes[0].nameSelector.matchNames: is missing`},
		{`kubernetes: [{kind: Pod, nameSelector: {matchNames: []}}]`, `kubernetes[0].nameSelector.matchNames: is empty; leave nameSelector out to select all`},
		{`kubernetes: [{kind: Pod, nameSelector: {matchNames: [""]}}]`, `kubernetes[0].nameSelector.matchNames[0]: is empty`},
		{`kubernetes: [{kind: Pod, labelSelector: {}}]`, `kubernetes[0].labelSelector: is empty; leave it out to select all`},
		{`kubernetes: [{kind: Pod, labelSelector: {matchLabels: {a: 1}}}]`, `kubernetes[0].labelSelector.matchLabels.a: wanted text, found a number`},
		{`kubernetes: [{kind: Pod, labelSelector: {matchLabel: {a: b}}}]`, `kubernetes[0].labelSelector: unknown key "matchLabel"; did you mean matchLabels?`},
		{
			`kubernetes: [{kind: Pod, labelSelector: {matchExpressions: [{key: a, operator: Is, values: [b]}]}}]`,
			`kubernetes[0].labelSelector.matchExpressions[0].operator: wanted one of In, NotIn, Exists, DoesNotExist, found "Is"`,
		},
		{`kubernetes: [{kind: Pod, fieldSelector: {}}]`, `kubernetes[0].fieldSelector.matchExpressions: is missing`},
		{
			`kubernetes: [{kind: Pod, fieldSelector: {matchExpressions: [{field: a}]}}]`,
			`kubernetes[0].fieldSelector.matchExpressions[0]: operator and value is missing`,
		},
		{
			`kubernetes: [{kind: Pod, fieldSelector: {matchExpressions: [{field: a, operator: In, value: b}]}}]`,
			`kubernetes[0].fieldSelector.matchExpressions[0].operator: wanted one of =, ==, Equals, !=, NotEquals, found "In"`,
		},
		{
			`kubernetes: [{kind: Pod, nameSelector: {matchNames: [a]}, fieldSelector: {matchExpressions: [{field: metadata.name, operator: "=", value: a}]}}]`,
			`kubernetes[0].fieldSelector: metadata.name and nameSelector exclude each other`,
		},
		{`kubernetes: [{kind: Pod, namespace: {}}]`, `kubernetes[0].namespace: is empty; leave it out or name the namespaces`},
		{`kubernetes: [{kind: Pod, namespace: {matchNames: [a]}}]`, `kubernetes[0].namespace: unknown key "matchNames"`},
		{
			`kubernetes: [{name: cms, kind: ConfigMap, jqFilter: "{n: .data.n"}]`,
			`binding "cms": kubernetes[0].jqFilter: filter "{n: .data.n": unexpected EOF`,
		},
		{`settings: {executionMinInterval: 3}`, `settings.executionMinInterval: wanted text, found a number`},
		{`settings: {executionBurst: 0}`, `settings.executionBurst: wanted a whole number from 1 to 2147483648, found 0`},
		{`settings: {burst: 0}`, `settings: unknown key "burst"`},
	} {
		t.Run(tt.config, func(t *testing.T) {
			_, _, err := Parse([]byte("configVersion: v1\n"+tt.config+"\n"), shop())
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestParseRefusesTheWhole(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":         {"", "wanted a configuration on standard output, found no output at all"},
		"blank":           {" \n# only a comment\n", "wanted a configuration on standard output, found no output at all"},
		"a word":          {"hello", "wanted a mapping, found text"},
		"no version":      {"onStartup: 1", "configVersion: is missing: wanted v1"},
		"another version": {"configVersion: v2\nonStartup: 1", `configVersion: wanted one of v1, found "v2"`},
		"a key twice":     {"configVersion: v1\nonStartup: 1\nonStartup: 2", `the output is no configuration: line 3: not YAML: key "onStartup" already set in map`},
		"a key twice, JSON": {
			`{"configVersion":"v1","onStartup":1,"onStartup":2}`,
			`the output is no configuration: line 1, column 37: key "onStartup" is there twice`,
		},
		"two documents": {"configVersion: v1\nonStartup: 1\n---\nonStartup: 2", "the output is no configuration: line 3: wanted one document, found another one"},
		"cut off JSON":  {`{"configVersion":"v1",`, "the output is no configuration: line 1, column 23: not JSON: unexpected EOF"},
		"not UTF-8":     {"configVersion: v1\n# \xff", "the output is no configuration: line 2, column 3: not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Parse([]byte(tt.text), shop())
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestParseTellsAllMistakes(t *testing.T) {
	_, _, err := Parse([]byte(`
configVersion: v1
foo: 1
schedule: [{name: s, crontab: "61 * * * *"}]
kubernetes: [{name: a, kind: Pod, jqFilter: "("}, {name: b}]
`), shop())
	var failure *Error
	require.ErrorAs(t, err, &failure)
	assert.Len(t, failure.Findings, 4)
	assert.Len(t, strings.Split(err.Error(), "\n"), 4)
}

func TestInstanceRule(t *testing.T) {
	for name, tt := range map[string]struct{ namespace, want string }{
		"its own":  {`{nameSelector: {matchNames: [shop]}}`, ""},
		"another":  {`{nameSelector: {matchNames: [shop, other]}}`, `wanted "shop", found "other"`},
		"labels":   {`{labelSelector: {matchLabels: {pick: "yes"}}}`, "not namespaces chosen by labels"},
		"anything": {`{labelSelector: {matchExpressions: [{key: a, operator: Exists}]}}`, "not namespaces chosen by labels"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "configVersion: v1\nkubernetes: [{name: a, kind: Pod, namespace: " + tt.namespace + "}]"
			for _, rule := range []Rule{Instance, ""} {
				_, _, err := Parse([]byte(text), Options{Rule: rule, Namespace: "shop"})
				if tt.want == "" {
					assert.NoError(t, err)
					continue
				}
				assert.ErrorContains(t, err, tt.want)
				assert.ErrorContains(t, err, `binding "a": kubernetes[0].namespace`)
				assert.ErrorContains(t, err, "--hook-namespaces=instance")
			}
			_, _, err := Parse([]byte(text), Options{Rule: Any, Namespace: "shop"})
			assert.NoError(t, err)
		})
	}
}
