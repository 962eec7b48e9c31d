package output

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func operations(t testing.TB, text string) []Operation {
	t.Helper()
	all, err := ParseOperations([]byte(text))
	require.NoError(t, err)
	return all
}

func operation(t testing.TB, text string) Operation {
	t.Helper()
	all := operations(t, text)
	require.Len(t, all, 1)
	return all[0]
}

func TestParseOperations(t *testing.T) {
	all := operations(t, `
operation: Create
object: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3}}
---
operation: CreateOrUpdate
object: |
  {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"big":"1"}}
---
{"operation":"CreateIfNotExists","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}},"namespace":"shop"}
{"operation":"Delete","kind":"pod","name":"p","namespace":"shop"}
{"operation":"DeleteInBackground","apiVersion":"batch/v1","kind":"Job","name":"j"}
{"operation":"DeleteNonCascading","kind":"Job","name":"j","subresource":""}
---
operation: MergePatch
kind: Deployment
apiVersion: apps/v1
name: web
subresource: status
ignoreMissingObject: true
ignoreHookError: true
mergePatch: |
  spec:
    replicas: 1
    paused: null
---
operation: JSONPatch
kind: Deployment
name: web
ignoreMissingObjects: true
jsonPatch: [{op: move, from: /a, path: /b}]
---
operation: JSONPatch
kind: Deployment
name: web
jsonPatch: '[{"op":"test","path":"/a","value":1}]'
---
operation: JQPatch
kind: Deployment
name: web
jqFilter: .spec.replicas = 1
`)
	var texts []string
	for _, o := range all {
		texts = append(texts, o.String())
	}
	assert.Equal(t, []string{
		"operation 1: Create of Deployment.apps shop/web",
		"operation 2: CreateOrUpdate of ConfigMap a",
		"operation 3: CreateIfNotExists of ConfigMap shop/b",
		"operation 4: Delete of pod shop/p",
		"operation 5: DeleteInBackground of Job.batch j",
		"operation 6: DeleteNonCascading of Job j",
		"operation 7: MergePatch of status of Deployment.apps web",
		"operation 8: JSONPatch of Deployment web",
		"operation 9: JSONPatch of Deployment web",
		"operation 10: JQPatch of Deployment web",
	}, texts)
	assert.Equal(t, int64(3), all[0].Object["spec"].(map[string]any)["replicas"])
	assert.Equal(t, map[string]any{"name": "b", "namespace": "shop"}, all[2].Object["metadata"], "the namespace beside the object counts")
	assert.Equal(t, map[string]any{"spec": map[string]any{"replicas": int64(1), "paused": nil}}, all[6].MergePatch, "null is there, it removes")
	assert.True(t, all[6].IgnoreMissing && all[6].IgnoreHookError && all[6].DespiteFailure())
	assert.True(t, all[7].IgnoreMissing, "in the spelling of the SDK")
	assert.False(t, all[7].DespiteFailure())
	assert.Equal(t, OpTest, all[8].JSONPatch[0].Op)
	assert.Equal(t, ".spec.replicas = 1", all[9].JQ.String())
	assert.True(t, all[0].Creates() && all[3].Deletes() && !all[6].Creates() && !all[6].Deletes())

	for _, o := range all {
		again := operation(t, encoded(t, o))
		again.Number = o.Number
		assert.Equal(t, encoded(t, o), encoded(t, again), "it is written as it is read")
	}
}

func TestParseOperationsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"operation":"Create"`: "line 1, column 22: not JSON: unexpected EOF",
		`a list: [`:             "line 1: not YAML: did not find expected node content",
		`[]`:                    "document 1: wanted a mapping, found a list",
		`{}`:                    "document 1.operation: is missing",
		`operation: Destroy`: "document 1.operation: wanted one of Create, CreateOrUpdate, CreateIfNotExists, Delete, DeleteInBackground, " +
			`DeleteNonCascading, JQPatch, MergePatch, JSONPatch, found "Destroy"`,
		`operation: Create`:                                                                             "document 1.object: is missing: Create needs it",
		`{operation: Create, object: null}`:                                                             "document 1.object: is missing: Create needs it",
		`{operation: Create, object: [1]}`:                                                              "document 1.object: wanted a mapping, found a list",
		`{operation: Create, object: "a: [1"}`:                                                          "document 1.object: the text in it: line 1: not YAML: did not find expected ',' or ']'",
		`{operation: Create, object: ""}`:                                                               "document 1.object: the text in it: there is nothing in it",
		`{operation: Create, object: {kind: Pod, metadata: {name: a}}}`:                                 "document 1.object.apiVersion: is missing",
		`{operation: Create, object: {apiVersion: v1, metadata: {name: a}}}`:                            "document 1.object.kind: is missing",
		`{operation: Create, object: {apiVersion: v1, kind: Pod, metadata: {generateName: a}}}`:         "document 1.object.metadata.name: is missing",
		`{operation: Create, object: {apiVersion: v1, kind: Pod, metadata: {name: 5}}}`:                 "document 1.object.metadata.name: wanted text, found a number",
		`{operation: Create, object: {apiVersion: a/b/c, kind: Pod, metadata: {name: a}}}`:              `document 1.object.apiVersion: wanted GROUP/VERSION or VERSION, found "a/b/c"`,
		`{operation: Create, name: b, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}}`:        `document 1.name: "b", but the object says "a"`,
		`{operation: Create, mergePatch: {}, object: {apiVersion: v1, kind: Pod, metadata: {name: a}}}`: "document 1.mergePatch: is not a key of Create",
		`{operation: Delete, kind: Pod}`:                                                                "document 1.name: is missing: Delete needs it",
		`{operation: Delete, kind: "", name: a}`:                                                        "document 1.kind: is empty",
		`{operation: Delete, kind: Pod, name: " "}`:                                                     "document 1.name: is empty",
		`{operation: Delete, kind: Pod, name: a, jqFilter: .}`:                                          "document 1.jqFilter: is not a key of Delete",
		`{operation: Delete, kind: Pod, name: a, Namespace: b}`:                                         `document 1: unknown key "Namespace"; did you mean namespace?`,
		`{operation: MergePatch, kind: Pod, name: a}`:                                                   "document 1.mergePatch: is missing: MergePatch needs it",
		`{operation: MergePatch, kind: Pod, name: a, mergePatch: []}`:                                   "document 1.mergePatch: wanted a mapping, found a list",
		`{operation: MergePatch, kind: Pod, name: a, jsonPatch: []}`:                                    "2 mistakes:\n  document 1.mergePatch: is missing: MergePatch needs it\n  document 1.jsonPatch: is not a key of MergePatch",
		`{operation: JSONPatch, kind: Pod, name: a, jsonPatch: {}}`:                                     "document 1.jsonPatch: wanted a list, found a mapping",
		`{operation: JSONPatch, kind: Pod, name: a, jsonPatch: [{op: add}]}`:                            "2 mistakes:\n  document 1.jsonPatch[0].path: is missing\n  document 1.jsonPatch[0].value: is missing",
		`{operation: JQPatch, kind: Pod, name: a, jqFilter: "("}`:                                       `document 1.jqFilter: filter "(": unexpected EOF`,
		`{operation: JQPatch, kind: Secret, name: a, jqFilter: ".x = \"s3cret"}`:                        "document 1.jqFilter: the filter can't be compiled",
		`{operation: JQPatch, kind: Pod, name: a, jqFilter: ""}`:                                        "document 1.jqFilter: is empty",
		`{operation: JQPatch, kind: Pod, name: a, jqFilter: 1}`:                                         "document 1.jqFilter: wanted text, found a number",
		`{operation: Delete, kind: Pod, name: a, ignoreMissingObject: "yes"}`:                           "document 1.ignoreMissingObject: wanted true or false, found text",
		"{operation: Delete, kind: Pod, name: a}\n---\n{operation: Delete, x: 1}":                       `document 2: unknown key "x"`,
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseOperations([]byte(text))
			assert.EqualError(t, err, "KUBERNETES_PATCH_PATH: "+want)
		})
	}
}

// Row 35 of the complaints: a hook of instance x can't delete what is y's.
func TestScope(t *testing.T) {
	o, note := operation(t, `{"operation":"Delete","kind":"ConfigMap","name":"state"}`).Scope("shop", "x")
	assert.Equal(t, "operation 1: Delete of ConfigMap shop/d8a-x-state", o.String())
	assert.Equal(t, `name "state" became "d8a-x-state"`, note)

	o, note = operation(t, `{"operation":"Delete","kind":"ConfigMap","name":"d8a-y-state","namespace":"kube-system"}`).Scope("shop", "x")
	assert.Equal(t, "operation 1: Delete of ConfigMap shop/d8a-x-d8a-y-state", o.String())
	assert.Equal(t, `namespace "kube-system" became "shop", name "d8a-y-state" became "d8a-x-d8a-y-state"`, note)

	before := operation(t, `{"operation":"Create","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"state","labels":{"a":"b"}},"data":{}}}`)
	o, _ = before.Scope("shop", "x")
	assert.Equal(t, `{"apiVersion":"v1","data":{},"kind":"ConfigMap","metadata":{"labels":{"a":"b"},"name":"d8a-x-state","namespace":"shop"}}`, encoded(t, o.Object))
	assert.Equal(t, "state", before.Object["metadata"].(map[string]any)["name"], "the operation is as it was")
	again, note := o.Scope("shop", "x")
	assert.Equal(t, o, again, "what the SDK has prefixed already stays")
	assert.Empty(t, note)
}

