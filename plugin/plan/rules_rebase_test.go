package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// thingRule is a rebase rule for all objects.
func thingRule(keys string) string {
	return "- {" + keys + ", resourceMatchers: [allMatcher: {}]}\n"
}

func TestRebase(t *testing.T) {
	const cp = "type: copy, sources: "
	tests := map[string]struct {
		rules         string // rebase rules, or a whole set that starts with a key
		d, l          string
		left, removed []string
	}{
		"no rules":                        {d: "spec: {replicas: 1}", l: "spec: {replicas: 2}"},
		"files first, they have it":       {rules: thingRule("path: [spec, replicas], " + cp + "[new, existing]"), d: "spec: {replicas: 1}", l: "spec: {replicas: 2}"},
		"files first, they don't":         {rules: thingRule("path: [spec, replicas], " + cp + "[new, existing]"), d: "spec: {}", l: "spec: {replicas: 2}", left: []string{".spec.replicas"}},
		"files first, nobody has it":      {rules: thingRule("path: [spec, replicas], " + cp + "[new, existing]"), d: "spec: {}", l: "spec: {}"},
		"cluster first":                   {rules: thingRule("path: [spec, replicas], " + cp + "[existing, new]"), d: "spec: {replicas: 1}", l: "spec: {replicas: 2}", left: []string{".spec.replicas"}},
		"cluster first, it hasn't":        {rules: thingRule("path: [spec, replicas], " + cp + "[existing, new]"), d: "spec: {replicas: 1}", l: "spec: {}"},
		"cluster first, the same":         {rules: thingRule("path: [spec, replicas], " + cp + "[existing, new]"), d: "spec: {replicas: 1}", l: "spec: {replicas: 1}"},
		"cluster only, it hasn't":         {rules: thingRule("path: [spec, replicas], " + cp + "[existing]"), d: "spec: {replicas: 1}", l: "spec: {}"},
		"cluster only, no parent":         {rules: thingRule("path: [data, deep, x], " + cp + "[existing]"), d: "spec: {}", l: "data: {deep: {x: '1', z: '2'}}", left: []string{".data.deep.x"}},
		"files only":                      {rules: thingRule("path: [spec, replicas], " + cp + "[new]"), d: "spec: {}", l: "spec: {replicas: 2}"},
		"a null of the cluster":           {rules: thingRule("path: [spec, replicas], " + cp + "[existing]"), d: "spec: {replicas: 1}", l: "spec: {replicas: null}", left: []string{".spec.replicas"}},
		"several paths":                   {rules: thingRule("paths: [[spec, replicas], [spec, paused]], " + cp + "[existing]"), d: "spec: {replicas: 1}", l: "spec: {replicas: 2, paused: true}", left: []string{".spec.replicas", ".spec.paused"}},
		"remove":                          {rules: thingRule("path: [spec, replicas], type: remove"), d: "spec: {replicas: 1}", l: "spec: {replicas: 2}", removed: []string{".spec.replicas"}},
		"remove what isn't there":         {rules: thingRule("path: [spec, replicas], type: remove"), d: "spec: {}", l: "spec: {replicas: 2}"},
		"remove by regex":                 {rules: thingRule(`path: [data, {regex: "^x"}], type: remove`), d: "data: {xa: '1', b: '1'}", l: "data: {xc: '1'}", removed: []string{".data.xa"}},
		"copy by regex":                   {rules: thingRule(`path: [data, {regex: "^x"}], ` + cp + "[existing, new]"), d: "data: {xa: '1', b: '1'}", l: "data: {xc: '1', b: '2'}", left: []string{".data.xc"}},
		"no object, no rules":             {rules: thingRule("path: [spec, replicas], type: remove"), d: "spec: {replicas: 1}"},
		"other objects":                   {rules: "- {path: [spec, replicas], type: remove, resourceMatchers: [apiGroupKindMatcher: {apiGroup: apps, kind: Other}]}\n", d: "spec: {replicas: 1}", l: "spec: {replicas: 2}"},
		"removed, then copied":            {rules: thingRule("path: [data], type: remove") + thingRule("path: [data], "+cp+"[existing]"), d: "data: {a: '1'}", l: "data: {b: '1'}", left: []string{".data"}},
		"removed, then from the files":    {rules: thingRule("path: [data], type: remove") + thingRule("path: [data], "+cp+"[new]"), d: "data: {a: '1'}", l: "data: {b: '1'}"},
		"copied, then removed":            {rules: thingRule("path: [data], "+cp+"[existing]") + thingRule("path: [data], type: remove"), d: "data: {a: '1'}", l: "data: {b: '1'}", removed: []string{".data"}},
		"copied, but for a part":          {rules: thingRule("path: [data], "+cp+"[existing]") + thingRule("path: [data, a], "+cp+"[new]"), d: "data: {a: '1', c: '1'}", l: "data: {a: '2', b: '2', c: '2'}", left: []string{".data.b", ".data.c"}},
		"copied, but part removed":        {rules: thingRule("path: [data], "+cp+"[existing]") + thingRule("path: [data, a], type: remove"), d: "data: {a: '1'}", l: "data: {a: '2', b: '2'}", left: []string{".data.b"}, removed: []string{".data.a"}},
		"copied, what files alone have":   {rules: thingRule("path: [data], "+cp+"[existing]") + thingRule("path: [data, a], "+cp+"[new]"), d: "data: {a: '1', c: '1'}", l: "data: {b: '2'}", left: []string{".data.b"}, removed: []string{".data.c"}},
		"a rule sees the one before":      {rules: "- {path: [spec, paused], type: remove, resourceMatchers: [allMatcher: {}]}\n- {path: [spec, replicas], type: remove, resourceMatchers: [emptyFieldMatcher: {path: [spec, paused]}]}\n", d: "spec: {paused: true, replicas: 1}", l: "spec: {replicas: 2}", removed: []string{".spec.paused", ".spec.replicas"}},
		"what kapp itself does":           {rules: thingRule("path: [metadata], "+cp+"[existing]") + thingRule("path: [metadata, labels], type: remove") + thingRule("path: [metadata, labels], "+cp+"[new]"), d: "metadata: {name: x, labels: {a: '1'}}", l: "metadata: {name: x, labels: {b: '1'}, finalizers: [f]}", left: []string{".metadata.finalizers"}},
		"elements by key":                 {rules: thingRule("path: [spec, ports, {allIndexes: true}, nodePort], " + cp + "[existing, new]"), d: "spec: {ports: [{port: 2}, {port: 1, nodePort: 5}]}", l: "spec: {ports: [{port: 1, nodePort: 31}, {port: 2, nodePort: 32}]}", left: []string{`.spec.ports[port=2,protocol="TCP"].nodePort`, `.spec.ports[port=1,protocol="TCP"].nodePort`}},
		"elements of the cluster alone":   {rules: thingRule("path: [spec, ports, {allIndexes: true}, nodePort], " + cp + "[existing, new]"), d: "spec: {ports: []}", l: "spec: {ports: [{port: 1, nodePort: 31}]}"},
		"atomic elements by position":     {rules: thingRule("path: [spec, ingress, {allIndexes: true}, protocol], " + cp + "[new, existing]"), d: "spec: {ingress: [{from: a}, {from: b}]}", l: "spec: {ingress: [{from: a, protocol: TCP}]}", left: []string{".spec.ingress[0].protocol"}},
		"map where a list was meant":      {rules: thingRule("path: [spec, {allIndexes: true}, a], " + cp + "[existing]"), d: "spec: {a: 1}", l: "spec: {a: 2}"},
		"list where a map was meant":      {rules: thingRule("path: [spec, args, a], type: remove"), d: "spec: {args: [a]}", l: "spec: {args: [a]}"},
		"excluded, both have it":          {rules: "diffAgainstExistingFieldExclusionRules:\n- {path: [data, a], resourceMatchers: [allMatcher: {}]}\n", d: "data: {a: '1'}", l: "data: {a: '2'}", left: []string{".data.a"}},
		"excluded, the cluster lost it":   {rules: "diffAgainstExistingFieldExclusionRules:\n- {path: [data, a], resourceMatchers: [allMatcher: {}]}\n", d: "data: {a: '1'}", l: "data: {}", removed: []string{".data.a"}},
		"excluded, not in the files":      {rules: "diffAgainstExistingFieldExclusionRules:\n- {path: [data, a], resourceMatchers: [allMatcher: {}]}\n", d: "data: {}", l: "data: {a: '2'}", left: []string{".data.a"}},
		"excluded, nobody has it":         {rules: "diffAgainstExistingFieldExclusionRules:\n- {path: [data, a], resourceMatchers: [allMatcher: {}]}\n", d: "data: {}", l: "data: {}"},
		"excluded and copied":             {rules: "diffAgainstExistingFieldExclusionRules:\n- {path: [data], resourceMatchers: [allMatcher: {}]}\nrebaseRules:\n" + thingRule("path: [data, a], "+cp+"[existing]"), d: "data: {a: '1'}", l: "data: {a: '2'}", left: []string{".data"}},
		"what an object is, can't change": {rules: thingRule("paths: [[apiVersion], [kind], [metadata, name], [metadata, namespace]], type: remove") + thingRule("path: [metadata], type: remove"), d: "metadata: {name: x, namespace: n1, labels: {a: b}}", l: "metadata: {name: x, namespace: n1}", removed: []string{".metadata.labels"}},
		"nor be excluded":                 {rules: "diffAgainstExistingFieldExclusionRules:\n- {path: [metadata], resourceMatchers: [allMatcher: {}]}\n- {path: [metadata, name], resourceMatchers: [allMatcher: {}]}\n", d: "data: {}", l: "data: {}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rules := test.rules
			if rules != "" && rules[0] == '-' {
				rules = "rebaseRules:\n" + rules
			}
			c := ruleSet(t, rules)
			desired, live := flow(t, test.d), flow(t, test.l)
			before := flow(t, test.d)
			assert.Equal(t, test.left, texts(leftToCluster(c, testSchema(t), desired, live)), "left")
			assert.Equal(t, test.removed, texts(removed(c, testSchema(t), desired, live)), "removed")
			assert.Equal(t, before, desired, "the input stays as it is")
		})
	}
	assert.Empty(t, rebase(nil, nil, map[string]any{}, map[string]any{}))
}

