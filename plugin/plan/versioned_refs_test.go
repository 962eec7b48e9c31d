package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// versionedSecret is the object that the references of the default rules are to,
// beside the ConfigMap of the same name.
const versionedPair = `
{apiVersion: v1, kind: ConfigMap, metadata: {name: q, namespace: ns, annotations: {kapp.k14s.io/versioned: ''}}}
---
{apiVersion: v1, kind: Secret, metadata: {name: q, namespace: ns, annotations: {kapp.k14s.io/versioned: ''}}}
`

// set plans the pair and one more object, and returns that.
func setReferences(t testing.TB, text string) (object.Object, error) {
	t.Helper()
	existing := []object.Ref{{Kind: "ConfigMap", Namespace: "ns", Name: "q-ver-6"}, {Kind: "Secret", Namespace: "ns", Name: "q-ver-2"}}
	never := func(object.Object, object.Ref) (bool, error) { return false, nil }
	out, err := planVersions(loaded(t, versionedPair+"---\n"+text), existing, defaultRules(t).TemplateRules, never)
	if err != nil {
		return object.Object{}, err
	}
	require.Len(t, out.Objects, 3)
	return out.Objects[2], nil
}

// In every place that the default rules name, the ConfigMap is q-ver-7 and the
// Secret q-ver-3.
func TestDefaultTemplateRules(t *testing.T) {
	const pod = `
containers:
- name: c
  env:
  - {name: a, valueFrom: {configMapKeyRef: {name: CM, key: k}}}
  - {name: b, valueFrom: {secretKeyRef: {name: SECRET, key: k}}}
  - {name: c, value: q}
  - {name: d, valueFrom: {fieldRef: {fieldPath: q}}}
  envFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}, {configMapRef: {name: other}}]
initContainers:
- name: i
  env: [{name: a, valueFrom: {configMapKeyRef: {name: CM, key: k}}}, {name: b, valueFrom: {secretKeyRef: {name: SECRET, key: k}}}]
  envFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]
imagePullSecrets: [{name: SECRET}]
volumes:
- {name: q, configMap: {name: CM}}
- {name: s, secret: {secretName: SECRET}}
- {name: p, projected: {sources: [{configMap: {name: CM}}, {secret: {name: SECRET}}, {serviceAccountToken: {path: q}}]}}
- {name: o, secret: {secretName: other}}
`
	indent := func(text string, n int) string {
		return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n"+strings.Repeat(" ", n))
	}
	head := func(apiVersion, kind string) string {
		return "apiVersion: " + apiVersion + "\nkind: " + kind + "\nmetadata: {name: x, namespace: ns}\n"
	}
	template := "spec:\n  template:\n    spec:\n      " + indent(pod, 6) + "\n"
	tests := map[string]string{
		"Pod":            head("v1", "Pod") + "spec:\n  " + indent(pod, 2) + "\n",
		"Deployment":     head("apps/v1", "Deployment") + template,
		"StatefulSet":    head("apps/v1", "StatefulSet") + template,
		"DaemonSet":      head("apps/v1", "DaemonSet") + template,
		"ReplicaSet":     head("apps/v1", "ReplicaSet") + template,
		"Job":            head("batch/v1", "Job") + template,
		"CronJob":        head("batch/v1", "CronJob") + "spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          " + indent(pod, 10) + "\n",
		"ServiceAccount": head("v1", "ServiceAccount") + "secrets: [{name: SECRET}, {name: other}]\nimagePullSecrets: [{name: SECRET}]\n",
		"App": head("kappctrl.k14s.io/v1alpha1", "App") + `spec:
  cluster: {kubeconfigSecretRef: {name: SECRET}}
  fetch:
  - inline: {pathsFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]}
  - imgpkgBundle: {secretRef: {name: SECRET}}
  - http: {secretRef: {name: SECRET}}
  - git: {secretRef: {name: SECRET}}
  - helmChart: {name: q, repository: {secretRef: {name: SECRET}}}
  template:
  - ytt: {inline: {pathsFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]}, valuesFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]}
  - helmTemplate: {valuesFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]}
  - cue: {valuesFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]}
  - sops: {gpg: {privateKeysSecretRef: {name: SECRET}}, age: {privateKeysSecretRef: {name: SECRET}}}
`,
		"PackageInstall":    head("packaging.carvel.dev/v1alpha1", "PackageInstall") + "spec: {values: [{secretRef: {name: SECRET}}], cluster: {kubeconfigSecretRef: {name: SECRET}}}\n",
		"PackageRepository": head("packaging.carvel.dev/v1alpha1", "PackageRepository") + "spec: {fetch: {inline: {pathsFrom: [{configMapRef: {name: CM}}, {secretRef: {name: SECRET}}]}}}\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := setReferences(t, strings.NewReplacer("CM", "q", "SECRET", "q").Replace(text))
			require.NoError(t, err)
			want := parsedText(t, strings.NewReplacer("CM", "q-ver-7", "SECRET", "q-ver-3").Replace(text))
			assert.Equal(t, want, got.Body)
		})
	}
}

