package build

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/genesis"
)

// answers is a cluster that charts ask.
type answers struct {
	served  chart.Capabilities
	err     error
	lookups []string
}

func (a *answers) Capabilities(context.Context) (chart.Capabilities, error) { return a.served, a.err }

func (a *answers) Lookup(_ context.Context, apiVersion, kind, namespace, name string) (map[string]any, error) {
	a.lookups = append(a.lookups, strings.Join([]string{apiVersion, kind, namespace, name}, " "))
	return map[string]any{"data": map[string]any{"found": "yes"}}, nil
}

const chartFiles = `
-- web/Chart.yaml --
apiVersion: v2
name: web
version: 1.0.0
-- web/crds/a.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec: {group: example.com, scope: Namespaced, names: {kind: A, plural: as}}
-- web/templates/all.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  ns: {{ .Release.Namespace }}
  install: {{ .Release.IsInstall | quote }}
  kube: {{ .Capabilities.KubeVersion }}
  beta: {{ .Capabilities.APIVersions.Has "example.com/v1beta1" | quote }}
  found: {{ (lookup "v1" "Secret" .Release.Namespace "x").data | default dict | toJson | quote }}
  value: {{ .Values.value | default "none" | quote }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: elsewhere, namespace: other}
---
apiVersion: v1
kind: Pod
metadata: {name: hook, annotations: {helm.sh/hook: pre-install}}
`

// entry reads one manifest of a tazuna.yaml.
func entry(t *testing.T, dir, text string) Manifest {
	t.Helper()
	f, err := config.Parse([]byte("spec:\n  manifests:\n  - "+text+"\n"), filepath.Join(dir, "tazuna.yaml"), config.LoadOptions{Types: ConfigTypes()})
	require.NoError(t, err)
	return FromConfig(f.Tazuna.Spec.Manifests[0])
}

// data gives the data of the first ConfigMap.
func data(r Result) map[string]any {
	for _, o := range r.Objects {
		if o.GVK().Kind == "ConfigMap" {
			d, _ := o.Body["data"].(map[string]any)
			return d
		}
	}
	return nil
}

func TestHelm(t *testing.T) {
	dir := files(t, chartFiles+"-- v.yaml --\nvalue: file\n")
	m := entry(t, dir, "{name: app, type: helm, path: web, helm: {namespace: shop, valueFiles: [v.yaml], apiVersions: [example.com/v1beta1]}}")
	cluster := &answers{served: chart.Capabilities{KubeVersion: "v1.36.3-gke.100", APIVersions: []string{"v1"}}}
	r, err := Builder{Cluster: cluster, Namespace: "run"}.Build(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []string{"CustomResourceDefinition.apiextensions.k8s.io as.example.com", "ConfigMap app", "ConfigMap other/elsewhere"}, refs(r.Objects))
	assert.Equal(t, map[string]any{
		"ns": "shop", "install": "true", "kube": "v1.36.3", "beta": "true", "found": `{"found":"yes"}`, "value": "file",
	}, data(r))
	assert.Equal(t, []string{"v1 Secret shop x"}, cluster.lookups)
	require.Len(t, r.Releases, 1)
	assert.Len(t, r.Releases[0].Hooks, 1, "a hook is no object")
	assert.Len(t, r.Releases[0].Objects, 3)

	finished, err := Finish(t.Context(), []Result{r}, Builtin{}, "run")
	require.NoError(t, err)
	assert.Equal(t, []string{"CustomResourceDefinition.apiextensions.k8s.io as.example.com", "ConfigMap shop/app", "ConfigMap other/elsewhere"}, refs(finished[0].Objects),
		"objects go to the namespace of their release")
}

func TestHelmWithoutACluster(t *testing.T) {
	dir := files(t, chartFiles)
	r, err := Builder{}.Build(t.Context(), entry(t, dir, "{name: app, type: helm, path: web, helm: {includeCRDs: false, release: two, values: {value: inline}}}"))
	require.NoError(t, err)
	assert.Equal(t, []string{"ConfigMap two", "ConfigMap other/elsewhere"}, refs(r.Objects))
	assert.Equal(t, "inline", data(r)["value"])
	assert.Equal(t, "default", data(r)["ns"])
	require.Len(t, r.Warnings, 1)
	assert.Contains(t, r.Warnings[0].Text, "the chart looks for objects in the cluster (Secret x), and found nothing without one")
}

