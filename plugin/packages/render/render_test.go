package render

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
)

const roots = `
-- images_digests.json --
{"server": "sha256:1111111111111111111111111111111111111111111111111111111111111111"}
-- openapi/settings.yaml --
properties:
  replicas: {type: integer, default: 3}
  big: {type: integer, default: 9007199254740993}
-- openapi/values.yaml --
x-extend: {schema: settings.yaml}
properties:
  internal: {type: object, default: {}, properties: {state: {type: string, default: new}}}
-- hooks/hook --
#!/bin/sh
-- crds/crd.yaml --
{{ not a template
-- templates/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: d8a-{{ .Application.Instance.Name }}-all}
data:
  instance: {{ .Application.Instance.Namespace }}/{{ .Application.Instance.Name }}
  package: {{ .Application.Package.Name }} {{ .Application.Package.Version }}
  image: {{ .Application.Package.Images.server }}
  registry: {{ .Application.Package.Registry.repository }} {{ .Application.Package.Registry.scheme }}
  dockercfg: {{ .Application.Package.Registry.dockercfg }}
  ca: {{ .Application.Package.Registry.ca | quote }}
  settings: {{ .Application.Settings | toJson | quote }}
  values: {{ .Values | toJson | quote }}
  release: {{ .Release.Name }} {{ .Release.Namespace }} {{ .Release.IsUpgrade }}
  domain: {{ printf .Platform.applications.publicDomainTemplate "shop" "demo" }}
  ingress: {{ .Platform.applications.ingressClass }} {{ .Platform.applications.https.mode }} {{ .Platform.applications.https.certManager.clusterIssuerName }}
  cluster: {{ .Platform.discovery.clusterDomain }} {{ .Platform.discovery.kubernetesVersion }} {{ .Platform.deckhouseVersion }}
  kube: {{ .Capabilities.KubeVersion.Version }}
  chart: {{ .Chart.Name }}
  hooks: "{{ .Files.Get "hooks/hook" }}"
  typed: {{ kindOf .Values.replicas }} {{ kindOf .Values.big }}
`

func TestRoots(t *testing.T) {
	result := rendered(t, roots, Request{
		Platform:     map[string]any{"applications": map[string]any{"https": map[string]any{"mode": "Disabled"}}},
		Capabilities: chart.Capabilities{KubeVersion: "v1.36.3"},
		Registry:     Registry{Repository: "registry.example/apps/", Login: "me", Password: "hunter2-hunter2", Scheme: "http", CA: "PEM"},
		Revision:     2,
	})
	require.Len(t, result.Objects, 1, "neither crds/ nor hooks/ is rendered")
	auth := base64.StdEncoding.EncodeToString([]byte("me:hunter2-hunter2"))
	assert.Equal(t, map[string]any{
		"instance":  "demo/shop",
		"package":   "store v1.2.3",
		"image":     "registry.example/apps/store@sha256:1111111111111111111111111111111111111111111111111111111111111111",
		"registry":  "registry.example/apps HTTP",
		"dockercfg": base64.StdEncoding.EncodeToString([]byte(`{"auths":{"registry.example":{"auth":"` + auth + `"}}}`)),
		"ca":        "PEM",
		"settings":  `{"big":9007199254740993,"replicas":3}`,
		"values":    `{"big":9007199254740993,"internal":{"state":"new"},"replicas":3}`,
		"release":   "demo.shop demo true",
		"domain":    "shop-demo.example.com",
		"ingress":   "nginx Disabled letsencrypt",
		"cluster":   "cluster.local 1.36.3 dev",
		"kube":      "v1.36.3",
		"chart":     "demo.shop",
		"hooks":     "",
		"typed":     "float64 int64",
	}, at(t, result.Objects[0], "data"))
}

