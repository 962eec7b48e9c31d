package build

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const overlay = `
-- base/kustomization.yaml --
resources:
- deployment.yaml
- extra
-- base/deployment.yaml --
# The workload.
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: registry.example/web:1, envFrom: [{configMapRef: {name: settings}}]}
-- base/extra/kustomization.yaml --
resources: [all.yaml]
-- base/extra/all.yaml --
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Service
  metadata: {name: web}
  spec: {ports: [{port: 80}]}
- apiVersion: v1
  kind: Service
  metadata: {name: web-metrics}
  spec: {ports: [{port: 81}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: web}
rules: []
-- prod/kustomization.yaml --
resources: [../base]
namePrefix: prod-
namespace: shop
configMapGenerator:
- name: settings
  literals: [MODE=fast]
patches:
- path: replicas.yaml
-- prod/replicas.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {replicas: 3}
`

func TestKustomize(t *testing.T) {
	dir := files(t, overlay)
	r := build(t, kustomizeAt(filepath.Join(dir, "prod")))

	assert.Equal(t, []string{
		"Deployment.apps shop/prod-web",
		"ClusterRole.rbac.authorization.k8s.io prod-web",
		"Service shop/prod-web",
		"Service shop/prod-web-metrics",
		"ConfigMap shop/prod-settings-7kcm455446",
	}, refs(r.Objects))
	assert.Equal(t, []string{
		"base/deployment.yaml: document 1, line 2",
		"base/extra/all.yaml: document 2, line 13",
		"base/extra/all.yaml: document 1, line 4",
		"base/extra/all.yaml: document 1, line 8",
		"prod/kustomization.yaml",
	}, origins(t, dir, r.Objects), "objects are where they were written, generated ones in the kustomization")
	spec := r.Objects[0].Body["spec"].(map[string]any)
	assert.Equal(t, int64(3), spec["replicas"], "the patch was applied")
}

// Where it isn't sure which file an object comes from, the kustomization is named.
func TestKustomizeOriginsAreNeverWrong(t *testing.T) {
	dir := files(t, `
-- kustomization.yaml --
resources: [plain, eu, us]
configMapGenerator:
- {name: app-settings, literals: [a=b]}
-- plain/kustomization.yaml --
resources: [a.yaml]
-- plain/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: eu-app-1}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: app}
-- eu/kustomization.yaml --
namePrefix: eu-
nameSuffix: '-2'
resources: [a.yaml, ../twice]
-- eu/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: app}
-- us/kustomization.yaml --
namePrefix: us-
resources: [../twice]
-- twice/kustomization.yaml --
nameSuffix: '-1'
resources: [b.yaml]
-- twice/b.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: both}
`)
	got := map[string]string{}
	r := build(t, kustomizeAt(dir))
	for i, at := range origins(t, dir, r.Objects) {
		got[r.Objects[i].Name()] = at
	}
	assert.Equal(t, map[string]string{
		"eu-app-1":                "kustomization.yaml",
		"app":                     "kustomization.yaml",
		"eu-app-2":                "kustomization.yaml",
		"eu-both-1-2":             "twice/b.yaml: document 1, line 1",
		"us-both-1":               "twice/b.yaml: document 1, line 1",
		"app-settings-4h2mbtbbt6": "kustomization.yaml",
	}, got)
}

func TestKustomizeWorksFromARelativePath(t *testing.T) {
	dir := files(t, overlay)
	t.Chdir(dir)
	r := build(t, kustomizeAt("prod"))
	assert.Equal(t, "base/deployment.yaml: document 1, line 2", r.Objects[0].Origin.String())
	assert.Equal(t, "prod/kustomization.yaml", r.Objects[4].Origin.String())
}

func TestKustomizeKeepsValuesAsWritten(t *testing.T) {
	dir := files(t, `
-- kustomization.yaml --
resources: [a.yaml]
-- a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  date: 2026-01-02
  yes: no
  8080: web
  large: 18446744073709551617
  id: 9007199254740993
  base: &base {k: v}
  alias: *base
`)
	data := build(t, kustomizeAt(dir)).Objects[0].Body["data"].(map[string]any)
	assert.Equal(t, "2026-01-02", data["date"], "no timestamp")
	assert.Equal(t, "no", data["yes"], "text for kustomize, though kubectl would read a boolean")
	assert.Equal(t, "web", data["8080"])
	assert.Equal(t, int64(9007199254740993), data["id"])
	assert.Equal(t, "18446744073709551617", data["large"].(interface{ String() string }).String())
	assert.Equal(t, map[string]any{"k": "v"}, data["alias"])
}

