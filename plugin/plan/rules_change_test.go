package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// cmap is a ConfigMap with annotations, given as the inside of a mapping.
func cmap(name, annotations string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: ns, annotations: {" + annotations + "}}}"
}

// changes reads documents as one run: those after "delete:" are deletions.
func changes(t testing.TB, docs ...string) []*Object {
	t.Helper()
	var out []*Object
	for _, doc := range docs {
		if text, ok := strings.CutPrefix(doc, "delete:"); ok {
			out = append(out, orderDeletions(t, text)...)
		} else {
			out = append(out, orderInput(t, doc)...)
		}
	}
	return out
}

// ordered adds the rules to a graph without any other edge and sorts it.
func ordered(t testing.TB, c *config.KappConfig, objects []*Object) ([]string, error) {
	t.Helper()
	order, err := changeOrderOf(c, objects)
	require.NoError(t, err)
	g := &Graph{}
	for i := range objects {
		g.Nodes = append(g.Nodes, Node{Object: i})
	}
	addChangeOrder(g, order)
	sequence, err := g.sort(func(i int) string { return g.name(i, objects) })
	var names []string
	for _, i := range sequence {
		names = append(names, objects[i].Ref.Name)
	}
	return names, err
}

func TestChangeOrder(t *testing.T) {
	const group, rule = "kapp.k14s.io/change-group: ", "kapp.k14s.io/change-rule"
	tests := map[string]struct {
		config string
		docs   []string
		want   string
	}{
		"no rules":        {docs: []string{cmap("b", ""), cmap("a", "")}, want: "b a"},
		"after":           {docs: []string{cmap("app", rule+": upsert after upserting db"), cmap("db", group+"db")}, want: "db app"},
		"before":          {docs: []string{cmap("app", group+"app"), cmap("db", rule+": upsert before upserting app")}, want: "db app"},
		"after several":   {docs: []string{cmap("app", rule+": upsert after upserting db"), cmap("db1", group+"db"), cmap("other", ""), cmap("db2", group+"db")}, want: "db1 other db2 app"},
		"before several":  {docs: []string{cmap("app1", group+"app"), cmap("app2", group+"app"), cmap("db", rule+": upsert before upserting app")}, want: "db app1 app2"},
		"a chain":         {docs: []string{cmap("c", rule+": upsert after upserting b"), cmap("b", group+"b, "+rule+": upsert after upserting a"), cmap("a", group+"a")}, want: "a b c"},
		"several by name": {docs: []string{cmap("c", rule+".x: upsert after upserting a, "+rule+".z: upsert after upserting b"), cmap("b", group+"b"), cmap("a", group+"x, kapp.k14s.io/change-group.more: a")}, want: "b a c"},
		"placeholders": {docs: []string{
			cmap("app", rule+": 'upsert after upserting {kind}-{namespace}-db'"), cmap("db", group+"'ConfigMap-ns-{name}'"),
		}, want: "db app"},
		"of deletions":            {docs: []string{"delete:" + cmap("db", group+"db"), "delete:" + cmap("app", rule+": delete before deleting db")}, want: "app db"},
		"rule of the other half":  {docs: []string{cmap("app", rule+": delete after deleting db"), cmap("db", group+"db")}, want: "app db"},
		"group of the other half": {docs: []string{cmap("app", rule+": upsert after upserting db"), "delete:" + cmap("db", group+"db")}, want: "app db"},
		"member of its own group": {docs: []string{cmap("last", group+"all, "+rule+": upsert after upserting all"), cmap("a", group+"all"), cmap("b", group+"all")}, want: "a b last"},
		"by bindings": {
			config: "changeGroupBindings: [{name: db, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: db}]}]\n" +
				"changeRuleBindings: [{rules: [upsert after upserting db], resourceMatchers: [hasAnnotationMatcher: {keys: [late]}]}]\n",
			docs: []string{cmap("app", "late: ''"), cmap("x", ""), cmap("db", "")}, want: "x db app",
		},
		"optional gives way": {
			config: "changeRuleBindings: [{rules: [upsert after upserting app], ignoreIfCyclical: true, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: db}]}]\n",
			docs:   []string{cmap("app", group+"app, "+rule+": upsert after upserting db"), cmap("db", group+"db")}, want: "db app",
		},
		"optional, only where it must": {
			config: "changeRuleBindings: [{rules: [upsert after upserting all], ignoreIfCyclical: true, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: db}]}]\n",
			docs: []string{
				cmap("app", group+"all, "+rule+": upsert after upserting db"), cmap("db", group+"db"), cmap("free", group+"all"),
			}, want: "free db app",
		},
		"the later binding weighs more": {
			config: "changeGroupBindings:\n- {name: a, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: a}]}\n- {name: b, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: b}]}\n" +
				"changeRuleBindings:\n- {rules: [upsert after upserting b], ignoreIfCyclical: true, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: a}]}\n" +
				"- {rules: [upsert after upserting a], ignoreIfCyclical: true, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: b}]}\n",
			docs: []string{cmap("b", ""), cmap("a", "")}, want: "a b",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ordered(t, ruleSet(t, test.config), changes(t, test.docs...))
			require.NoError(t, err)
			assert.Equal(t, strings.Fields(test.want), got)
		})
	}
}