// A chart that makes other objects for want of an answer must not be applied.
func TestHelmOfAClusterThatCannotSay(t *testing.T) {
	dir := files(t, chartFiles)
	m := entry(t, dir, "{name: app, type: helm, path: web}")
	_, err := Builder{Cluster: &answers{err: errors.New("discovery failed")}}.Build(t.Context(), m)
	require.ErrorContains(t, err, "release app: ask the cluster what it serves: discovery failed")
	r, err := Builder{Cluster: &answers{err: errors.New("discovery failed")}}.Build(t.Context(),
		entry(t, dir, "{name: app, type: helm, path: web, helm: {kubeVersion: v1.30.0}}"))
	require.NoError(t, err, "a version that is given is not asked for")
	assert.Equal(t, "v1.30.0", data(r)["kube"])
}

func TestHelmRefuses(t *testing.T) {
	dir := files(t, chartFiles+`
-- needy/Chart.yaml --
apiVersion: v2
name: needy
version: 1.0.0
dependencies: [{name: redis, version: "1", repository: "https://x"}]
`)
	_, err := Builder{}.Build(t.Context(), entry(t, dir, "{name: a, type: helm, path: needy}"))
	require.ErrorContains(t, err, "its dependency redis is not in charts/: run `helm dependency build`")
	_, err = Builder{}.Build(t.Context(), entry(t, dir, "{name: a, type: helm, path: web, helm: {valueFiles: [none.yaml]}}"))
	require.ErrorContains(t, err, "read values: open ")
	_, err = Builder{}.Build(t.Context(), entry(t, dir, "{name: a, type: helm, helm: {chart: web, repository: 'https://x.invalid', auth: {passwordEnv: NOT_SET}}}"))
	require.ErrorContains(t, err, "auth: the environment variable NOT_SET is not set")

	for text, want := range map[string]string{
		"{name: a, type: helm}":                                                    "tazuna.yaml:3: spec.manifests[0].helm.chart: missing",
		"{name: a, type: helm, path: a, helm: {chart: b}}":                         "wanted either a path or the name of a chart, found both",
		"{name: a, type: helm, helm: {chart: b}}":                                  "chart b: wanted a repository, or oci://HOST/REPOSITORY as its name",
		"{name: a, type: helm, helm: {chart: oci://x/y, repository: 'https://x'}}": "oci://x/y is a whole address",
		"{name: a, type: helm, path: b, helm: {createNamespace: true}}":            "spec.manifests[0].helm.namespace: missing",
		"{name: a, type: helm, path: b, helm: {values: [1]}}":                      "spec.manifests[0].helm.values: wanted a mapping, found a list",
	} {
		_, err := config.Parse([]byte("spec:\n  manifests:\n  - "+text+"\n"), "tazuna.yaml", config.LoadOptions{Types: ConfigTypes()})
		require.ErrorContains(t, err, want, text)
	}
}

func TestPasswordsInFilesAreWarnedOf(t *testing.T) {
	f, err := config.Parse([]byte("spec: {manifests: [{name: a, type: helm, helm: {chart: b, repository: 'https://x', auth: {password: hunter22}}}]}"),
		"tazuna.yaml", config.LoadOptions{Types: ConfigTypes()})
	require.NoError(t, err)
	require.Len(t, f.Warnings, 1)
	assert.Contains(t, f.Warnings[0].Text, "passwordEnv names a variable instead")
	assert.NotContains(t, f.Warnings[0].String(), "hunter22")
}

const secretFiles = `
-- s.yaml --
spec:
  secrets: [{uri: op://h/v/i, items: {f: {mapTo: k}}}]
  outputs: [{kubernetesSecret: {name: a}}, {kubernetesSecret: {name: b}}, {stdout: {}}]
-- out.yaml --
spec: {static: {k: v}, outputs: [{stdout: {}}]}
`

