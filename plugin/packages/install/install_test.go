package install

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/controller"
)

var update = flag.Bool("update", false, "write the golden files anew")

// documented is what docs/rbac.md shows.
const documented = "../../../docs/rbac/packages-controller.yaml"

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run with -update")
	assert.Equal(t, string(want), string(got), "run with -update and look at what changed")
}

func some(change func(*Options)) Options {
	o := DefaultOptions("v1.2.3")
	change(&o)
	return o
}

// printed are the objects but the definitions, which are files themselves.
func printed(t *testing.T, o Options) []byte {
	t.Helper()
	require.NoError(t, o.Validate())
	objects, err := Objects(o)
	require.NoError(t, err)
	objects = slices.DeleteFunc(objects, func(o Object) bool { return o.Definition })
	data, err := YAML(objects)
	require.NoError(t, err)
	return data
}

func TestObjects(t *testing.T) {
	for name, o := range map[string]Options{
		"default": DefaultOptions("v1.2.3"),
		"namespaces": some(func(o *Options) {
			o.Namespaces, o.Rights, o.Webhook, o.Protect, o.CreateNamespace = []string{"shop", "blog", "shop"}, RightsMinimal, false, false, false
			o.PlatformVersion, o.Args = "v1.70.0", []string{"--drift-interval=15m", "--log-level=debug"}
		}),
		"all": some(func(o *Options) {
			o.Namespace, o.Rights, o.Rules, o.Monitor, o.Replicas = "elsewhere", RightsAll, true, true, 3
			o.PullSecrets, o.Annotations, o.Requests, o.Limits = []string{"pull"}, map[string]string{"a.example/b": "c"}, nil, nil
		}),
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, filepath.Join("testdata", name+".yaml"), printed(t, o))
		})
	}
}

// The roles of the documents are those that are installed.
func TestRolesOfTheDocuments(t *testing.T) {
	objects, err := Objects(DefaultOptions("v1.2.3"))
	require.NoError(t, err)
	objects = slices.DeleteFunc(objects, func(o Object) bool {
		kind, _ := o.Body["kind"].(string)
		return !strings.Contains(kind, "Role")
	})
	data, err := YAML(objects)
	require.NoError(t, err)
	golden(t, documented, data)
}

func TestWhatIsPrintedIsWhatIsMeant(t *testing.T) {
	objects, err := Objects(DefaultOptions("v1.2.3"))
	require.NoError(t, err)
	data, err := YAML(objects)
	require.NoError(t, err)
	documents := strings.Split(string(data), "\n---\n")
	require.Len(t, documents, len(objects))
	for i, document := range documents {
		want, err := yaml.Marshal(objects[i].Body)
		require.NoError(t, err)
		assert.YAMLEq(t, string(want), document)
	}
	list, err := JSON(objects)
	require.NoError(t, err)
	var read struct{ Items []map[string]any }
	require.NoError(t, yaml.Unmarshal(list, &read))
	assert.Len(t, read.Items, len(objects))
}

// Least privilege: nothing by which the controller could give itself more, and nothing
// without a reason.
func TestRights(t *testing.T) {
	for _, rights := range []Rights{RightsCommon, RightsMinimal} {
		objects, err := Objects(some(func(o *Options) { o.Rights = rights }))
		require.NoError(t, err)
		for _, o := range objects {
			rules, _ := o.Body["rules"].([]any)
			require.Len(t, o.Rules, len(rules))
			for i, r := range rules {
				body, _ := r.(map[string]any)
				assert.NotEmpty(t, o.Rules[i])
				for _, verb := range body["verbs"].([]any) {
					assert.NotContains(t, []any{"*", "escalate", "bind", "impersonate", "deletecollection"}, verb)
				}
				for _, key := range []string{"resources", "apiGroups"} {
					assert.NotContains(t, body[key], "*")
				}
			}
		}
	}
	objects, err := Objects(some(func(o *Options) { o.Rights = RightsNone }))
	require.NoError(t, err)
	for _, o := range objects {
		assert.NotContains(t, o.Body["kind"], "Role")
	}
}

// The rules of the cluster name the definitions that there are.
func TestEveryKindIsWatched(t *testing.T) {
	definitions, err := api.CRDs()
	require.NoError(t, err)
	text := string(printed(t, DefaultOptions("v1.2.3")))
	for _, d := range definitions {
		assert.Contains(t, text, "- "+d.GetName()+"\n")
		assert.Contains(t, text, "- "+strings.TrimSuffix(d.GetName(), "."+api.Group)+"\n")
	}
}

func TestServiceLeadsToTheLeader(t *testing.T) {
	spec, _ := service(DefaultOptions("v1.2.3")).Body["spec"].(map[string]any)
	assert.Equal(t, map[string]any{"app.kubernetes.io/name": name, controller.LeaderLabel: "true"}, spec["selector"])
	template, _ := deployment(DefaultOptions("v1.2.3")).Body["spec"].(map[string]any)
	assert.NotContains(t, template, controller.LeaderLabel, "no Pod leads before it says so")
}

func TestNamespaceOf(t *testing.T) {
	assert.Equal(t, "elsewhere", NamespaceOf([]object.Ref{
		{Kind: "Service", Namespace: "a", Name: name}, {Group: "apps", Kind: "Deployment", Namespace: "elsewhere", Name: name},
	}))
	assert.Equal(t, controller.DefaultSystemNamespace, NamespaceOf(nil), "an installation that was cut off")
}

func TestDefaultImage(t *testing.T) {
	assert.Equal(t, "ghcr.io/kubectl-tazuna/kubectl-tazuna:v1.2.3", DefaultImage("v1.2.3"))
	assert.Empty(t, DefaultImage("dev"))
	data, err := os.ReadFile("../../../.goreleaser.yaml")
	require.NoError(t, err)
	assert.Contains(t, string(data), "repositories: ["+imageRepository+"]", "what is released is what is installed")
	assert.Contains(t, string(data), `tags: ["v{{ .Version }}"]`)
}

func TestRefusedOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"--image: this program is no release":           func(o *Options) { o.Image = "" },
		"--image: wanted the reference":                 func(o *Options) { o.Image = "a b" },
		"--replicas: wanted 1 or more, found 0":         func(o *Options) { o.Replicas = 0 },
		"--rbac: wanted common, minimal, cluster-admin": func(o *Options) { o.Rights = "some" },
		"--platform-version: wanted":                    func(o *Options) { o.PlatformVersion = "1.70" },
		`namespace "A"`:                                 func(o *Options) { o.Namespaces = []string{"A"} },
		`namespace ""`:                                  func(o *Options) { o.Namespace = "" },
		"--image-pull-secret":                           func(o *Options) { o.PullSecrets = []string{"A_b"} },
		"--pod-annotation":                              func(o *Options) { o.Annotations = map[string]string{"a b": ""} },
		"--limits memory: wanted a quantity":            func(o *Options) { o.Limits = map[string]string{"memory": "much"} },
		"--socket is set by install":                    func(o *Options) { o.Args = []string{"--log-level=debug", "--socket=/s"} },
	} {
		t.Run(want, func(t *testing.T) {
			require.ErrorContains(t, some(change).Validate(), want)
		})
	}
}
