package object

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The inputs below testdata/cases are trouble that users of like tools have
// reported; each case tells what must come of it.

func TestCaseObjects(t *testing.T) {
	tests := map[string][]string{
		"Y03/crlf-bom.yaml":       {"ConfigMap lines-a", "ConfigMap lines-b"},
		"Y05/anchors.yaml":        {"Deployment.apps anchors"},
		"Y07/lists.yaml":          {"ConfigMap item-a", "ConfigMap item-b", "Role.rbac.authorization.k8s.io item-c"},
		"Y07/null-items.yaml":     nil,
		"I01/two-versions.yaml":   {"HorizontalPodAutoscaler.autoscaling default/same", "HorizontalPodAutoscaler.autoscaling default/same", "HorizontalPodAutoscaler.autoscaling same"},
		"I03/1-core.yaml":         {"Event default/moved"},
		"I03/2-events-group.yaml": {"Event.events.k8s.io default/moved"},
		"I07/homeless.yaml":       {"ConfigMap homeless", "ConfigMap default/housed"},
		"I09/same-kind.yaml":      {"CustomResourceDefinition.apiextensions.k8s.io deployments.demo.example", "Deployment.demo.example default/twin", "Deployment.apps default/twin"},
		"I11/1-crd-both.yaml":     {"CustomResourceDefinition.apiextensions.k8s.io widgets.demo.example", "Widget.demo.example default/old"},
		"S07/1-list.yaml":         {"Secret default/boxed"},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			set := loadCase(t, name)
			assert.Equal(t, want, refs(set))
			assert.Empty(t, set.Warnings)
		})
	}
}

func TestCaseRefusals(t *testing.T) {
	tests := map[string]string{
		"Y01/dup-key.yaml":  `Y01/dup-key.yaml: document 1, line 17: the key "env" is given twice, first on line 15 (spec.template.spec.containers[0].env)`,
		"I05/generate.yaml": `I05/generate.yaml: document 2, line 8: Job: an object with generateName can't be applied or tracked, each run would make another one; give metadata.name (metadata.generateName)`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := loadCaseFile(t, name)
			require.EqualError(t, err, want)
			assert.Empty(t, set.Objects, "the other documents are not used either")
		})
	}
}

// TestCaseSameContent: pairs of files that say the same.
func TestCaseSameContent(t *testing.T) {
	tests := map[string]struct{ a, b string }{
		"byte order mark and CRLF": {"Y03/crlf-bom.yaml", "Y03/plain.yaml"},
		"nulls":                    {"Y11/nulls.yaml", "Y11/without.yaml"},
		"wrapped base64":           {"Y17/wrapped.yaml", "Y17/single.yaml"},
	}
	h := Hasher{Key: make([]byte, 32)}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, b := loadCase(t, test.a), loadCase(t, test.b)
			require.Equal(t, refs(a), refs(b))
			for i := range a.Objects {
				x, y := a.Objects[i].Body, b.Objects[i].Body
				assert.True(t, Equal(Normalise(DropNulls(x, nil)), Normalise(DropNulls(y, nil))))
				hashX, err := h.Content(x)
				require.NoError(t, err)
				hashY, err := h.Content(y)
				require.NoError(t, err)
				assert.Equal(t, hashX, hashY)
			}
		})
	}
}

func TestCaseY03LineEndsInsideText(t *testing.T) {
	set := loadCase(t, "Y03/crlf-bom.yaml")
	assert.Equal(t, "one\ntwo\n", field(set.Objects[0].Body, "data", "text"))
}

func TestCaseY05MergeKeys(t *testing.T) {
	set := loadCase(t, "Y05/anchors.yaml")
	containers := field(set.Objects[0].Body, "spec", "template", "spec", "containers")
	assert.Equal(t, []any{
		map[string]any{"name": "one", "image": "registry.example/demo:1", "env": []any{
			map[string]any{"name": "MODE", "value": "a"}, map[string]any{"name": "EXTRA", "value": "x"},
		}},
		map[string]any{"name": "two", "image": "registry.example/demo:1", "env": []any{
			map[string]any{"name": "MODE", "value": "b"},
		}},
	}, containers)

	written, err := EncodeYAML(set.Objects[0].Body)
	require.NoError(t, err)
	assert.NotContains(t, string(written), "<<")
	again, err := Load(strings.NewReader(string(written)), "out.yaml")
	require.NoError(t, err)
	assert.Equal(t, set.Objects[0].Body, again.Objects[0].Body)
}

func TestCaseY09Integers(t *testing.T) {
	a := loadCase(t, "Y09/2-cr-a.yaml").Objects[0]
	b := loadCase(t, "Y09/2-cr-b.yaml").Objects[0]
	assert.Equal(t, map[string]any{"id": int64(9007199254740993), "other": int64(9123456789012345678)}, b.Body["spec"])
	assert.False(t, Equal(a.Body, b.Body))

	hashA, err := Hasher{}.Content(a.Body)
	require.NoError(t, err)
	hashB, err := Hasher{}.Content(b.Body)
	require.NoError(t, err)
	assert.NotEqual(t, hashA, hashB, "they differ in the last digit")

	sent, err := EncodeJSON(b.Body)
	require.NoError(t, err)
	assert.Contains(t, string(sent), `"id":9007199254740993,"other":9123456789012345678`)
}

func TestCaseY13OneLongLine(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to generate the input")
	}
	text, err := exec.Command(python, "testdata/cases/Y13/gen.py").Output()
	require.NoError(t, err)
	set := load(t, string(text))
	require.Len(t, set.Objects, 1)
	assert.Len(t, field(set.Objects[0].Body, "data", "json"), 300000)

	written, err := EncodeYAML(set.Objects[0].Body)
	require.NoError(t, err)
	assert.Equal(t, 6, strings.Count(string(written), "\n"), "no folding")
}

func TestCaseY15KeysAndDates(t *testing.T) {
	keys := loadCase(t, "Y15/keys.yaml")
	assert.Equal(t, map[string]any{"8080": "web"}, keys.Objects[0].Body["data"])

	dates := loadCase(t, "Y15/dates.yaml")
	assert.Equal(t, map[string]any{"day": "2026-01-02"}, dates.Objects[0].Body["data"])
	assert.Equal(t, "2026-01-02", dates.Objects[0].Annotation("released"))
}

func TestCaseY17Bytes(t *testing.T) {
	set := loadCase(t, "Y17/wrapped.yaml")
	blob := field(Normalise(set.Objects[0].Body), "binaryData", "blob").(string)
	raw, ok := decodeBase64(blob)
	require.True(t, ok)
	assert.Equal(t, []byte{0xff, 0xfe, 0x00, 0x01}, raw[:4])
	assert.NotContains(t, blob, "\n")
	assert.Contains(t, field(set.Objects[0].Body, "binaryData", "blob"), "\n", "what is sent is what was built")
}

func TestCaseS03RenamedKey(t *testing.T) {
	first := FoldStringData(loadCase(t, "S03/1-rename.yaml").Objects[0].Body)
	second := FoldStringData(loadCase(t, "S03/2-rename.yaml").Objects[0].Body)
	assert.Equal(t, map[string]any{"user": "YWRtaW4=", "pass": "Zmlyc3Q="}, first["data"])
	assert.Equal(t, map[string]any{"user2": "YWRtaW4=", "pass": "Zmlyc3Q="}, second["data"])
	assert.NotContains(t, second, "stringData", "what server-side apply owns is what is stored")
}
