package lint

import (
	"bytes"
	"image"
	"image/png"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const digest = "sha256:3f1c0a9d6b1f1f2e0a7c4b8d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7081"

// sound is a package in which no rule finds anything.
func sound() *Package {
	return &Package{
		Files:    fstest.MapFS{"docs/README.md": {Data: []byte("# x")}},
		Instance: "test",
		Namespaced: func(gk schema.GroupKind) (bool, bool) {
			return gk.Kind != "Namespace", gk.Group != "example.com"
		},
	}
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-test-web}
spec:
  replicas: 1
`

// with renders to the deployment and what the YAML has besides.
func with(t *testing.T, text string) *Package {
	t.Helper()
	p := sound()
	set, err := object.Load(strings.NewReader(deployment+"---\n"+text), "shop/templates/x.yaml")
	require.NoError(t, err)
	p.Objects = set.Objects
	return p
}

func lines(p *Package) []string {
	var all []string
	for _, f := range Check(p) {
		all = append(all, f.String())
	}
	return all
}

func TestSoundPackage(t *testing.T) {
	assert.Empty(t, lines(sound()))
	assert.Empty(t, lines(with(t, "")))
}

func TestObjects(t *testing.T) {
	const at = "templates/x.yaml: "
	for name, c := range map[string]struct {
		yaml string
		want []string
	}{
		"instance-prefix": {
			yaml: "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}\n---\n" +
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-test-}}",
			want: []string{
				at + "error: ConfigMap settings: wanted a name that begins with d8a-INSTANCE- (d8a-test-), so that two instances can live in one namespace (instance-prefix)",
				at + "error: ConfigMap d8a-test-: wanted a name that begins with d8a-INSTANCE- (d8a-test-), so that two instances can live in one namespace (instance-prefix)",
			},
		},
		"name-length": {
			yaml: "{apiVersion: batch/v1, kind: CronJob, metadata: {name: d8a-test-a23456789b123456789c123}}\n---\n" +
				"{apiVersion: batch/v1, kind: CronJob, metadata: {name: d8a-test-a23456789b123456789c1234}}\n---\n" +
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-test-a23456789b123456789c123456789d1234}}\n---\n" +
				"{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-test-a23456789b123456789c123456789d12345}}",
			want: []string{
				at + "error: CronJob d8a-test-a23456789b123456789c1234: wanted at most 23 characters behind d8a-INSTANCE-, found 24: the name is too long for an instance with a name of 24 (name-length)",
				at + "error: ConfigMap d8a-test-a23456789b123456789c123456789d12345: wanted at most 34 characters behind d8a-INSTANCE-, found 35: the name is too long for an instance with a name of 24 (name-length)",
			},
		},
		"instance-namespace": {
			yaml: "{apiVersion: v1, kind: ConfigMap, metadata: {name: d8a-test-a, namespace: other}}",
			want: []string{at + `error: ConfigMap d8a-test-a: wanted no metadata.namespace, found "other": objects live in the namespace of their instance (instance-namespace)`},
		},
		"scope": {
			yaml: "{apiVersion: v1, kind: Namespace, metadata: {name: d8a-test-a}}\n---\n{apiVersion: example.com/v1, kind: Unknown, metadata: {name: d8a-test-a}}",
			want: []string{at + "error: Namespace d8a-test-a: wanted a kind that lives in a namespace, found one of the whole cluster (scope)"},
		},
		"pdb": {
			yaml: `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: d8a-test-covered}
