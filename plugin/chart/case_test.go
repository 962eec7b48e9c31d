package chart

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The charts below testdata/cases are trouble that users of like tools have
// reported; each test says what must come of it.

func TestCaseH03HooksAreNoObjects(t *testing.T) {
	result := render(t, caseChart(t, "H03"), request())
	assert.Equal(t, []string{"ConfigMap plain"}, refs(result.Objects))
	assert.Equal(t, []string{"after"}, names(result.HooksAt(PostInstall)))
	assert.Equal(t, []string{"goodbye"}, names(result.HooksAt(PreDelete)))
	assert.Equal(t, []string{"back"}, names(result.HooksAt(PostRollback)))
	assert.Equal(t, []string{"trial"}, names(result.HooksAt(TestEvent)))
}

// TestCaseH05Numbers: a values file gives what Helm gives; integers stay integers
// where the caller hands them over as such.
func TestCaseH05Numbers(t *testing.T) {
	c := caseChart(t, "H05")
	r := request()
	r.Values = caseValues(t, "H05")
	assert.Equal(t, map[string]any{
		"quoted": "1e+06", "int64": "1000000", "tag": "20161216",
		"yaml": "id: 9007199254740992\nmillion: 1000000\nport: 8080\ntag: \"20161216\"\n",
	}, data(t, render(t, c, r).Objects[0]))

	r.Values = map[string]any{"million": int64(1000000), "id": int64(9007199254740993), "port": int64(8080), "tag": "20161216"}
	assert.Equal(t, map[string]any{
		"quoted": "1000000", "int64": "1000000", "tag": "20161216",
		"yaml": "id: 9007199254740993\nmillion: 1000000\nport: 8080\ntag: \"20161216\"\n",
	}, data(t, render(t, c, r).Objects[0]))
}

func TestCaseH07Namespaces(t *testing.T) {
	result := render(t, caseChart(t, "H07"), request())
	assert.Equal(t, []string{"ConfigMap no-ns", "ConfigMap default/own-ns-web", "ClusterRole.rbac.authorization.k8s.io placed"}, refs(result.Objects))
	assert.Equal(t, "shop", data(t, result.Objects[0])["ns"])
}

func TestCaseH09KubeVersions(t *testing.T) {
	versions, err := os.ReadFile("testdata/cases/H09/versions.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(versions)) {
		fields := strings.Fields(line)
		version, verdict := fields[0], fields[len(fields)-1]
		constraint := strings.Join(fields[1:len(fields)-1], " ")
		t.Run(version+constraint, func(t *testing.T) {
			c := chartOf(t, "-- Chart.yaml --\n{apiVersion: v2, name: picky, version: 0.1.0, kubeVersion: '"+constraint+"'}\n")
			r := request()
			r.Capabilities.KubeVersion = version
			_, err := c.Render(t.Context(), r)
			switch verdict {
			case "yes":
				assert.NoError(t, err)
			case "no":
				assert.EqualError(t, err, "chart picky: kubeVersion in Chart.yaml: wanted Kubernetes "+constraint+", found "+version)
			default:
				assert.EqualError(t, err, "chart picky: kubeVersion in Chart.yaml: wanted a constraint on versions, found \""+constraint+"\"")
			}
		})
	}
	render(t, caseChart(t, "H09"), request())
}

func TestCaseH11Odds(t *testing.T) {
	c := caseChart(t, "H11")
	r := request()
	r.Values = caseValues(t, "H11")
	result := render(t, c, r)
	require.Equal(t, []string{"ConfigMap odds"}, refs(result.Objects))
	assert.Equal(t, map[string]any{"text": "hello world", "who": "world"}, data(t, result.Objects[0]))

	delete(r.Values, "who")
	_, err := c.Render(t.Context(), r)
	assert.EqualError(t, err, "chart odds: odds/templates/on.yaml:9:10: who is required")

	r.Values = caseValues(t, "H11")
	r.Values["break"] = true
	_, err = c.Render(t.Context(), r)
	assert.ErrorContains(t, err, "chart odds: output of templates: odds/templates/on.yaml: document 1, line ")
}

func TestCaseH13ReleaseNames(t *testing.T) {
	data, err := os.ReadFile("testdata/cases/H13/names.txt")
	require.NoError(t, err)
	lines := strings.Fields(string(data))
	c := caseChart(t, "H13")
	r := request()
	r.Release.Name = lines[0]
	render(t, c, r)
	r.Release.Name = lines[2]
	_, err = c.Render(t.Context(), r)
	assert.ErrorContains(t, err, "has 54 characters, wanted at most 53")
}