// TestComplaint29SchemeInAnyCase: HTTP and http are the same.
func TestComplaint29SchemeInAnyCase(t *testing.T) {
	for _, scheme := range []string{"http", "HTTP", "Http"} {
		made, err := Registry{Scheme: scheme}.template()
		require.NoError(t, err)
		assert.Equal(t, "HTTP", made["scheme"])
	}
	made, err := Registry{}.template()
	require.NoError(t, err)
	assert.Equal(t, "HTTPS", made["scheme"])
	_, err = Registry{Scheme: "ftp"}.template()
	assert.EqualError(t, err, `scheme of the registry: wanted HTTP or HTTPS, found "ftp"`)
}

func TestDockerConfigIsTakenAsItIs(t *testing.T) {
	made, err := Registry{DockerConfig: "e30=", Login: "ignored"}.template()
	require.NoError(t, err)
	assert.Equal(t, "e30=", made["dockercfg"])
}

const labelled = `
-- templates/all.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-shop-web, labels: {app: web, heritage: mine}}
spec:
  template:
    metadata: {labels: {app: web}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: d8a-shop-init, annotations: {helm.sh/hook: "pre-install,pre-upgrade"}}
spec:
  template: {metadata: {labels: {app: init}}}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-shop-listed}}
`

func TestLabels(t *testing.T) {
	result := rendered(t, labelled, Request{})
	want := map[string]any{
		"heritage": "deckhouse", "packages.deckhouse.io/package": "store",
		"packages.deckhouse.io/instance": "shop", "health.deckhouse.io/package": "demo.shop",
	}
	require.Len(t, result.All(), 3)
	for _, o := range result.All() {
		labels := at(t, o, "metadata", "labels").(map[string]any)
		for key, value := range want {
			assert.Equal(t, value, labels[key], "%s %s", o.Ref(), key)
		}
		assert.NotContains(t, labels, MaintenanceLabel)
		if spec, _ := o.Body["spec"].(map[string]any); spec != nil {
			inner := at(t, o, "spec", "template", "metadata", "labels")
			assert.Len(t, inner, 1, "pod templates have none of them")
		}
	}
	assert.Equal(t, "web", at(t, result.Objects[1], "metadata", "labels", "app"))
	require.Len(t, result.HooksAt(chart.PreUpgrade), 1)

	result = rendered(t, labelled, Request{Maintenance: true})
	for _, o := range result.All() {
		assert.Contains(t, at(t, o, "metadata", "labels"), MaintenanceLabel)
	}
}

// TestMaintenanceChangesTheDigest: switching it applies the templates once more.
func TestMaintenanceChangesTheDigest(t *testing.T) {
	digest := func(r Request) string {
		d, err := rendered(t, labelled, r).Digest()
		require.NoError(t, err)
		return d
	}
	first, second := digest(Request{}), digest(Request{})
	assert.Equal(t, first, second)
	assert.NotEqual(t, first, digest(Request{Maintenance: true}))
}

func TestRenderRefuses(t *testing.T) {
	long := strings.Repeat("n", 60)
	tests := map[string]struct {
		archive string
		request Request
		want    string
	}{
		"long name":      {labelled, Request{Instance: Instance{"demo", "an-instance-of-25-letters"}}, `render package store: instance name "an-instance-of-25-letters" has 25 characters, wanted at most 24`},
		"no name":        {labelled, Request{Instance: Instance{Namespace: "demo"}}, `render package store: instance name ""`},
		"bad namespace":  {labelled, Request{Instance: Instance{"Demo", "shop"}}, `namespace "Demo"`},
		"long namespace": {labelled, Request{Instance: Instance{long, "shop"}}, "label health.deckhouse.io/package: "},
		"scheme":         {labelled, Request{Instance: shop, Registry: Registry{Scheme: "ftp"}}, "scheme of the registry"},
		"object twice": {
			"-- templates/a.yaml --\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n-- templates/b.yaml --\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n",
			Request{Instance: shop},
			"ConfigMap a is there twice: demo.shop/templates/a.yaml: document 1, line 1; demo.shop/templates/b.yaml",
		},
		"labels":       {"-- templates/a.yaml --\n{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: text}}\n", Request{Instance: shop}, "labels"},
		"no templates": {"", Request{Instance: shop}, "render package store: the package has no templates"},
		"template":     {"-- templates/a.yaml --\n{{ .Values.a.b }}\n", Request{Instance: shop}, "render package store: demo.shop/templates/a.yaml:1:10: nil pointer"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, _, err := Prepare(t.Context(), packageOf(t, test.archive), Inputs{})
			require.NoError(t, err)
			_, err = p.Render(t.Context(), test.request)
			assert.ErrorContains(t, err, test.want)
		})
	}
	_, err := New(packageOf(t, ""))
	assert.ErrorIs(t, err, ErrNoChart)
}

