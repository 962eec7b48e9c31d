package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestWithAdditionalLabels(t *testing.T) {
	c := ruleSet(t, "additionalLabels: {team: blue, cost: '1'}\n")
	in := parsed(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, labels: {team: red, a: b}}, spec: {template: {metadata: {labels: {a: b}}}}}")
	before := parsed(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, labels: {team: red, a: b}}, spec: {template: {metadata: {labels: {a: b}}}}}")
	out := withAdditionalLabels(c, in)
	assert.Equal(t, map[string]any{"team": "blue", "cost": "1", "a": "b"}, mapAt(out, "metadata", "labels"))
	assert.Equal(t, map[string]any{"a": "b"}, mapAt(out, "spec", "template", "metadata", "labels"), "labels of Pods stay")
	assert.Equal(t, before, in)
	objects := []object.Object{{Body: in}}
	assert.Equal(t, objects, WithAdditionalLabels(nil, objects))
	assert.Equal(t, objects, WithAdditionalLabels(ruleSet(t, ""), objects))
	assert.Equal(t, out, WithAdditionalLabels(c, objects)[0].Body)
}

// B24 of the list of kapp's faults, the part that only the objects show: a rule
// for a kind that isn't there, a group that nobody is in.
func TestB24RulesThatMatchNothingAreWarned(t *testing.T) {
	c := defaultRules(t).With(*ruleSet(t, `rebaseRules:
- {path: [a], type: remove, resourceMatchers: [apiVersionKindMatcher: {apiVersion: v1, kind: Configmap}]}
- {path: [a], type: remove, resourceMatchers: [apiVersionKindMatcher: {apiVersion: v1, kind: ConfigMap}]}
waitRules:
- conditionMatchers: [{type: Ready, status: "True", success: true}]
  resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, name: nobody}]
`))
	objects := loaded(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {kapp.k14s.io/change-rule: upsert after upserting databses, kapp.k14s.io/udpate-strategy: skip, other/x: ''}}}")
	assert.Equal(t, []string{
		"rules.yaml:4: rebaseRules[0]: the rule matches no object",
		"rules.yaml:7: waitRules[0]: the rule matches no object",
	}, unusedRules(&c, objects))
	assert.Empty(t, unusedRules(nil, objects))
	assert.Equal(t, []string{
		`test.yaml: document 1, line 1: ConfigMap a: unknown annotation kapp.k14s.io/udpate-strategy; did you mean "kapp.k14s.io/update-strategy"?`,
	}, misspelt(objects))

	order, err := changeOrderOf(&c, orderInput(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {kapp.k14s.io/change-rule: upsert after upserting databses}}}"))
	require.NoError(t, err)
	assert.Equal(t, []string{
		`ConfigMap a: annotation kapp.k14s.io/change-rule: "upsert after upserting databses": no object is in that group`,
	}, order.warnings)
}

func TestWithInjected(t *testing.T) {
	const pairs = "kapp.k14s.io/app: '17', kapp.k14s.io/association: v1.abc"
	tests := map[string]struct {
		kind                string // apiVersion and kind
		desired, live, want string // what follows the metadata
	}{
		"selector of a Service": {
			"{apiVersion: v1, kind: Service",
			"spec: {selector: {a: b}}", "spec: {selector: {a: b, c: d, kapp.k14s.io/app: '17'}}", "spec: {selector: {a: b, kapp.k14s.io/app: '17'}}",
		},
		"selector and Pods of a Deployment": {
			"{apiVersion: apps/v1, kind: Deployment",
			"spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}}",
			"spec: {selector: {matchLabels: {a: b, kapp.k14s.io/app: '17'}}, template: {metadata: {labels: {a: b, " + pairs + "}}}}",
			"spec: {selector: {matchLabels: {a: b, kapp.k14s.io/app: '17'}}, template: {metadata: {labels: {a: b, " + pairs + "}}}}",
		},
		"claim templates": {
			"{apiVersion: apps/v1, kind: StatefulSet",
			"spec: {volumeClaimTemplates: [{metadata: {name: x}}]}",
			"spec: {volumeClaimTemplates: [{metadata: {name: x, labels: {" + pairs + "}}}, {metadata: {labels: {" + pairs + "}}}]}",
			"spec: {volumeClaimTemplates: [{metadata: {name: x, labels: {" + pairs + "}}}]}",
		},
		"Pods of a CronJob, no labels in the files": {
			"{apiVersion: batch/v1, kind: CronJob",
			"spec: {jobTemplate: {spec: {template: {spec: {}}}}}",
			"spec: {jobTemplate: {spec: {template: {metadata: {labels: {" + pairs + "}}, spec: {}}}}}",
			"spec: {jobTemplate: {spec: {template: {metadata: {labels: {" + pairs + "}}, spec: {}}}}}",
		},
		"what the files say counts": {
			"{apiVersion: v1, kind: Service",
			"spec: {selector: {kapp.k14s.io/app: '18'}}", "spec: {selector: {kapp.k14s.io/app: '17'}}", "spec: {selector: {kapp.k14s.io/app: '18'}}",
		},
		"kinds where nothing depends on them": {
			"{apiVersion: v1, kind: ConfigMap", "data: {}", "spec: {selector: {kapp.k14s.io/app: '17'}}", "data: {}",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			read := func(text string) map[string]any { return parsed(t, test.kind+", metadata: {name: x}, "+text+"}") }
			desired := read(test.desired)
			assert.Equal(t, read(test.want), withInjected(nil, desired, read(test.live)))
			assert.Equal(t, read(test.desired), desired, "the input stays as it is")
		})
	}
}