func TestRulesThatDecided(t *testing.T) {
	c := ruleSet(t, `rebaseRules:
- {path: [data], type: copy, sources: [existing], resourceMatchers: [allMatcher: {}]}
- {path: [data, a], type: copy, sources: [new], resourceMatchers: [allMatcher: {}]}
diffAgainstExistingFieldExclusionRules:
- {path: [spec, paused], resourceMatchers: [allMatcher: {}]}
diffAgainstLastAppliedFieldExclusionRules:
- {path: [status], resourceMatchers: [allMatcher: {}]}
- {path: [data, {regex: x}], resourceMatchers: [allMatcher: {}]}
`)
	d, l := body(t, "data: {a: '1', x: '1'}"), body(t, "data: {a: '2', b: '1'}\nspec: {paused: true}")
	r := rebase(c, testSchema(t), d, l)
	for path, want := range map[string]string{
		".data.a": "rebaseRules[1]", ".data.b": "rebaseRules[0]", ".data": "rebaseRules[1]",
		".spec.paused": "diffAgainstExistingFieldExclusionRules[0]", ".spec.replicas": "",
	} {
		by, ok := r.ruleAt(keyPath(strings.Split(path[1:], ".")))
		assert.Equal(t, want, by.Rule, path)
		assert.Equal(t, want != "", ok)
	}
	for path, want := range map[string]string{
		".status": "diffAgainstLastAppliedFieldExclusionRules[0]", ".status.a.b": "diffAgainstLastAppliedFieldExclusionRules[0]",
		".data.x": "diffAgainstLastAppliedFieldExclusionRules[1]", ".data.a": "", ".data": "",
	} {
		by, ok := excludedBy(c, testSchema(t), keyPath(strings.Split(path[1:], ".")), d, l)
		assert.Equal(t, want, by.Rule, path)
		assert.Equal(t, want != "", ok)
	}
	_, ok := excludedBy(nil, nil, keyPath([]string{"status"}), d)
	assert.False(t, ok)
}

