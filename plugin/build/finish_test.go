package build

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// results makes one result of each text, named m0, m1, …; the file of the
// origins is the name.
func results(t *testing.T, texts ...string) []Result {
	t.Helper()
	var all []Result
	for i, text := range texts {
		name := "m" + string(rune('0'+i))
		set, err := object.Load(strings.NewReader(text), name+".yaml")
		require.NoError(t, err)
		all = append(all, Result{Manifest: name, Objects: set.Objects})
	}
	return all
}

func flat(results []Result) (objects []object.Object, warnings []string) {
	for _, r := range results {
		objects = append(objects, r.Objects...)
		for _, w := range r.Warnings {
			warnings = append(warnings, r.Manifest+": "+w.String())
		}
	}
	return objects, warnings
}

const (
	configMap   = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	clusterRole = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r, namespace: x}\n"
	widget      = "apiVersion: demo.example/v1\nkind: Widget\nmetadata: {name: w}\n"
	widgetIn    = "apiVersion: demo.example/v1\nkind: Widget\nmetadata: {name: w, namespace: x}\n"
)

func crd(scope string) string {
	return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.demo.example}\n" +
		"spec: {group: demo.example, scope: " + scope + ", names: {kind: Widget, plural: widgets}}\n"
}

func TestFinishDecidesNamespaces(t *testing.T) {
	tests := map[string]struct {
		texts    []string
		own      string // default namespace of the first manifest
		argument string
		scoper   Scoper
		want     []string
		warnings []string
	}{
		"default": {
			texts: []string{configMap}, argument: "shop", scoper: Builtin{},
			want: []string{"ConfigMap shop/a"},
		},
		"the manifest's own wins": {
			texts: []string{configMap, strings.ReplaceAll(configMap, "name: a", "name: b")}, own: "own", argument: "shop", scoper: Builtin{},
			want: []string{"ConfigMap own/a", "ConfigMap shop/b"},
		},
		"no default": {
			texts: []string{configMap}, scoper: Builtin{},
			want: []string{"ConfigMap a"},
		},
		"written namespaces stay": {
			texts: []string{strings.ReplaceAll(configMap, "name: a", "name: a, namespace: x")}, argument: "shop", scoper: Builtin{},
			want: []string{"ConfigMap x/a"},
		},
		"cluster-scoped": {
			texts: []string{clusterRole}, argument: "shop", scoper: Builtin{},
			want:     []string{"ClusterRole.rbac.authorization.k8s.io r"},
			warnings: []string{`m0: m0.yaml: document 1, line 1: ClusterRole.rbac.authorization.k8s.io r: metadata.namespace "x" is ignored: the kind is cluster-scoped`},
		},
		"nobody knows": {
			texts: []string{widget}, argument: "shop", scoper: Builtin{},
			want: []string{"Widget.demo.example w"},
		},
		"nobody to ask": {
			texts: []string{configMap}, argument: "shop",
			want: []string{"ConfigMap a"},
		},
		"CRD in the same manifest": {
			texts: []string{widget + "---\n" + crd("Namespaced")}, argument: "shop", scoper: Builtin{},
			want: []string{"Widget.demo.example shop/w", "CustomResourceDefinition.apiextensions.k8s.io widgets.demo.example"},
		},
		"CRD in a later manifest": {
			texts: []string{widgetIn, crd("Cluster")}, argument: "shop", scoper: Builtin{},
			want:     []string{"Widget.demo.example w", "CustomResourceDefinition.apiextensions.k8s.io widgets.demo.example"},
			warnings: []string{`m0: m0.yaml: document 1, line 1: Widget.demo.example w: metadata.namespace "x" is ignored: the kind is cluster-scoped`},
		},
		"the input's CRD wins over the cluster's": {
			texts: []string{crd("Namespaced"), widget}, argument: "shop", scoper: fixed{},
			want: []string{"CustomResourceDefinition.apiextensions.k8s.io widgets.demo.example", "Widget.demo.example shop/w"},
		},
		"a CRD that is none": {
			texts: []string{strings.ReplaceAll(crd("Namespaced"), "scope: Namespaced, ", ""), widget}, argument: "shop", scoper: Builtin{},
			want: []string{"CustomResourceDefinition.apiextensions.k8s.io widgets.demo.example", "Widget.demo.example w"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			in := results(t, test.texts...)
			in[0].DefaultNamespace = test.own
			out, err := Finish(t.Context(), in, test.scoper, test.argument)
			require.NoError(t, err)
			objects, warnings := flat(out)
			assert.Equal(t, test.want, refs(objects))
			assert.Equal(t, test.warnings, warnings)
		})
	}
}