// TestErrorsHideSecrets: what the schemas mark, and the registry's credentials, are
// in no error, even if a template puts them there.
func TestErrorsHideSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	b := packageOf(t, `
-- openapi/settings.yaml --
properties:
  password: {type: string, format: password}
-- templates/a.yaml --
{{ fail (printf "bad password %s, registry %s" .Values.password .Application.Package.Registry.dockercfg) }}
`)
	p, _, err := Prepare(t.Context(), b, Inputs{Settings: map[string]any{"password": secret}})
	require.NoError(t, err)
	registry := Registry{Login: "me", Password: "another-secret"}
	_, err = p.Render(t.Context(), Request{Instance: shop, Registry: registry})
	require.ErrorContains(t, err, "demo.shop/templates/a.yaml:1:3: bad password ")
	config, configErr := registry.dockerConfig()
	require.NoError(t, configErr)
	for e := err; e != nil; e = errors.Unwrap(e) {
		assert.NotContains(t, e.Error(), secret)
		assert.NotContains(t, e.Error(), config)
	}
	var template *chart.TemplateError
	assert.ErrorAs(t, err, &template)
}

func TestOwnChartAndValues(t *testing.T) {
	b := packageOf(t, `
-- Chart.yaml --
{apiVersion: v2, name: mine, version: 9.9.9}
-- values.yaml --
fromFile: 1
replicas: 5
-- openapi/values.yaml --
additionalProperties: true
-- charts/lib/Chart.yaml --
{apiVersion: v2, name: lib, version: 0.1.0, type: library}
-- charts/lib/templates/_name.tpl --
{{- define "lib.name" }}d8a-{{ .Application.Instance.Name }}{{ end }}
-- templates/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ include "lib.name" . }}}
data: {chart: {{ .Chart.Name }}, values: '{{ .Values.fromFile }}'}
`)
	p, _, err := Prepare(t.Context(), b, Inputs{})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"fromFile": float64(1), "replicas": float64(5)}, p.Values)
	result, err := p.Render(t.Context(), Request{Instance: shop})
	require.NoError(t, err)
	assert.Equal(t, "d8a-shop", result.Objects[0].Name())
	assert.Equal(t, map[string]any{"chart": "mine", "values": "1"}, at(t, result.Objects[0], "data"))
	assert.Equal(t, "mine/templates/a.yaml", result.Objects[0].Origin.File)
}

func TestPrepare(t *testing.T) {
	const archive = `
-- openapi/settings.yaml --
required: [host]
properties:
  host: {type: string, pattern: "^[a-z]+\\.example$"EXAMPLE}
-- openapi/values.yaml --
x-extend: {schema: settings.yaml}
x-required-for-helm: [token]
properties:
  token: {type: string}
-- templates/a.yaml --
{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {host: "{{ .Values.host }}", token: "{{ .Values.token }}"}}
`
	with := func(example string) *bundle.Bundle {
		return packageOf(t, strings.Replace(archive, "EXAMPLE", example, 1))
	}

	_, _, err := Prepare(t.Context(), with(""), Inputs{})
	assert.EqualError(t, err, `guessed settings don't fit; give settings, or the schema an x-example where it is named: `+
		`settings: host: wanted text that matches ^[a-z]+\.example$ (openapi/settings.yaml:3)`)

	p, findings, err := Prepare(t.Context(), with(", x-example: shop.example"), Inputs{})
	require.NoError(t, err)
	assert.Empty(t, findings)
	assert.True(t, p.Guessed)
	_, err = p.Render(t.Context(), Request{Instance: shop})
	assert.EqualError(t, err, "render package store: values: token: is required (openapi/values.yaml:2)")

	p, _, err = Prepare(t.Context(), with(""), Inputs{Settings: map[string]any{"host": "mine.example"}, Complete: true})
	require.NoError(t, err)
	assert.False(t, p.Guessed)
	result, err := p.Render(t.Context(), Request{Instance: shop})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"host": "mine.example", "token": "example"}, at(t, result.Objects[0], "data"))

	_, findings, err = Prepare(t.Context(), packageOf(t, "-- openapi/settings.yaml --\ntype: 5\n"), Inputs{})
	assert.Error(t, err)
	assert.NotEmpty(t, findings)
}