func parsedText(t testing.TB, text string) map[string]any {
	t.Helper()
	objects := loaded(t, text)
	require.Len(t, objects, 1)
	return objects[0].Body
}

func TestReferencesThatAreToSomethingElse(t *testing.T) {
	for name, text := range map[string]string{
		"another namespace of the object":    "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: other}, spec: {volumes: [{configMap: {name: q}}]}}",
		"another namespace in the reference": "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: ns}, secrets: [{name: q, namespace: other}]}",
		"another kind":                       "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: ns}, secrets: [{name: q, kind: ConfigMap}]}",
		"another version":                    "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: ns}, secrets: [{name: q, apiVersion: v2}]}",
		"another name":                       "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: ns}, secrets: [{name: q-ver-1}, {name: qq}]}",
		"no mapping":                         "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: ns}, secrets: [q, [q]]}",
		"a map for a list":                   "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: ns}, secrets: {name: q}}",
		"a list for a map":                   "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns}, spec: [{volumes: q}]}",
		"a kind that no rule is about":       "{apiVersion: example.org/v1, kind: Pod, metadata: {name: x, namespace: ns}, spec: {volumes: [{configMap: {name: q}}]}}",
		"another key":                        "{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: ns}, spec: {volumes: [{secret: {name: q}}]}}",
	} {
		t.Run(name, func(t *testing.T) {
			got, err := setReferences(t, text)
			require.NoError(t, err)
			assert.Equal(t, parsedText(t, text), got.Body)
		})
	}
	got, err := setReferences(t, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: x, namespace: other}, secrets: [{name: q, namespace: ns, kind: Secret, apiVersion: v1}]}")
	require.NoError(t, err)
	secrets := mapsAt(got.Body, "secrets")
	assert.Equal(t, "q-ver-3", secrets[0]["name"], "what it says agrees")
}

func TestExplicitReferences(t *testing.T) {
	object := func(annotations string) string {
		return "{apiVersion: example.org/v1, kind: Any, metadata: {name: x, namespace: ns, annotations: {" + annotations + "}}}"
	}
	const key = "kapp.k14s.io/versioned-explicit-ref"
	got, err := setReferences(t, object(key+": '{kind: ConfigMap, apiVersion: v1, name: q, more: [1]}', "+
		key+".secret: '{apiVersion: v1, kind: Secret, name: q, namespace: ns}', "+
		key+".other: '{apiVersion: v1,   kind: Secret, name: other}', "+
		key+".elsewhere: '{apiVersion: v1, kind: Secret, name: q, namespace: other}', plain: q"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		key:                "apiVersion: v1\nkind: ConfigMap\nmore:\n- 1\nname: q-ver-7\n",
		key + ".secret":    "apiVersion: v1\nkind: Secret\nname: q-ver-3\nnamespace: ns\n",
		key + ".other":     "{apiVersion: v1,   kind: Secret, name: other}",
		key + ".elsewhere": "{apiVersion: v1, kind: Secret, name: q, namespace: other}",
		"plain":            "q",
	}, mapAt(got.Body, "metadata", "annotations"))

	for annotation, want := range map[string]string{
		"'{kind: ConfigMap, name: q}'":                    "wanted YAML with apiVersion, kind and name: apiVersion is missing",
		"'{apiVersion: v1, kind: 1, name: q}'":            "wanted YAML with apiVersion, kind and name: kind is missing",
		"'{apiVersion: v1, kind: ConfigMap, name: \"\"}'": "wanted YAML with apiVersion, kind and name: name is missing",
		"'q'":  "wanted YAML with apiVersion, kind and name: ",
		"'{'":  "wanted YAML with apiVersion, kind and name: ",
		"''":   "wanted YAML with apiVersion, kind and name: apiVersion is missing",
		"'[]'": "wanted YAML with apiVersion, kind and name: ",
	} {
		_, err := setReferences(t, object(key+".x: "+annotation))
		require.ErrorContains(t, err, "test.yaml: document 3, line 6: Any.example.org ns/x: annotation kapp.k14s.io/versioned-explicit-ref.x: "+want, annotation)
	}
}