spec: {replicas: 3, template: {metadata: {labels: {app: covered, tier: x}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: d8a-test-covered}
spec: {selector: {matchLabels: {app: covered}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d8a-test-bare}
spec: {template: {metadata: {labels: {app: bare}}}}
`,
			want: []string{at + "warning: Deployment d8a-test-bare: wanted a PodDisruptionBudget that selects its Pods, found none (pdb)"},
		},
		"service-port": {
			yaml: "{apiVersion: v1, kind: Service, metadata: {name: d8a-test-a}, spec: {ports: [{port: 80, targetPort: http}, {port: 81, targetPort: 8080}, {port: 82}]}}",
			want: []string{at + "warning: Service d8a-test-a: wanted the name of a container port as targetPort, found 8080: the number is written twice (service-port)"},
		},
		"annotations": {
			yaml: `
apiVersion: v1
kind: ConfigMap
metadata:
  name: d8a-test-a
  annotations:
    example.com/mine: x
    helm.sh/resource-policy: kept
    werf.io/weight: "ten"
    werf.io/deploy-on: install, later
    werf.io/no-activity-timeout: 5 minutes
    werf.io/deploy-dependency-db: state=ready,kind=StatefulSet
    werf.io/log-regex-for-main: .*
    werf.io/waight: "3"
`,
			want: []string{
				at + `error: ConfigMap d8a-test-a: annotation helm.sh/resource-policy: wanted keep; found "kept" (annotations)`,
				at + `error: ConfigMap d8a-test-a: annotation werf.io/deploy-on: wanted install, upgrade, rollback or uninstall, with pre- or post- or nothing before; found "later" (annotations)`,
				at + `warning: ConfigMap d8a-test-a: annotation werf.io/log-regex-for-main: it has no effect: logs of Pods are not collected, as on the platform (annotations)`,
				at + `error: ConfigMap d8a-test-a: annotation werf.io/no-activity-timeout: wanted a time such as 90s or 1h; found "5 minutes" (annotations)`,
				at + `warning: ConfigMap d8a-test-a: annotation werf.io/waight: it is not known and has no effect (annotations)`,
				at + `error: ConfigMap d8a-test-a: annotation werf.io/weight: wanted a whole number; found "ten" (annotations)`,
			},
		},
		"keep-data": {
			yaml: "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d8a-test-a, annotations: {helm.sh/resource-policy: keep}}}\n---\n" +
				"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d8a-test-b}}",
			want: []string{at + "warning: PersistentVolumeClaim d8a-test-b: its data are gone when the application is suspended; the annotation helm.sh/resource-policy: keep keeps them (keep-data)"},
		},
		"endpoint": {
			yaml: `
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: d8a-test-a, annotations: {packages.deckhouse.io/application-endpoint-description: Pages}}
spec: {rules: [{http: {}}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: d8a-test-b, annotations: {packages.deckhouse.io/application-endpoint-description: "false"}}
`,
			want: []string{at + "warning: Ingress d8a-test-a: is an endpoint without a host, so it has no address (endpoint)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, lines(with(t, c.yaml)))
		})
	}
}

func TestWorkload(t *testing.T) {
	p := with(t, "")
	p.Objects = []object.Object{}
	assert.Equal(t, []string{"templates: error: wanted a Deployment or StatefulSet, found none: the application would never become ready (workload)"}, lines(p))
}

func TestImages(t *testing.T) {
	p := with(t, `
apiVersion: batch/v1
kind: CronJob
metadata: {name: d8a-test-a}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          initContainers: [{name: a, image: "registry.example.com/x/shop@`+digest+`"}, {name: b}]
          containers: [{name: c, image: "busybox:latest"}]
`)
	p.Images = map[string]string{"server": digest, "unused": strings.Replace(digest, "3f", "4f", 1)}
	assert.Equal(t, []string{
		"templates/x.yaml: warning: CronJob d8a-test-a: a container runs an image that is none of images_digests.json: it isn't copied with the package (images)",
		"templates/x.yaml: error: CronJob d8a-test-a: a container has no image: is its name in images_digests.json? (images)",
		"images_digests.json: warning: unused: no container runs this image (images)",
	}, lines(p))
}

func TestOrphans(t *testing.T) {
	jobs := `
{apiVersion: batch/v1, kind: Job, metadata: {name: d8a-test-hook, annotations: {helm.sh/hook: pre-install}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: d8a-test-once, annotations: {werf.io/ownership: anyone}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: d8a-test-kept, annotations: {werf.io/resource-policy: keep, helm.sh/resource-policy: keep}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: d8a-test-plain}}
`
	list := func(kind, version string) any { return []any{map[string]any{"kind": kind, "version": version}} }
	left := []string{
		"templates/x.yaml: warning: Job d8a-test-hook: outlives the Application: its kind is not in orphanResources of openapi/values.yaml (orphans)",
		"templates/x.yaml: warning: Job d8a-test-once: outlives the Application: its kind is not in orphanResources of openapi/values.yaml (orphans)",
	}
	const file = "openapi/values.yaml: error: orphanResources: "
	const nothing = ": nothing would be deleted with the Application (orphans)"
	for _, c := range []struct {
		values any
		want   []string
	}{
		{nil, left},
		{list("Job", "batch/v1"), nil},
		{list("Job", "v1"), nil}, // a version alone is of any group
		{list("Job", "apps/v1"), left},
		{"Job", []string{file + "wanted a list of {kind, version}" + nothing}},
		{list("Job", ""), []string{file + "entry 1: wanted kind, and version as VERSION or GROUP/VERSION" + nothing}},
		{list("Job", "a/b/c"), []string{file + "entry 1: wanted kind, and version as VERSION or GROUP/VERSION" + nothing}},
	} {
		p := with(t, jobs)
		p.Values = map[string]any{orphanKey: c.values}
		assert.Equal(t, c.want, lines(p), "%v", c.values)
	}
	p := sound()
	p.SettingsProperties = []string{"replicas", orphanKey}
	assert.Equal(t, []string{"openapi/settings.yaml: error: orphanResources: belongs into values.yaml: here users could change what is deleted (orphans)"}, lines(p))
}

func picture(t *testing.T, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, side, side))))
	return out.Bytes()
}

func TestFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  []string
	}{
		"no documents": {fstest.MapFS{"package.yaml": {}}, []string{"docs/README.md: warning: is missing: it says what the package is for (docs)"}},
		"icon":         {fstest.MapFS{"docs/README.md": {}, "icon.png": {Data: picture(t, 300)}, "icon.svg": {Data: []byte("<svg/>")}}, nil},
		"no icon": {
			fstest.MapFS{"docs/README.md": {}, "icon.png": {Data: picture(t, 300), Mode: fs.ModeNamedPipe}},
			[]string{"icon.png: error: wanted a file, found p--------- (icon)"},
		},
		"icons": {fstest.MapFS{
			"docs/README.md": {}, "icon.png": {Data: picture(t, 301)}, "icon.gif": {Data: []byte("GIF89a")},
			"icon.svg": {Data: make([]byte, maxIconBytes+1)},
		}, []string{
			"icon.gif: error: wanted PNG, JPEG or SVG: image: unknown format (icon)",
			"icon.png: error: wanted at most 300×300 pixels, found 301×301 (icon)",
			"icon.svg: error: wanted at most 153600 bytes, found 153601 (icon)",
		}},
	} {
		p := sound()
		p.Files = c.files
		assert.Equal(t, c.want, lines(p), name)
	}
}

// Every rule has a test that makes it find something.
func TestRules(t *testing.T) {
	assert.Len(t, Rules(), 14)
	sorted := slices.Clone(Rules())
	slices.Sort(sorted)
	assert.Len(t, slices.Compact(sorted), len(Rules()), "names are unique")
}