func TestKustomizeRefuses(t *testing.T) {
	const deployment = "-- d.yaml --\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: web}]}}}\n"
	tests := map[string]struct {
		archive string
		want    []string
	}{
		"no kustomization": {
			archive: deployment,
			want:    []string{"has no kustomization.yaml"},
		},
		"two": {
			archive: "-- kustomization.yaml --\nresources: []\n-- kustomization.yml --\nresources: []\n",
			want:    []string{"has more than one kustomization file: kustomization.yaml and kustomization.yml"},
		},
		"no YAML": {
			archive: "-- kustomization.yaml --\nresources: [\n",
			want:    []string{"kustomization.yaml: not YAML: line 1: did not find expected node content"},
		},
		"unknown field": {
			archive: "-- kustomization.yaml --\nresourcez: [d.yaml]\n" + deployment,
			want:    []string{`unknown field "resourcez"`},
		},
		"key twice in a kustomization": {
			archive: "-- kustomization.yaml --\nresources: [d.yaml]\nnamePrefix: a-\nnamePrefix: b-\n" + deployment,
			want:    []string{`kustomization.yaml:3: key "namePrefix" is there twice, first on line 2`},
		},
		"key twice in a resource": {
			archive: "-- kustomization.yaml --\nresources: [c.yaml]\n-- c.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: a\n  k: b\n",
			want:    []string{`c.yaml:6: key "k" is there twice, first on line 5`},
		},
		"key twice in a patch": {
			archive: "-- kustomization.yaml --\nresources: [d.yaml]\npatches: [{path: p.yaml}]\n-- p.yaml --\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  replicas: 2\n" + deployment,
			want:    []string{`p.yaml:6: key "replicas" is there twice, first on line 5`},
		},
		"resource that is not there": {
			archive: "-- kustomization.yaml --\nresources:\n- absent.yaml\n- d.yaml\n" + deployment,
			want:    []string{"kustomization.yaml:2: ", "absent.yaml: no such file or directory"},
		},
		"one resource under two names": {
			archive: "-- kustomization.yaml --\nresources: [d.yaml, e]\n" + deployment + "-- e/kustomization.yaml --\nresources: [d.yaml]\n" + strings.ReplaceAll(deployment, "d.yaml", "e/d.yaml"),
			want:    []string{"may not add resource with an already registered id"},
		},
		"loop": {
			archive: "-- kustomization.yaml --\nresources: [a]\n-- a/kustomization.yaml --\nresources: [../b]\n-- b/kustomization.yaml --\nresources: [../a]\n",
			want:    []string{"cycle detected"},
		},
		"file outside of the root": {
			archive: "-- prod/kustomization.yaml --\nresources: [../d.yaml]\n" + deployment,
			want:    []string{"is not in or below"},
		},
		"generateName": {
			archive: "-- kustomization.yaml --\nresources: [j.yaml]\n-- j.yaml --\napiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-}\n",
			want:    []string{"missing metadata.name"},
		},
		"charts": {
			archive: "-- kustomization.yaml --\nhelmCharts:\n- {name: a, repo: 'https://charts.example'}\n",
			want:    []string{"kustomization.yaml:1: helmCharts: Helm charts in a kustomization are not supported"},
		},
		"plugin that is a program": {
			archive: "-- kustomization.yaml --\ngenerators: [g.yaml]\n-- g.yaml --\napiVersion: someteam.example/v1\nkind: Chart\nmetadata: {name: g}\n",
			want:    []string{"external plugins disabled"},
		},
		"function in a container": {
			archive: "-- kustomization.yaml --\ntransformers: [g.yaml]\n-- g.yaml --\napiVersion: v1\nkind: F\nmetadata:\n  name: g\n  annotations:\n    config.kubernetes.io/function: |\n      container: {image: registry.example/f}\n",
			want:    []string{"external plugins disabled"},
		},
		"nothing in it": {
			archive: "-- kustomization.yaml --\nnamePrefix: a-\n",
			want:    []string{"has no objects: the kustomization gives none"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := files(t, test.archive)
			if _, err := os.Stat(filepath.Join(dir, "prod")); err == nil {
				dir = filepath.Join(dir, "prod")
			}
			text := refused(t, kustomizeAt(dir))
			for _, want := range test.want {
				assert.Contains(t, text, want)
			}
		})
	}
}