// fixed says that everything is cluster-scoped.
type fixed struct{}

func (fixed) Namespaced(schema.GroupKind, string) (bool, bool, error) { return false, true, nil }

// failing can't find out, and counts how often it was asked.
type failing struct{ asked *int }

func (f failing) Namespaced(schema.GroupKind, string) (bool, bool, error) {
	*f.asked++
	return false, false, errors.New("the server is away")
}

func TestFinishAsksOnceAKindAndSaysWhatFailed(t *testing.T) {
	asked := 0
	in := results(t, widget, strings.ReplaceAll(widget, "name: w", "name: v"), crd("Cluster")+"---\n"+configMap)
	_, err := Finish(t.Context(), in[:2], failing{&asked}, "shop")
	require.ErrorContains(t, err, "m0.yaml: document 1, line 1: Widget.demo.example w: find out whether the kind is namespaced: the server is away")
	assert.ErrorContains(t, err, "Widget.demo.example v")
	assert.Equal(t, 1, asked)
}

func TestFinishLeavesItsInputAlone(t *testing.T) {
	in := results(t, configMap, clusterRole)
	before := []string{in[0].Objects[0].Ref().String(), in[1].Objects[0].Ref().String()}
	out, err := Finish(t.Context(), in, Builtin{}, "shop")
	require.NoError(t, err)

	assert.Equal(t, before, []string{in[0].Objects[0].Ref().String(), in[1].Objects[0].Ref().String()})
	assert.Empty(t, in[1].Warnings)
	assert.Empty(t, in[0].DefaultNamespace)
	assert.Equal(t, "shop", out[0].DefaultNamespace, "the record stores what was used")

	again, err := Finish(t.Context(), out, Builtin{}, "other")
	require.NoError(t, err)
	assert.Equal(t, refs(out[0].Objects), refs(again[0].Objects), "finishing twice changes nothing")
}

func TestFinishRefusesDuplicates(t *testing.T) {
	deployment := func(version, namespace, extra string) string {
		return "apiVersion: apps/" + version + "\nkind: Deployment\nmetadata: {name: web" + namespace + "}\n" + extra
	}
	tests := map[string]struct {
		texts    []string
		want     []string
		warnings []string
	}{
		"in one manifest, even with equal content": {
			texts: []string{deployment("v1", "", "") + "---\n" + deployment("v1", "", "")},
			want:  []string{"Deployment.apps default/web is there twice: m0.yaml: document 1, line 1 (manifest m0); and m0.yaml: document 2, line 5 (manifest m0)"},
		},
		"two versions": {
			texts: []string{deployment("v1", "", "") + "---\n" + deployment("v1beta1", "", "")},
			want:  []string{"Deployment.apps default/web is there twice: m0.yaml: document 1, line 1 (manifest m0); and m0.yaml: document 2, line 5 (manifest m0); apps/v1 and apps/v1beta1 are versions of the same object"},
		},
		"namespace written and defaulted": {
			texts: []string{deployment("v1", ", namespace: default", "") + "---\n" + deployment("v1", "", "")},
			want:  []string{"Deployment.apps default/web is there twice: m0.yaml: document 1, line 1 (manifest m0); and m0.yaml: document 2, line 5 (manifest m0)"},
		},
		"three times": {
			texts: []string{deployment("v1", "", "") + "---\n" + deployment("v1", "", "") + "---\n" + deployment("v1", "", "")},
			want: []string{
				"Deployment.apps default/web is there twice: m0.yaml: document 1, line 1 (manifest m0); and m0.yaml: document 2, line 5 (manifest m0)",
				"Deployment.apps default/web is there twice: m0.yaml: document 1, line 1 (manifest m0); and m0.yaml: document 3, line 9 (manifest m0)",
			},
		},
		"equal content in two manifests": {
			texts:    []string{deployment("v1", "", ""), deployment("v1", ", namespace: default", "")},
			warnings: []string{"m1: m1.yaml: document 1, line 1: Deployment.apps default/web: also built at m0.yaml: document 1, line 1 (manifest m0), with equal content: it stays while either manifest has it"},
		},
		"one name in two groups": {
			texts: []string{deployment("v1", "", "") + "---\napiVersion: demo.example/v1\nkind: Deployment\nmetadata: {name: web}\n"},
		},
		"one name in two namespaces": {
			texts: []string{deployment("v1", "", "") + "---\n" + deployment("v1", ", namespace: other", "")},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			out, err := Finish(t.Context(), results(t, test.texts...), Builtin{}, "default")
			if test.want != nil {
				require.EqualError(t, err, strings.Join(test.want, "\n"))
				var duplicate *DuplicateError
				require.ErrorAs(t, err, &duplicate)
				assert.Equal(t, object.Ref{Group: "apps", Kind: "Deployment", Namespace: "default", Name: "web"}, duplicate.Ref)
				return
			}
			require.NoError(t, err)
			_, warnings := flat(out)
			assert.Equal(t, test.warnings, warnings)
		})
	}
}