// TestHandedPackages renders the packages of test/testdata twice: same bytes.
func TestHandedPackages(t *testing.T) {
	for _, name := range []string{"web", "store", "dashboards"} {
		t.Run(name, func(t *testing.T) {
			b, findings, err := bundle.Read(os.DirFS("../../../test/testdata/packages/" + name))
			require.NoError(t, err)
			require.NoError(t, bundle.AsError(findings))
			p, findings, err := Prepare(t.Context(), b, Inputs{Complete: true})
			require.NoError(t, err)
			assert.Empty(t, findings)
			var first []byte
			for range 2 {
				result, err := p.Render(t.Context(), Request{Instance: shop})
				require.NoError(t, err)
				manifest, err := result.Manifest()
				require.NoError(t, err)
				if first == nil {
					first = manifest
				}
				assert.Equal(t, string(first), string(manifest))
				_, err = object.Load(strings.NewReader(string(manifest)), "manifest")
				assert.NoError(t, err, "what is written can be read")
			}
		})
	}
}

// TestRenderLeaksNothing renders 1,000 times: no goroutine and no file stays.
func TestRenderLeaksNothing(t *testing.T) {
	handed, findings, err := bundle.Read(os.DirFS("../../../test/testdata/packages/web"))
	require.NoError(t, err)
	require.NoError(t, bundle.AsError(findings))
	for name, b := range map[string]*bundle.Bundle{"small": packageOf(t, labelled), "web": handed} {
		t.Run(name, func(t *testing.T) { leaksNothing(t, b) })
	}
}

func leaksNothing(t *testing.T, b *bundle.Bundle) {
	t.Helper()
	p, _, err := Prepare(t.Context(), b, Inputs{Complete: true})
	require.NoError(t, err)
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	for range 1000 {
		_, err := p.Render(t.Context(), Request{Instance: shop})
		require.NoError(t, err)
	}
	for range 100_000 { // one that is done may not be gone yet
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		runtime.Gosched()
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	assert.LessOrEqual(t, openFiles(t), files)
}

func TestRenderNamesALinkOut(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../../test/testdata/packages/web")))
	require.NoError(t, os.Symlink("/etc/hosts", filepath.Join(dir, "templates", "hosts")))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { assert.NoError(t, root.Close()) }()
	b, findings, err := bundle.Read(root.FS())
	require.NoError(t, err)
	require.NoError(t, bundle.AsError(findings))
	_, _, err = Prepare(t.Context(), b, Inputs{})
	assert.EqualError(t, err, "package web: templates/hosts: is a link that leads out of the package")
	assert.True(t, bundle.LeadsOut(err), "whoever asks still knows")
}

// openFiles counts open files, 0 where that can't be told.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(entries)
}

func TestRegistrySecrets(t *testing.T) {
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	assert.ElementsMatch(t, []any{"", "YTpi", "b", "token"}, Registry{DockerConfig: encode(
		`{"auths": {"registry.example": {"username": "a", "password": "b", "auth": "YTpi", "identitytoken": "token"}}}`,
	)}.secrets())
	assert.Contains(t, Registry{DockerConfig: "no base64"}.secrets(), "no base64", "as a whole where it can't be understood")
	assert.Contains(t, Registry{DockerConfig: encode("no JSON")}.secrets(), "no JSON")
}