// rebaseOf applies what the rules say, as a plan does: paths left to the cluster
// get the live value, removed ones go.
func rebaseOf(t testing.TB, rules, d, l string) map[string]any {
	t.Helper()
	desired, live := body(t, d), body(t, l)
	r := rebase(ruleSet(t, rules), testSchema(t), desired, live)
	for _, p := range r.left {
		desired = with(desired, p, lookup(live, p).v)
	}
	for _, p := range r.removed {
		desired = without(desired, p)
	}
	return desired
}

// B3 of the list of kapp's faults: the matchers of both kinds of exclusions were
// ignored, and what was excluded from a diff was not even created.
func TestB3ExclusionsHoldForMatchingObjectsOnly(t *testing.T) {
	c := ruleSet(t, `diffAgainstExistingFieldExclusionRules:
- path: [data]
  resourceMatchers:
  - apiVersionKindMatcher: {apiVersion: v1, kind: Secret}
diffAgainstLastAppliedFieldExclusionRules:
- path: [data, noise]
  resourceMatchers:
  - apiVersionKindMatcher: {apiVersion: v1, kind: Secret}
`)
	object := func(kind, data string) map[string]any {
		return parsed(t, "{apiVersion: v1, kind: "+kind+", metadata: {name: cm}, data: "+data+"}")
	}
	one, two := object("ConfigMap", "{a: '1'}"), object("ConfigMap", "{a: '2', noise: x}")
	assert.Empty(t, rebase(c, nil, two, one))
	assert.Empty(t, excludedPaths(c, nil, two, one))

	secret, changed := object("Secret", "{a: '1'}"), object("Secret", "{a: '2', noise: x}")
	assert.Equal(t, rebased{}, rebase(c, nil, secret, nil), "a Secret is created with its data")
	assert.Equal(t, []string{".data"}, texts(leftToCluster(c, nil, secret, changed)))
	assert.Equal(t, []string{".data.noise"}, texts(excludedPaths(c, nil, changed, secret)))
}