func TestChangeOrderTellsOfCircles(t *testing.T) {
	const group, rule = "kapp.k14s.io/change-group: ", "kapp.k14s.io/change-rule: "
	_, err := ordered(t, nil, changes(t,
		cmap("a", group+"a, "+rule+"upsert after upserting b"), cmap("b", group+"b, "+rule+"upsert after upserting a")))
	var circle *CycleError
	require.ErrorAs(t, err, &circle)
	assert.Contains(t, circle.Error(), "upsert after upserting b (kapp.k14s.io/change-rule)")
	assert.Contains(t, circle.Error(), "ConfigMap ns/a")
}

func TestChangeOrderFaults(t *testing.T) {
	for annotations, want := range map[string]string{
		"kapp.k14s.io/change-group: a b":                                    `annotation kapp.k14s.io/change-group: "a b" is no name of a group`,
		"kapp.k14s.io/change-group.x: '{api-group}'":                        `annotation kapp.k14s.io/change-group.x: group {api-group}: the object has no value for {api-group}`,
		"kapp.k14s.io/change-group: '{nme}'":                                `unknown placeholder {nme}; did you mean "{name}"?`,
		"kapp.k14s.io/change-rule: upsert a":                                `annotation kapp.k14s.io/change-rule: wanted four words`,
		"kapp.k14s.io/change-rule.1: 'upsert after upserting x-{crd-kind}'": `the object has no value for {crd-kind}`,
	} {
		_, err := changeOrderOf(nil, changes(t, cmap("x", annotations)))
		require.ErrorContains(t, err, "order of changes: ConfigMap ns/x: ", annotations)
		require.ErrorContains(t, err, want, annotations)
	}
	_, err := changeOrderOf(nil, changes(t, cmap("x", "kapp.k14s.io/change-group: a b"), cmap("z", "kapp.k14s.io/change-rule: x")))
	require.ErrorContains(t, err, "ConfigMap ns/x")
	require.ErrorContains(t, err, "ConfigMap ns/z", "all faults at once")

	c := ruleSet(t, "changeGroupBindings: [{name: 'x-{api-group}', resourceMatchers: [allMatcher: {}]}]\nchangeRuleBindings: [{rules: ['delete after deleting {crd-kind}'], resourceMatchers: [allMatcher: {}]}]\n")
	_, err = changeOrderOf(c, changes(t, cmap("x", "")))
	require.ErrorContains(t, err, "rules.yaml:3: changeGroupBindings[0]: group x-{api-group}")
	_, err = changeOrderOf(c, changes(t, "delete:"+cmap("x", "")))
	require.NoError(t, err, "of an object to delete not all is known")
}

func TestChangeOrderWarnings(t *testing.T) {
	const rule = "kapp.k14s.io/change-rule: "
	warnings := func(c *config.KappConfig, docs ...string) []string {
		order, err := changeOrderOf(c, changes(t, docs...))
		require.NoError(t, err)
		return order.warnings
	}
	db := cmap("db", "kapp.k14s.io/change-group: db")
	assert.Equal(t, []string{`ConfigMap ns/app: annotation kapp.k14s.io/change-rule: "upsert after deleting db": the rule has no effect: deletions come last`},
		warnings(nil, cmap("app", rule+"upsert after deleting db"), db))
	assert.Equal(t, []string{`ConfigMap ns/app: annotation kapp.k14s.io/change-rule: "delete before upserting db": the rule has no effect: deletions come last`},
		warnings(nil, "delete:"+cmap("app", rule+"delete before upserting db"), db))
	assert.Empty(t, warnings(nil, cmap("app", rule+"upsert before deleting db"), db), "it holds in any case")
	assert.Empty(t, warnings(nil, cmap("app", rule+"delete after upserting db"), db), "nothing of it happens")

	c := ruleSet(t, "changeRuleBindings: [{rules: [upsert after upserting nobody], resourceMatchers: [allMatcher: {}]}]\n")
	assert.Equal(t, []string{`rules.yaml:3: changeRuleBindings[0]: "upsert after upserting nobody": no object is in that group`},
		warnings(c, db, cmap("x", "")), "once, not for every object")
	assert.Empty(t, warnings(defaultRules(t), db), "the defaults are for objects that need not be there")
}