func TestKustomizeNeedsADirectory(t *testing.T) {
	dir := files(t, "-- kustomization.yaml --\nresources: []\n")
	assert.Contains(t, refused(t, kustomizeAt(filepath.Join(dir, "kustomization.yaml"))), "is a file: name the directory of the kustomization")
	assert.Contains(t, refused(t, kustomizeAt("github.com/org/repo/base")), "remote kustomizations are not fetched")
	assert.Contains(t, refused(t, kustomizeAt("-")), "standard input")
	_, err := Builder{}.Build(t.Context(), kustomizeAt(filepath.Join(dir, "absent")))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Whatever a kustomization says, nothing is asked of a network. The server stands
// in for it and must see no request.
func TestKustomizeFetchesNothing(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		_, _ = w.Write([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fetched}\n"))
	}))
	defer server.Close()

	object := "-- a.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for name, archive := range map[string]string{
		"resource":                 "resources: [URL/a.yaml]\n",
		"resource in other case":   "Resources: ['URL/a.yaml']\n",
		"resource in odd letters":  "re\u017Fources: ['URL/a.yaml']\n",
		"base":                     "bases: [URL/org/repo]\n",
		"component":                "components: [URL/org/repo]\n",
		"generator":                "generators: [URL/g.yaml]\n",
		"transformer":              "resources: [a.yaml]\ntransformers: [URL/g.yaml]\n",
		"validator":                "resources: [a.yaml]\nvalidators: [URL/g.yaml]\n",
		"patch":                    "resources: [a.yaml]\npatches: [{path: URL/p.yaml}]\n",
		"patch by an alias":        "resources: [a.yaml]\ncommonAnnotations: {a: &u URL/p.yaml}\npatches: [{path: *u}]\n",
		"patch by a merge key":     "resources: [a.yaml]\nreplacements: [&r {path: URL/p.yaml}]\npatches: [{<<: *r}]\n",
		"old patch":                "resources: [a.yaml]\npatchesStrategicMerge: [URL/p.yaml]\n",
		"JSON patch":               "resources: [a.yaml]\npatchesJson6902: [{path: URL/p.yaml, target: {kind: ConfigMap}}]\n",
		"replacement":              "resources: [a.yaml]\nreplacements: [{path: URL/p.yaml}]\n",
		"CRD":                      "resources: [a.yaml]\ncrds: [URL/p.yaml]\n",
		"configuration":            "resources: [a.yaml]\nconfigurations: [URL/p.yaml]\n",
		"schema":                   "resources: [a.yaml]\nopenapi: {path: URL/p.json}\n",
		"file":                     "configMapGenerator: [{name: a, files: [URL/p]}]\n",
		"file under a key":         "configMapGenerator: [{name: a, files: ['k=URL/p']}]\n",
		"env file":                 "configMapGenerator: [{name: a, envs: [URL/p]}]\n",
		"secret file":              "secretGenerator: [{name: a, files: [URL/p]}]\n",
		"deprecated env":           "secretGenerator: [{name: a, env: URL/p}]\n",
		"plugin, inline":           "resources: [a.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: p}\n  path: URL/p\n",
		"plugin, in a file":        "resources: [a.yaml]\ntransformers: [t.yaml]\n-- t.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: URL/p\n",
		"plugin, in a directory":   "resources: [a.yaml]\ntransformers: [t]\n-- t/kustomization.yaml --\nresources: [t.yaml]\n-- t/t.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: URL/p\n",
		"in a base":                "resources: [b]\n-- b/kustomization.yaml --\nresources: [URL/a.yaml]\n",
		"in a base, as a resource": "resources: [b]\ntransformers: [b]\n-- b/kustomization.yaml --\nresources: [t.yaml]\n-- b/t.yaml --\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\npath: URL/p\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, "-- kustomization.yaml --\n"+strings.ReplaceAll(archive, "URL", server.URL)+object)
			assert.Contains(t, refused(t, kustomizeAt(dir)), "remote files and bases are not fetched")
		})
	}
	assert.Zero(t, requests)
}

// Asked to, kustomize fetches; the credentials of a URL are in no message.
func TestKustomizeFetches(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/a.yaml" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: fetched}\ndata: {large: \"9007199254740993\", n: \"yes\"}\n"))
	}))
	defer server.Close()
	const local = "-- b.yaml --\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"
	dir := files(t, "-- kustomization.yaml --\nnamePrefix: x-\nresources: ["+server.URL+"/a.yaml, b.yaml]\n"+local)
	remotely := Builder{Remote: true}

	r, err := remotely.Build(t.Context(), kustomizeAt(dir))
	require.NoError(t, err)
	assert.Equal(t, []string{"ConfigMap x-fetched", "ConfigMap x-b"}, refs(r.Objects))
	assert.Equal(t, filepath.Join(dir, "kustomization.yaml"), r.Objects[0].Origin.File)
	assert.Equal(t, filepath.Join(dir, "b.yaml"), r.Objects[1].Origin.File)

	host := strings.TrimPrefix(server.URL, "http://")
	dir = files(t, "-- kustomization.yaml --\nresources: ['http://me:hunter2@"+host+"/absent.yaml']\n")
	_, err = remotely.Build(t.Context(), kustomizeAt(dir))
	require.ErrorContains(t, err, host+"/absent.yaml")
	assert.NotContains(t, err.Error(), "hunter2")

	within := kustomizeAt(dir)
	within.Within = dir
	_, err = remotely.Build(t.Context(), within)
	require.ErrorContains(t, err, "remote files and bases are not fetched", "an artifact fetches nothing")
}

