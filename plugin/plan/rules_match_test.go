package plan

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

// ruleSet reads rules, given without apiVersion and kind.
func ruleSet(t testing.TB, text string) *config.KappConfig {
	t.Helper()
	c, err := config.ParseKappConfig([]byte("apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n"+text), "rules.yaml")
	require.NoError(t, err)
	return &c
}

// defaultRules reads the built-in rules once.
func defaultRules(t testing.TB) *config.KappConfig {
	t.Helper()
	c, err := parsedDefaults()
	require.NoError(t, err)
	return &c
}

var parsedDefaults = sync.OnceValues(config.DefaultKappConfig)

func TestSelects(t *testing.T) {
	objects := map[string]string{
		"deployment": "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: one, annotations: {a: '', b: '1'}}, spec: {list: [{x: 1}, {x: []}]}}",
		"service":    "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: two, annotations: {a: x}}, spec: {}}",
		"namespace":  "{apiVersion: v1, kind: Namespace, metadata: {name: one}, spec: null, list: []}",
		"custom":     "{apiVersion: example.org/v1, kind: Deployment, metadata: {name: c, namespace: one}, spec: {list: [{}, {x: null}], text: ''}}",
		"gateway":    "{apiVersion: gateway.networking.k8s.io/v1, kind: Gateway, metadata: {name: g, namespace: two}, spec: text}",
	}
	tests := map[string]struct {
		matcher string
		want    []string
	}{
		"all":                         {"allMatcher: {}", []string{"custom", "deployment", "gateway", "namespace", "service"}},
		"any":                         {"anyMatcher: {matchers: [{apiGroupKindMatcher: {kind: Service}}, {apiGroupKindMatcher: {kind: Namespace}}]}", []string{"namespace", "service"}},
		"and":                         {"andMatcher: {matchers: [{hasNamespaceMatcher: {names: [one]}}, {customResourceMatcher: {}}]}", []string{"custom"}},
		"and of all":                  {"andMatcher: {matchers: [{allMatcher: {}}]}", []string{"custom", "deployment", "gateway", "namespace", "service"}},
		"not":                         {"notMatcher: {matcher: {hasNamespaceMatcher: {}}}", []string{"namespace"}},
		"not not":                     {"notMatcher: {matcher: {notMatcher: {matcher: {hasNamespaceMatcher: {}}}}}", []string{"custom", "deployment", "gateway", "service"}},
		"group and kind":              {"apiGroupKindMatcher: {apiGroup: apps, kind: Deployment}", []string{"deployment"}},
		"core group":                  {"apiGroupKindMatcher: {apiGroup: '', kind: Service}", []string{"service"}},
		"kind of another group":       {"apiGroupKindMatcher: {apiGroup: example.com, kind: Deployment}", nil},
		"version and kind":            {"apiVersionKindMatcher: {apiVersion: example.org/v1, kind: Deployment}", []string{"custom"}},
		"another version":             {"apiVersionKindMatcher: {apiVersion: apps/v1beta1, kind: Deployment}", nil},
		"group without version":       {"apiVersionKindMatcher: {apiVersion: apps, kind: Deployment}", nil},
		"kind in another case":        {"apiVersionKindMatcher: {apiVersion: v1, kind: service}", nil},
		"one object of any group":     {"kindNamespaceNameMatcher: {kind: Deployment, namespace: one, name: c}", []string{"custom"}},
		"of another namespace":        {"kindNamespaceNameMatcher: {kind: Deployment, namespace: two, name: c}", nil},
		"cluster-scoped":              {"kindNamespaceNameMatcher: {kind: Namespace, name: one}", []string{"namespace"}},
		"namespaced without one":      {"kindNamespaceNameMatcher: {kind: Service, name: s}", nil},
		"annotation":                  {"hasAnnotationMatcher: {keys: [a]}", []string{"deployment", "service"}},
		"all annotations":             {"hasAnnotationMatcher: {keys: [a, b]}", []string{"deployment"}},
		"no such annotation":          {"hasAnnotationMatcher: {keys: [c]}", nil},
		"a namespace":                 {"hasNamespaceMatcher: {}", []string{"custom", "deployment", "gateway", "service"}},
		"some namespaces":             {"hasNamespaceMatcher: {names: [two, three]}", []string{"gateway", "service"}},
		"custom resources":            {"customResourceMatcher: {}", []string{"custom", "gateway"}},
		"empty: absent":               {"emptyFieldMatcher: {path: [status]}", []string{"custom", "deployment", "gateway", "namespace", "service"}},
		"empty: null, map":            {"emptyFieldMatcher: {path: [spec]}", []string{"namespace", "service"}},
		"empty: in nothing":           {"emptyFieldMatcher: {path: [spec, list]}", []string{"namespace", "service"}},
		"empty: list":                 {"emptyFieldMatcher: {path: [list]}", []string{"custom", "deployment", "gateway", "namespace", "service"}},
		"empty: every element":        {"emptyFieldMatcher: {path: [spec, list, {allIndexes: true}, x]}", []string{"custom", "namespace", "service"}},
		"empty: one element":          {"emptyFieldMatcher: {path: [spec, list, {index: 1}, x]}", []string{"custom", "deployment", "namespace", "service"}},
		"empty: beyond the list":      {"emptyFieldMatcher: {path: [spec, list, {index: 9}]}", []string{"custom", "deployment", "namespace", "service"}},
		"empty: elements themselves":  {"emptyFieldMatcher: {path: [list, {allIndexes: true}]}", []string{"custom", "deployment", "gateway", "namespace", "service"}},
		"empty text is a value":       {"emptyFieldMatcher: {path: [spec, text]}", []string{"deployment", "namespace", "service"}},
		"key of a text":               {"andMatcher: {matchers: [{emptyFieldMatcher: {path: [spec, a]}}, {apiGroupKindMatcher: {apiGroup: gateway.networking.k8s.io, kind: Gateway}}]}", nil},
		"index of a map":              {"andMatcher: {matchers: [{emptyFieldMatcher: {path: [metadata, {index: 0}]}}, {hasNamespaceMatcher: {}}]}", nil},
		"all elements of a map":       {"andMatcher: {matchers: [{emptyFieldMatcher: {path: [metadata, {allIndexes: true}]}}, {hasNamespaceMatcher: {}}]}", nil},
		"not empty (aggregated role)": {"notMatcher: {matcher: {emptyFieldMatcher: {path: [spec, list]}}}", []string{"custom", "deployment", "gateway"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := ruleSet(t, "diffMaskRules: [{path: [a], resourceMatchers: [{"+test.matcher+"}]}]\n")
			var got []string
			for _, name := range sortedKeys(objects) {
				if selectsAny(c.MaskRules[0].Matchers, parsed(t, objects[name])) {
					got = append(got, name)
				}
			}
			assert.Equal(t, test.want, got)
			assert.False(t, selectsAny(c.MaskRules[0].Matchers, nil), "nothing is matched by nothing")
		})
	}
	assert.False(t, selects(config.ResourceMatcher{}, map[string]any{}), "no matcher")
	assert.False(t, selectsAny(nil, map[string]any{}))
}

// B28 of the list of kapp's faults: rules for kinds under versions that don't
// exist never matched.
func TestB28DefaultGroupsHoldCurrentKinds(t *testing.T) {
	for text, want := range map[string]string{
		"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: x}}":               "change-groups.kapp.k14s.io/storage-class",
		"{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: x}}":                "change-groups.kapp.k14s.io/pod-related",
		"{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: x}}":                  "change-groups.kapp.k14s.io/pod-related",
		"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: x}}":           "change-groups.kapp.k14s.io/pod-related",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: x}}":            "change-groups.kapp.k14s.io/rbac",
		"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: x}}":                     "change-groups.kapp.k14s.io/storage",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: x}}":                            "change-groups.kapp.k14s.io/serviceaccount",
		"{apiVersion: packaging.carvel.dev/v1alpha1, kind: PackageInstall, metadata: {name: x}}": "change-groups.kapp.k14s.io/kapp-controller-packageinstall",
	} {
		var groups []string
		for _, b := range defaultRules(t).ChangeGroupBindings {
			if selectsAny(b.Matchers, parsed(t, text)) {
				groups = append(groups, b.Name)
			}
		}
		assert.Contains(t, groups, want, text)
	}
}