// What two manifests have with different content is the first one's; the others go on.
func TestFinishLeavesDisputesToThePlan(t *testing.T) {
	one := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	out, err := Finish(t.Context(), results(t, one, one+"data: {a: b}\n", one+"data: {a: c}\n"), Builtin{}, "default")
	require.NoError(t, err)
	assert.Empty(t, out[0].Claimed)
	require.NoError(t, out[0].Disputes())
	for i, where := range []string{"m1.yaml: document 1, line 1 (manifest m1)", "m2.yaml: document 1, line 1 (manifest m2)"} {
		r := out[i+1]
		require.Len(t, r.Objects, 1, "it is still one that the manifest has")
		assert.Equal(t, "m0", r.Claimed[r.Objects[0].Ref()].Manifest)
		var duplicate *DuplicateError
		require.ErrorAs(t, r.Disputes(), &duplicate)
		assert.EqualError(t, duplicate, "ConfigMap default/a is there twice: m0.yaml: document 1, line 1 (manifest m0); and "+where)
	}
}

func TestFinishNamesNoManifestWhereThereIsNone(t *testing.T) {
	in := results(t, configMap, configMap)
	in[0].Manifest, in[1].Manifest = "", ""
	_, err := Finish(t.Context(), in, Builtin{}, "default")
	require.EqualError(t, err, "ConfigMap default/a is there twice: m0.yaml: document 1, line 1; and m1.yaml: document 1, line 1")
}

func TestBuiltinScopes(t *testing.T) {
	tests := map[schema.GroupKind]struct{ namespaced, known bool }{
		{Kind: "Pod"}:                                                      {true, true},
		{Kind: "Namespace"}:                                                {false, true},
		{Kind: "PersistentVolume"}:                                         {false, true},
		{Group: "apps", Kind: "Deployment"}:                                {true, true},
		{Group: "rbac.authorization.k8s.io", Kind: "Role"}:                 {true, true},
		{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:          {false, true},
		{Group: "networking.k8s.io", Kind: "IngressClass"}:                 {false, true},
		{Group: "networking.k8s.io", Kind: "NetworkPolicy"}:                {true, true},
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhook"}: {false, true},
		{Group: "authorization.k8s.io", Kind: "LocalSubjectAccessReview"}:  {true, true},
		{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"}:              {true, true},
		{Group: "gateway.networking.k8s.io", Kind: "Gateway"}:              {false, false},
		{Group: "demo.example", Kind: "Deployment"}:                        {false, false},
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:  {false, true},
		{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}:  {false, true},
		{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:                {false, true},
		{Group: "flowcontrol.apiserver.k8s.io", Kind: "FlowSchema"}:        {false, true},
		{Group: "coordination.k8s.io", Kind: "Lease"}:                      {true, true},
		{Group: "policy", Kind: "PodDisruptionBudget"}:                     {true, true},
		{Group: "apiregistration.k8s.io", Kind: "APIService"}:              {false, true},
	}
	for gk, want := range tests {
		namespaced, known, err := Builtin{}.Namespaced(gk, "v1")
		require.NoError(t, err)
		assert.Equal(t, want.known, known, gk)
		assert.Equal(t, want.namespaced, namespaced, gk)
	}
}