// B8 of the list of kapp's faults: an element that one side lacks made it panic.
func TestB8MissingElementsAreNoOps(t *testing.T) {
	const rules = "rebaseRules:\n- {path: [spec, ports, {index: 1}, nodePort], type: copy, sources: [existing, new], resourceMatchers: [allMatcher: {}]}\n"
	one, two := "spec: {ports: [{port: 80, nodePort: 30080}]}", "spec: {ports: [{port: 80}, {port: 81}]}"
	require.Equal(t, body(t, two), rebaseOf(t, rules, two, one))
	require.Equal(t, body(t, one), rebaseOf(t, rules, one, two))
	require.Equal(t, body(t, "spec: {ports: [{port: 80}, {port: 81, nodePort: 30081}]}"),
		rebaseOf(t, rules, two, "spec: {ports: [{port: 80, nodePort: 30080}, {port: 81, nodePort: 30081}]}"))
	require.Empty(t, rebase(ruleSet(t, rules), testSchema(t), body(t, "spec: {}"), body(t, one)).left)
}

// B17 of the list of kapp's faults: elements of lists were paired by position, so
// that a port inserted before the others took over their nodePorts.
func TestB17ElementsArePairedByKey(t *testing.T) {
	const rules = "rebaseRules:\n- {path: [spec, ports, {allIndexes: true}, nodePort], type: copy, sources: [existing, new], resourceMatchers: [allMatcher: {}]}\n"
	live := "spec: {ports: [{name: one, port: 80, protocol: TCP, nodePort: 30080}, {name: two, port: 81, protocol: TCP, nodePort: 30081}]}"
	got := rebaseOf(t, rules, "spec: {ports: [{name: zero, port: 79}, {name: one, port: 80}, {name: two, port: 81}]}", live)
	require.Equal(t, body(t, "spec: {ports: [{name: zero, port: 79}, {name: one, port: 80, nodePort: 30080}, {name: two, port: 81, nodePort: 30081}]}"), got)
}