func TestKustomizeGivesUpWithTheRun(t *testing.T) {
	asked, end := make(chan bool, 10), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- true
		<-end
	}))
	defer server.Close()
	defer close(end)
	dir := files(t, "-- kustomization.yaml --\nresources: ["+server.URL+"/a.yaml]\n")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	_, err := Builder{Remote: true}.Build(ctx, kustomizeAt(dir))
	require.ErrorIs(t, err, context.Canceled)
}

func TestRemote(t *testing.T) {
	for _, path := range []string{
		"https://example.com/a.yaml", "HTTP://example.com", "http:a", "ssh://git@example.com/a", "file:///srv/repo",
		"git::https://example.com/a", "github.com/org/repo", "GitHub.com/org/repo/dir?ref=v1", "github.com:org/repo",
		"git@github.com:org/repo.git", "git@example.com/org/repo", "user@host:path", "me@host/org/repo//dir",
	} {
		assert.True(t, remote(path), path)
	}
	for _, path := range []string{
		".", "../base", "a.yaml", "overlays/eu@2", "base@v1", "base@v1/x", "/github.com/org/repo", "vendor/github.com/org/repo",
		"a b/c", "git/base", "ssh", "https", "k=v", "@x/y/z",
	} {
		assert.False(t, remote(path), path)
	}
}

func TestKustomizeErrorsShowNoPassword(t *testing.T) {
	dir := files(t, "-- kustomization.yaml --\nresources:\n- https://me:hunter2@git.example/org/repo\n")
	text := refused(t, kustomizeAt(dir))
	assert.Contains(t, text, "kustomization.yaml:2: https://git.example/org/repo: remote files and bases are not fetched")
	assert.NotContains(t, text, "hunter2")
}

func TestKustomizeErrorsShowNoSecret(t *testing.T) {
	const secret = "hunter2-hunter2"
	for name, archive := range map[string]string{
		"literal without a key": "secretGenerator:\n- name: a\n  literals: [" + secret + "]\n",
		"literal twice":         "secretGenerator:\n- name: a\n  literals: [k=" + secret + ", k=" + secret + "]\n",
		"wrong type of options": "secretGenerator:\n- name: a\n  options: {labels: {a: 1}}\n  literals: [k=" + secret + "]\n",
		"env file":              "secretGenerator:\n- {name: a, envs: [e]}\n-- e --\nk=" + secret + "\nk=" + secret + "\n",
		"file twice":            "secretGenerator:\n- {name: a, files: [k=e, k=e]}\n-- e --\n" + secret + "\n",
		"inline patch": "resources: [s.yaml]\npatches:\n- patch: |\n    apiVersion: v1\n    kind: Secret\n    metadata: {name: other}\n    stringData: {k: " + secret + "}\n" +
			"-- s.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
		"patch in a file": "resources: [s.yaml]\npatches: [{path: p.yaml}]\n-- p.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: other}\nstringData: {k: " + secret + "}\n" +
			"-- s.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
		"resource": "resources: [s.yaml]\nreplacements: [{source: {kind: Secret, fieldPath: stringData.none}, targets: []}]\n" +
			"-- s.yaml --\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {k: " + secret + "}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {k: " + secret + "}\n",
	} {
		t.Run(name, func(t *testing.T) {
			text := refused(t, kustomizeAt(files(t, "-- kustomization.yaml --\n"+archive)))
			assert.NotContains(t, text, secret)
			t.Log(text)
		})
	}
}

func FuzzSurvey(f *testing.F) {
	f.Add("resources: [a.yaml, .]\npatches: [{path: a.yaml}]\n", "kind: Secret\nstringData: {k: v}\n")
	f.Add("<<: &a {resources: *a}\n", "items: [&a [*a]]\n")
	f.Add("secretGenerator: [{literals: [a=b], files: [a.yaml], env: a.yaml}]\ntransformers: ['a: &a {path: *a}\n']\n", "")
	f.Fuzz(func(t *testing.T, kustomization, resource string) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(kustomization), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(resource), 0o600))
		read, err := survey(dir, false)
		require.Equal(t, filepath.Join(dir, "kustomization.yaml"), read.file)
		if err == nil {
			_ = read.explain(os.ErrInvalid)
		}
	})
}
