package object

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	kubeyaml "sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write golden files")

// TestEncodeYAMLGolden shows one object with every style there is.
func TestEncodeYAMLGolden(t *testing.T) {
	body := decode(t, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"styles","labels":{},"list":[]},"data":{
		"plain":"hello world","number":"8080","float":"1e3","bool":"true","word":"off","y":"y","null":"null","empty":"",
		"date":"2026-01-02","clock":"12:30:45","octal":"0644","hex":"0x1f","under":"1_000","tilde":"~","merge":"<<",
		"quantity":"100m","address":"10.0.0.1","version":"1.2.3","flag":"--level=debug","dash":"-","dashes":"---","star":"*",
		"colon":"a: b","colon at the end":"a:","url":"http://a.b:80/c","hash":"a #b","no hash":"a#b","quote":"it's","double":"say \"hi\"",
		"json":"{\"a\":1}","space before":" a","space after":"a ","tab":"a\tb","bell":"\u0007","nel":"\u0085","separator":"\u2028","bom":"\ufeff","emoji":"\ud83d\ude00","latin":"é",
		"8080":"key","a: b":"key","on":"key","lines":"one\ntwo\n","lines, no end":"one\ntwo","lines, more ends":"one\n\n\n",
		"lines, indented":"  one\ntwo\n","lines, empty first":"\none\n","lines, trailing blanks":"one  \ntwo\n","lines, blank inside":"one\n\ntwo\n",
		"lines, tab first":"\tone\ntwo\n","only line ends":"\n\n","carriage return":"one\r\ntwo\r\n","blank last line":"one\n  "},
		"numbers":[0,-1,9007199254740993,9223372036854775807,18446744073709551615,123456789012345678901234567890,1.10,0.1234567890123456789,1e-7,1e300,2.5e20],
		"nested":[[1,[2,{"a":[],"b":{}}]],{"c":[{"d":"x\ny"}]},null,true,"a\nb\n"],"nothing":null,"yes":false}`)
	got, err := EncodeYAML(body)
	require.NoError(t, err)
	const golden = "testdata/styles.yaml"
	if *update {
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))
	assertReadsBack(t, body, got)
}

// TestEncodeYAMLShowsWhatIsThere: no text turns the direction of a line around or
// hides a part of it, in a key, on one line, or in a block of lines.
func TestEncodeYAMLShowsWhatIsThere(t *testing.T) {
	const family = "\U0001F468\u200d\U0001F469"
	body := map[string]any{
		"turned":        "a\u202eb\u2066c\u061c",
		"k\u200ey":      "key",
		"lines":         "one\n\u202etwo\n",
		"hidden":        "soft\u00adhyphen, zero\u200bwidth, tag\U000E0041",
		"joined":        family + " \u0645\u06cc\u200c\u062e",
		"lines, joined": family + "\n\u05e9\n",
	}
	got, err := EncodeYAML(body)
	require.NoError(t, err)
	assert.Equal(t, `hidden: "soft\xadhyphen, zero\u200bwidth, tag\U000e0041"
joined: `+body["joined"].(string)+`
"k\u200ey": key
lines: "one\n\u202etwo\n"
lines, joined: |
  `+family+"\n  \u05e9"+`