// The controller's rules of an aggregated ClusterRole stand, those of any other
// are as in the files.
func TestDefaultRulesOfAggregatedRoles(t *testing.T) {
	role := func(aggregation, rules string) map[string]any {
		return parsed(t, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x}, aggregationRule: "+aggregation+", rules: "+rules+"}")
	}
	c := defaultRules(t)
	live := "[{verbs: [get], apiGroups: [''], resources: [pods]}]"
	assert.Equal(t, []string{".rules"}, texts(leftToCluster(c, nil, role("{clusterRoleSelectors: []}", "[]"), role("{clusterRoleSelectors: []}", live))))
	assert.Empty(t, leftToCluster(c, nil, role("null", "[]"), role("null", live)))
	assert.Empty(t, leftToCluster(c, nil, role("{}", "[]"), role("{}", live)))
}

// What the cluster filled in stays where the files say nothing.
func TestDefaultRulesKeepWhatTheClusterChose(t *testing.T) {
	for name, test := range map[string]struct {
		object, live string
		want         []string
	}{
		"cluster IP":       {"{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {}}", "spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], healthCheckNodePort: 3}", []string{".spec.clusterIP", ".spec.clusterIPs", ".spec.healthCheckNodePort"}},
		"own cluster IP":   {"{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {clusterIP: None}}", "spec: {clusterIP: 10.0.0.1}", nil},
		"volume":           {"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}, spec: {}}", "spec: {volumeName: v, volumeMode: Filesystem, storageClassName: s}", []string{".spec.storageClassName", ".spec.volumeMode", ".spec.volumeName"}},
		"node":             {"{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {}}", "spec: {nodeName: n}", []string{".spec.nodeName"}},
		"CA of an API":     {"{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: x}, spec: {}}", "spec: {caBundle: YQ==}", []string{".spec.caBundle"}},
		"CA of conversion": {"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x}, spec: {}}", "spec: {conversion: {webhook: {clientConfig: {caBundle: YQ==}}}}", []string{".spec.conversion.webhook.clientConfig.caBundle"}},
		"CA of a webhook":  {"{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: x}, webhooks: [{name: a, clientConfig: {}}]}", "webhooks: [{name: a, clientConfig: {caBundle: YQ==}}]", []string{".webhooks[0].clientConfig.caBundle"}},
		"revision":         {"{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}}", "metadata: {name: x, annotations: {deployment.kubernetes.io/revision: '2'}}", []string{`.metadata.annotations.deployment.kubernetes.io/revision`}},
		"a filled Secret":  {"{apiVersion: v1, kind: Secret, metadata: {name: x, annotations: {secretgen.carvel.dev/image-pull-secret: ''}}, data: {.dockerconfigjson: e30K}}", "data: {.dockerconfigjson: YQ==}", []string{".data..dockerconfigjson"}},
		"any other Secret": {"{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {.dockerconfigjson: e30K}}", "data: {.dockerconfigjson: YQ==}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			desired := parsed(t, test.object)
			live := flow(t, test.live)
			live["apiVersion"], live["kind"] = desired["apiVersion"], desired["kind"]
			assert.Equal(t, test.want, texts(leftToCluster(defaultRules(t), nil, desired, live)))
		})
	}
}

func TestExcludedPaths(t *testing.T) {
	c := ruleSet(t, `diffAgainstLastAppliedFieldExclusionRules:
- {path: [status], resourceMatchers: [allMatcher: {}]}
- {path: [status, a], resourceMatchers: [allMatcher: {}]}
- {path: [spec, ports, {allIndexes: true}, nodePort], resourceMatchers: [allMatcher: {}]}
- {path: [data, {regex: "^x"}], resourceMatchers: [hasNamespaceMatcher: {}]}
`)
	d, l := body(t, "spec: {ports: [{port: 1}]}"), body(t, "spec: {ports: [{port: 1, nodePort: 3}]}\ndata: {xa: '1'}")
	want := []string{".status", `.spec.ports[port=1,protocol="TCP"].nodePort`}
	assert.Equal(t, want, texts(excludedPaths(c, testSchema(t), d, nil, l)))
	assert.Equal(t, want, texts(excludedPaths(c, testSchema(t), nil, l)))
	assert.Empty(t, excludedPaths(c, nil))
	assert.Empty(t, excludedPaths(nil, nil, d))
	assert.Equal(t, []string{".status"}, texts(excludedPaths(defaultRules(t), nil, d)))
}