func TestGenesisSecret(t *testing.T) {
	dir := files(t, secretFiles)
	calls := 0
	providers := genesis.NewProviders(nil, func(context.Context, string, ...string) ([]byte, error) {
		calls++
		return []byte(`{"fields": [{"id": "f", "value": "hunter22"}]}`), nil
	})
	m := entry(t, dir, "{name: s, type: genesissecret, path: s.yaml}")
	r, err := Builder{Providers: providers}.Build(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, []string{"Secret a", "Secret b"}, refs(r.Objects))
	assert.True(t, r.AlwaysSync)
	assert.Equal(t, "k=hunter22\n", r.Text)
	assert.Equal(t, 1, calls)

	r, err = Builder{Providers: providers, Unresolved: true}.Build(t.Context(), m)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"k": ""}, r.Objects[0].Body["stringData"], "keys, no values")
	assert.Equal(t, 1, calls, "and nobody was asked")

	r, err = Builder{}.Build(t.Context(), entry(t, dir, "{name: s, type: genesissecret, path: out.yaml}"))
	require.NoError(t, err, "a manifest that only prints is not empty")
	assert.Equal(t, "k=v\n", r.Text)
	_, err = Builder{}.Build(t.Context(), m)
	require.ErrorContains(t, err, "programs can't be started here")
}

func TestHelmfileReleasesHaveTheirOwnNamespaces(t *testing.T) {
	dir := files(t, strings.ReplaceAll(chartFiles, "name: elsewhere", "name: e-{{ .Release.Name }}")+`
-- hf/helmfile.yml --
releases:
- {name: one, namespace: first, chart: ../web}
- {name: two, chart: ../web, values: [{value: "{{ .Values.v }}"}]}
-- hf/tazuna.hint.yaml --
vars: {v: {type: string, default: hinted}}
`)
	r, err := Builder{}.Build(t.Context(), entry(t, dir, "{name: h, type: helmfile, path: hf, helmfile: {defaultNamespace: second, includeCRDs: true}}"))
	require.NoError(t, err)
	finished, err := Finish(t.Context(), []Result{r}, Builtin{}, "run")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"CustomResourceDefinition.apiextensions.k8s.io as.example.com",
		"ConfigMap first/one", "ConfigMap other/e-one", "ConfigMap second/two", "ConfigMap other/e-two",
	}, refs(finished[0].Objects), "each in its own, and the CustomResourceDefinition once")
	var values []any
	for _, o := range finished[0].Objects {
		if o.Name() == "two" {
			d, _ := o.Body["data"].(map[string]any)
			values = append(values, d["value"])
		}
	}
	assert.Equal(t, []any{"hinted"}, values, "the hint file in the directory counts")
}

func TestHelmfileErrorsNameEveryRelease(t *testing.T) {
	dir := files(t, "-- helmfile.yaml --\nreleases:\n- {name: a, chart: ./none}\n- {name: b, chart: ./neither}\n")
	_, err := Builder{}.Build(t.Context(), entry(t, dir, "{name: h, type: helmfile, path: .}"))
	require.ErrorContains(t, err, "helmfile.yaml:2: release a: ")
	require.ErrorContains(t, err, "helmfile.yaml:3: release b: ")
}

// A type is a file and a line in Types: nothing else goes by the names of types, but
// what an artifact may hold.
func TestATypeIsOneFileAndOneLine(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	constant := regexp.MustCompile(`\bType(?:` + strings.Join(constantsOfTypes(t, files), "|") + `)\b`)
	function := regexp.MustCompile(`\b\w+Type\(\),`)
	calls := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, used := range constant.FindAllString(string(data), -1) {
			own := strings.EqualFold(strings.TrimPrefix(used, "Type"), strings.TrimSuffix(file, ".go")) || used == "TypeGenesisSecret" && file == "genesis.go"
			reason := file == "yaml.go" && used == "TypeKustomize" // what an empty one is told by
			assert.True(t, own || reason, "%s knows %s", file, used)
		}
		if file == "types.go" {
			calls += len(function.FindAllString(string(data), -1))
		}
	}
	assert.Len(t, Types(), calls)
	for _, ours := range Types() {
		assert.Equal(t, ours.charts != nil, HasReleases(ours.Name), ours.Name)
	}
	assert.False(t, HasReleases("unknown"))
}

func constantsOfTypes(t *testing.T, files []string) []string {
	t.Helper()
	var all []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^const Type(\w+) = "`).FindAllStringSubmatch(string(data), -1) {
			all = append(all, m[1])
		}
	}
	require.Len(t, all, len(Types()))
	return all
}