func TestEffect(t *testing.T) {
	const live = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"old":"1"}},"data":{"x":"1"},"status":{"ready":true}}`
	const create = `"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n"},"data":{"y":"2"}}}`
	const target = `"kind":"ConfigMap","name":"a","namespace":"n",`
	for name, tt := range map[string]struct {
		operation, live, want string
		err                   error
	}{
		"Create":                       {`{"operation":"Create",` + create, ``, `{"apiVersion":"v1","data":{"y":"2"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}}`, nil},
		"Create what is there":         {`{"operation":"Create",` + create, live, ``, ErrExists},
		"CreateIfNotExists":            {`{"operation":"CreateIfNotExists",` + create, ``, `{"apiVersion":"v1","data":{"y":"2"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}}`, nil},
		"CreateIfNotExists, there":     {`{"operation":"CreateIfNotExists",` + create, live, `same`, nil},
		"CreateOrUpdate":               {`{"operation":"CreateOrUpdate",` + create, ``, `{"apiVersion":"v1","data":{"y":"2"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"n"}}`, nil},
		"CreateOrUpdate, there":        {`{"operation":"CreateOrUpdate",` + create, live, `{"apiVersion":"v1","data":{"y":"2"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"n","resourceVersion":"7","uid":"u"},"status":{"ready":true}}`, nil},
		"Delete":                       {`{"operation":"Delete",` + target + `"apiVersion":"v1"}`, live, ``, nil},
		"Delete what is not there":     {`{"operation":"DeleteInBackground",` + target + `"apiVersion":"v1"}`, ``, ``, nil},
		"MergePatch":                   {`{"operation":"MergePatch",` + target + `"mergePatch":{"data":{"x":null,"z":"3"}}}`, live, `{"apiVersion":"v1","data":{"z":"3"},"kind":"ConfigMap","metadata":{"labels":{"old":"1"},"name":"a","namespace":"n","resourceVersion":"7","uid":"u"},"status":{"ready":true}}`, nil},
		"MergePatch, equal":            {`{"operation":"MergePatch",` + target + `"mergePatch":{"data":{"x":"1"}}}`, live, `same`, nil},
		"MergePatch, missing":          {`{"operation":"MergePatch",` + target + `"mergePatch":{}}`, ``, ``, ErrMissing},
		"MergePatch, missing, ignored": {`{"operation":"MergePatch",` + target + `"ignoreMissingObject":true,"mergePatch":{}}`, ``, ``, nil},
		"the same, as the SDK has it":  {`{"operation":"MergePatch",` + target + `"ignoreMissingObjects":true,"mergePatch":{}}`, ``, ``, nil},
		"MergePatch of another name":   {`{"operation":"MergePatch",` + target + `"mergePatch":{"metadata":{"name":"b"}}}`, live, ``, errIdentity},
		"JSONPatch":                    {`{"operation":"JSONPatch",` + target + `"jsonPatch":[{"op":"remove","path":"/status"}]}`, live, `{"apiVersion":"v1","data":{"x":"1"},"kind":"ConfigMap","metadata":{"labels":{"old":"1"},"name":"a","namespace":"n","resourceVersion":"7","uid":"u"}}`, nil},
		"JQPatch":                      {`{"operation":"JQPatch",` + target + `"jqFilter":"del(.metadata.labels, .status)"}`, live, `{"apiVersion":"v1","data":{"x":"1"},"kind":"ConfigMap","metadata":{"name":"a","namespace":"n","resourceVersion":"7","uid":"u"}}`, nil},
		"JQPatch, equal":               {`{"operation":"JQPatch",` + target + `"jqFilter":"."}`, live, `same`, nil},
		"a status patch":               {`{"operation":"MergePatch",` + target + `"subresource":"status","mergePatch":{"status":{"ready":false},"data":{"ignored":"1"}}}`, live, `{"apiVersion":"v1","data":{"x":"1"},"kind":"ConfigMap","metadata":{"labels":{"old":"1"},"name":"a","namespace":"n","resourceVersion":"7","uid":"u"},"status":{"ready":false}}`, nil},
		"a status that goes":           {`{"operation":"JSONPatch",` + target + `"subresource":"status","jsonPatch":[{"op":"remove","path":"/status"}]}`, live, `{"apiVersion":"v1","data":{"x":"1"},"kind":"ConfigMap","metadata":{"labels":{"old":"1"},"name":"a","namespace":"n","resourceVersion":"7","uid":"u"}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var before map[string]any
			if tt.live != "" {
				before = values(t, tt.live)
			}
			got, err := operation(t, tt.operation).Effect(t.Context(), before)
			if tt.err != nil {
				require.ErrorIs(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			switch tt.want {
			case "":
				assert.Nil(t, got)
			case "same":
				assert.Equal(t, before, got)
			default:
				assert.Equal(t, tt.want, encoded(t, got))
			}
			if tt.live != "" {
				assert.Equal(t, values(t, tt.live), before, "the live object is as it was")
			}
		})
	}
	for operationText, want := range map[string]string{
		`{"operation":"JQPatch",` + target + `"jqFilter":".data.x"}`:                              "makes text of the object",
		`{"operation":"JQPatch",` + target + `"jqFilter":".data.x.y"}`:                            `filter ".data.x.y": expected an object but got: string`,
		`{"operation":"JSONPatch",` + target + `"jsonPatch":[{"op":"remove","path":"/none"}]}`:    "step 1 (remove /none): there is no /none",
		`{"operation":"MergePatch",` + target + `"subresource":"scale","mergePatch":{"spec":{}}}`: `what the subresource "scale" does can be told by a cluster only`,
	} {
		_, err := operation(t, operationText).Effect(t.Context(), values(t, live))
		assert.ErrorContains(t, err, want)
	}
	secret := values(t, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"data":{"x":"1"}}`)
	_, err := operation(t, `{"operation":"JQPatch","kind":"Secret","name":"a","jqFilter":".data.x | error(\"s3cret\")"}`).Effect(t.Context(), secret)
	assert.EqualError(t, err, "the filter fails on the object")
}

func TestBodiesHoldTheSecrets(t *testing.T) {
	all := operations(t, `
{"operation":"Create","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"},"stringData":{"p":"one-secret"}}}
{"operation":"MergePatch","kind":"secrets","name":"a","mergePatch":{"stringData":{"p":"two-secret"}}}
{"operation":"JSONPatch","kind":"Secret","name":"a","jsonPatch":[{"op":"add","path":"/stringData","value":{"p":"three-secret"}}]}
{"operation":"JQPatch","kind":"Secret","name":"a","jqFilter":".stringData.p = \"four-secret\""}
{"operation":"MergePatch","kind":"ConfigMap","name":"a","mergePatch":{"data":{"p":"no-matter"}}}
`)
	scrubbed := object.Scrub("[one-secret] [two-secret] [three-secret] [four-secret] [no-matter]", Bodies(all)...)
	for _, secret := range []string{"one-secret", "two-secret", "three-secret", "four-secret"} {
		assert.NotContains(t, scrubbed, secret)
	}
	assert.Contains(t, scrubbed, "[no-matter]")
}

func TestErrorsCanBeFound(t *testing.T) {
	_, err := ParseOperations([]byte("{}"))
	var failure *Error
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, OperationsFile, failure.File)
}