// The default rules on a set of usual objects: what is below comes after.
func TestDefaultChangeRules(t *testing.T) {
	objects := changes(t,
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: ns}}",
		"{apiVersion: example.org/v1, kind: Widget, metadata: {name: widget, namespace: ns}}",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: binding, namespace: ns}}",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: role, namespace: ns}}",
		"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: claim, namespace: ns}}",
		"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: class}}",
		"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: budget, namespace: ns}}",
		"{apiVersion: v1, kind: Secret, metadata: {name: secret, namespace: ns}}",
		"{apiVersion: kappctrl.k14s.io/v1alpha1, kind: App, metadata: {name: app, namespace: ns}}",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: account, namespace: ns}}",
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.example.org}, spec: {group: example.org, names: {kind: Widget}}}",
		"{apiVersion: v1, kind: Namespace, metadata: {name: ns}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: early, namespace: ns, annotations: {kapp.k14s.io/disable-default-change-group-and-rules: ''}}}",
	)
	order, err := changeOrderOf(defaultRules(t), objects)
	require.NoError(t, err)
	assert.Empty(t, order.warnings)
	got, err := ordered(t, defaultRules(t), objects)
	require.NoError(t, err)
	for _, pair := range []string{
		"ns web", "ns widget", "ns secret", "widgets.example.org widget", "role binding", "class claim",
		"claim web", "class web", "budget web", "secret web", "role web", "binding web", "account web",
		"account app", "role app", "secret widget",
	} {
		first, then, _ := strings.Cut(pair, " ")
		assert.Less(t, slices.Index(got, first), slices.Index(got, then), "%s in %v", pair, got)
	}
	assert.Less(t, slices.Index(got, "early"), slices.Index(got, "web"), "%v", got)

	var gone []*Object
	for _, o := range objects {
		gone = append(gone, &Object{Ref: o.Ref, Op: OpDelete, Live: o.Desired.Body})
	}
	got, err = ordered(t, defaultRules(t), gone)
	require.NoError(t, err)
	for _, pair := range []string{"widget widgets.example.org", "widgets.example.org web", "account ns", "app account", "app role"} {
		first, then, _ := strings.Cut(pair, " ")
		assert.Less(t, slices.Index(got, first), slices.Index(got, then), "%s in %v", pair, got)
	}
}

// A group costs a node and not an edge for every pair; the budget of a run is
// 3,150 objects in 0.2 s.
func TestChangeOrderIsLinear(t *testing.T) {
	edges := func(n int) int {
		objects := manyObjects(n)
		order, err := changeOrderOf(defaultRules(t), objects)
		require.NoError(t, err)
		g := &Graph{}
		for i := range objects {
			g.Nodes = append(g.Nodes, Node{Object: i})
		}
		addChangeOrder(g, order)
		require.True(t, g.acyclic())
		total := 0
		for _, node := range g.Nodes {
			total += len(node.After)
		}
		return total
	}
	assert.Less(t, edges(2000), 3*edges(1000))
	assert.Less(t, edges(2000), 20*2000)
}

func BenchmarkChangeOrder3150(b *testing.B) {
	objects, c := manyObjects(3150), defaultRules(b)
	b.ReportAllocs()
	for b.Loop() {
		order, err := changeOrderOf(c, objects)
		if err != nil {
			b.Fatal(err)
		}
		g := &Graph{}
		for i := range objects {
			g.Nodes = append(g.Nodes, Node{Object: i})
		}
		addChangeOrder(g, order)
		if !g.acyclic() {
			b.Fatal("a circle")
		}
	}
}

// Whatever optional rules ask for, the graph stays without circles, and mandatory
// relations all hold.
func TestOptionalRulesNeverCloseCircles(t *testing.T) {
	var docs []string
	rules := "changeRuleBindings:\n"
	for i := range 12 {
		docs = append(docs, cmap(fmt.Sprint("o", i), fmt.Sprintf("kapp.k14s.io/change-group: g%d, kapp.k14s.io/change-group.all: all", i)))
	}
	for i := range 40 {
		word := []string{"after", "before"}[i%2]
		rules += fmt.Sprintf("- {rules: [upsert %s upserting g%d, upsert %s upserting all], ignoreIfCyclical: true, resourceMatchers: [kindNamespaceNameMatcher: {kind: ConfigMap, namespace: ns, name: o%d}]}\n",
			word, i*7%12, word, i*5%12)
	}
	got, err := ordered(t, ruleSet(t, rules), changes(t, docs...))
	require.NoError(t, err)
	assert.Len(t, got, 12)
}
