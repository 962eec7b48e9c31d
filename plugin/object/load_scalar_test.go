package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// scalars that people write, and the ones that parsers quarrel about.
func scalars() []string {
	return []string{
		"a", "A", "hello", "0", "1", "-1", "+1", "00", "01", "08", "0o17", "0x1f", "0X1F", "0b11", "-0b11", "1_000", "1__0", "_1", "1_",
		"9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775809",
		"1.", ".1", "1.0", "1.10", "-1.5", "1e3", "1E3", "1e+3", "1e-3", "1e", "e1", "1.5e400", "0x1p3", ".", "..", ".e1", "-.5",
		".inf", ".Inf", ".INF", "+.inf", "-.inf", ".nan", ".NaN", "inf", "nan", "Infinity",
		"true", "True", "TRUE", "tRue", "false", "False", "FALSE", "y", "Y", "yes", "Yes", "YES", "yEs", "n", "N", "no", "No", "NO",
		"on", "On", "ON", "oN", "off", "Off", "OFF", "~", "null", "Null", "NULL", "nULL", "nil", "none", "None",
		"2026-01-02", "2026-1-2", "2026-01-02T03:04:05Z", "2026-01-02 03:04:05", "2026-01", "2026-13-45", "12:30", "12:30:45", "1:2:3.4",
		"10.0.0.1", "10.0.0.0/8", "1.2.3", "v1.2.3", "100m", "128Mi", "1Gi", "5s", "1h30m", "8080:80", "80/tcp", "sha256:0123", "0123abc",
		"-", "--", "-a", "--flag=x", "-f", "+", "++", "<", "<<", "<a>", "=", "a=b", "$(X)", "a:b", "a#b", "/bin/sh", "é", "日本",
	}
}

// TestClassifyAgreesWithKubectl: where a scalar is decided at a glance, the
// glance must be what kubectl's parser says.
func TestClassifyAgreesWithKubectl(t *testing.T) {
	decided := 0
	for _, text := range scalars() {
		want, err := kubectlValue([]byte("x: " + text + "\n"))
		if err != nil {
			assert.Equal(t, unusual, classify(text), "%s: what can't be read is not decided here", text)
			continue
		}
		got, ok := scalar(&yaml.Node{Kind: yaml.ScalarNode, Value: text})
		if !ok {
			continue
		}
		decided++
		assert.Equal(t, field(want, "x"), got, text)
	}
	assert.Greater(t, decided, 60, "ordinary scalars need no second parser")
}

// TestKeyTextAgreesWithKubectl: the same for keys.
func TestKeyTextAgreesWithKubectl(t *testing.T) {
	for _, text := range scalars() {
		want, err := kubectlValue([]byte(text + ": x\n"))
		got, ok := keyText(&yaml.Node{Kind: yaml.ScalarNode, Value: text})
		if text == "<<" {
			continue // a merge key
		}
		if err != nil {
			assert.False(t, ok, text)
			continue
		}
		require.True(t, ok, text)
		assert.Contains(t, want, got, text)
	}
}

// TestAmbiguousIsQuoted: every scalar of the list, as a text, survives our
// writer and both generations of parsers.
func TestAmbiguousIsQuoted(t *testing.T) {
	for _, text := range scalars() {
		body := map[string]any{"x": text, text: []any{text}}
		written, err := EncodeYAML(body)
		require.NoError(t, err)
		assertReadsBack(t, body, written)
	}
}

func TestScalarStyles(t *testing.T) {
	for _, style := range []yaml.Style{yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle, yaml.LiteralStyle, yaml.FoldedStyle} {
		got, ok := scalar(&yaml.Node{Kind: yaml.ScalarNode, Style: style, Value: "no"})
		assert.True(t, ok)
		assert.Equal(t, "no", got, "quotes make it a text")
	}
	_, ok := scalar(&yaml.Node{Kind: yaml.ScalarNode, Style: yaml.TaggedStyle, Value: "no"})
	assert.False(t, ok, "a tag decides")
	assert.False(t, isPlain(&yaml.Node{Kind: yaml.MappingNode}))
}

func TestKeyTextOfOddNodes(t *testing.T) {
	_, ok := keyText(nil)
	assert.False(t, ok)
	_, ok = keyText(&yaml.Node{Kind: yaml.SequenceNode})
	assert.False(t, ok)
	text, ok := keyText(&yaml.Node{Kind: yaml.AliasNode, Alias: &yaml.Node{Kind: yaml.ScalarNode, Value: "a"}})
	assert.True(t, ok)
	assert.Equal(t, "a", text)
}

func TestNodeAt(t *testing.T) {
	root, err := parseYAML([]byte("base: &base\n  deep:\n    x: 1\nown:\n  <<: *base\nalias: *base\nlist: [a]\n"))
	require.NoError(t, err)
	for name, test := range map[string]struct {
		path []string
		line int // 0: not there
	}{
		"own key":          {[]string{"base", "deep", "x"}, 3},
		"through a merge":  {[]string{"own", "deep", "x"}, 3},
		"through an alias": {[]string{"alias", "deep"}, 3},
		"missing":          {[]string{"base", "nothing"}, 0},
		"below a scalar":   {[]string{"base", "deep", "x", "y"}, 0},
		"below a list":     {[]string{"list", "a"}, 0},
		"no path":          {nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := nodeAt(root, test.path...)
			if test.line == 0 {
				assert.Nil(t, n)
				return
			}
			require.NotNil(t, n)
			assert.Equal(t, test.line, n.Line)
		})
	}
}

func TestEntriesFollowKubectl(t *testing.T) {
	for _, text := range []string{
		"b: &b {x: 1, z: 2}\nm: {<<: *b, x: 3}\n",
		"b: &b {x: 1, z: 2}\nm: {x: 3, <<: *b}\n",
		"b: &b {x: 1}\nc: &c {x: 2, z: 4}\nm: {<<: [*b, *c], w: 5}\n",
		"b: &b {x: 1}\nc: &c {<<: *b, z: 4}\nm: {<<: *c}\n",
		"m: {<<: {x: 1}, <<: {x: 2}}\n",
		"m: {\"<<\": 1}\n",
	} {
		t.Run(text, func(t *testing.T) {
			root, err := parseYAML([]byte(text))
			require.NoError(t, err)
			want, err := kubectlValue([]byte(text))
			require.NoError(t, err)
			got := map[string]any{}
			for key, n := range entries(nodeAt(root, "m")) {
				value, ok := scalar(n)
				require.True(t, ok)
				got[key] = value
			}
			assert.Equal(t, field(want, "m"), any(got))
		})
	}
}