turned: "a\u202eb\u2066c\u061c"
`, string(got))
	assertReadsBack(t, body, got)
}

// assertReadsBack holds that we, kubectl's parser and a YAML 1.2 parser read
// the same from what was written.
func assertReadsBack(t *testing.T, body map[string]any, written []byte) {
	t.Helper()
	node, err := parseYAML(written)
	require.NoError(t, err)
	r := &reading{document: document{text: written, line: 1}, node: node}
	r.checkKeys()
	require.Empty(t, r.findings, "%s", written)
	require.Empty(t, r.warnings, "%s", written)
	value, ok := r.value()
	require.True(t, ok, "%v", r.findings)
	require.True(t, Equal(body, value), "ours:\n%s\nwanted %#v\nfound %#v", written, body, value)

	kubectl, err := kubectlValue(written)
	require.NoError(t, err)
	require.True(t, Equal(floats(body), floats(kubectl)), "kubectl's:\n%s\nwanted %#v\nfound %#v", written, body, kubectl)

	var modern any
	require.NoError(t, yaml.Unmarshal(written, &modern))
	data, err := json.Marshal(modern)
	require.NoError(t, err)
	again, err := decodeValue(data)
	require.NoError(t, err)
	require.True(t, Equal(floats(body), floats(again)), "YAML 1.2:\n%s", written)
}

// floats rounds the numbers that other parsers round.
func floats(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v {
			out[key] = floats(item)
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, floats(item))
		}
		return out
	case json.Number:
		f, _ := v.Float64()
		return f
	default:
		return value
	}
}

func TestEncodeYAMLOrderAndStability(t *testing.T) {
	body := decode(t, `{"b":1,"a":{"z":1,"B":2,"a10":3,"a2":4},"é":5}`)
	const want = "a:\n  B: 2\n  a10: 3\n  a2: 4\n  z: 1\nb: 1\né: 5\n"
	for range 20 {
		got, err := EncodeYAML(body)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

func TestEncodeYAMLEmptyAndLong(t *testing.T) {
	got, err := EncodeYAML(nil)
	require.NoError(t, err)
	assert.Equal(t, "{}\n", string(got))

	long := map[string]any{strings.Repeat("k", 5000): map[string]any{"a": []any{"b"}}, strings.Repeat("l", 2000): []any{"x"}, strings.Repeat("m", 2000): "x"}
	got, err = EncodeYAML(long)
	require.NoError(t, err)
	assertReadsBack(t, long, got)
}

func TestEncodeYAMLRefusesForeignTypes(t *testing.T) {
	for name, value := range map[string]any{"struct": struct{}{}, "bad number": json.Number("x"), "not a number": math.NaN()} {
		t.Run(name, func(t *testing.T) {
			_, err := EncodeYAML(map[string]any{"kind": "A", "spec": []any{map[string]any{"x": value}}})
			require.ErrorContains(t, err, "spec: [0]: x: ")
		})
	}
}

// TestEncodeYAMLQuotesLikeKubectl compares with kubectl's own writer, text by
// text, where both have one line.
func TestEncodeYAMLQuotesLikeKubectl(t *testing.T) {
	for _, text := range []string{
		"a", "hello world", "8080", "-1", "+1", "1.5", ".5", "1e3", "0x1f", "0o7", "0644", "1_000", "true", "True", "TRUE", "tRue",
		"yes", "no", "on", "off", "y", "n", "null", "Null", "~", "", ".inf", "-.inf", ".nan", "2026-01-02", "2026-1-2",
		"12:30:45", "1:30", "10.0.0.1", "1.2.3", "100m", "1Gi", "8080/tcp", "a:b", "a: b", "a:", ":a", "#a", "a#b", "a #b",
		"*", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a", "'a'", "\"a\"", "{a}", "[a]", "a]", "a}", ",a", "a,b", "- a", "-a", "--a",
		"-", "?", "? a", " a", "a ", "a  b", "<<", "<a>", "http://a.b/c?d=e&f", "$(VAR)", "${VAR}", "{{ x }}", "é", "日本",
		"sha256:0123456789abcdef", "0123456789abcdef", "1e", "e1", "0b11", "0x", "0xg", "--- a", "...", "a\\b", "a'b", "a\"b",
	} {
		theirs, err := kubeyaml.Marshal(map[string]any{"k": text})
		require.NoError(t, err)
		ours, err := EncodeYAML(map[string]any{"k": text})
		require.NoError(t, err)
		switch text {
		case "?", ":a", "<<":
			continue // we quote; they need not
		}
		assert.Equal(t, string(theirs), string(ours))
	}
}

func FuzzEncodeYAML(f *testing.F) {
	golden, err := os.ReadFile("testdata/styles.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("key", string(golden))
	f.Add("0x10", "a\n b\n")
	f.Add("<<", " \n\t\n")
	f.Fuzz(func(t *testing.T, key, text string) {
		key, text = strings.ToValidUTF8(key, "?"), strings.ToValidUTF8(text, "?")
		body := map[string]any{
			key: text, "list": []any{text, []any{text}, map[string]any{key: text}},
			"map": map[string]any{text: map[string]any{key: []any{key}}},
		}
		written, err := EncodeYAML(body)
		require.NoError(t, err)
		again, err := EncodeYAML(body)
		require.NoError(t, err)
		require.True(t, bytes.Equal(written, again))
		assertReadsBack(t, body, written)
	})
}
