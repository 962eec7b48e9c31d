package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChunks(t *testing.T) {
	type chunk struct {
		line int
		text string
	}
	tests := map[string]struct {
		text string
		want []chunk
	}{
		"nothing":                  {"", nil},
		"only comments":            {"# a\n\n  # b\n", nil},
		"one":                      {"a: 1\n", []chunk{{1, "a: 1\n"}}},
		"leading comment kept":     {"# a\nb: 1\n", []chunk{{1, "# a\nb: 1\n"}}},
		"two":                      {"a: 1\n---\nb: 1\n", []chunk{{1, "a: 1\n"}, {2, "---\nb: 1\n"}}},
		"an empty one counts":      {"a: 1\n---\n---\nb: 1\n", []chunk{{1, "a: 1\n"}, {2, "---\n"}, {3, "---\nb: 1\n"}}},
		"no end of line":           {"a: 1\n---", []chunk{{1, "a: 1\n"}, {2, "---"}}},
		"comment before a marker":  {"# a\n---\nb: 1\n", []chunk{{2, "---\nb: 1\n"}}},
		"directive":                {"# a\n%YAML 1.1\n---\nb: 1\n", []chunk{{1, "# a\n%YAML 1.1\n---\nb: 1\n"}}},
		"directive after an end":   {"a: 1\n...\n%YAML 1.1\n---\nb: 1\n", []chunk{{1, "a: 1\n"}, {3, "%YAML 1.1\n---\nb: 1\n"}}},
		"percent inside":           {"a: |\n  x\n%y\n", []chunk{{1, "a: |\n  x\n%y\n"}}},
		"end marker ends":          {"a: 1\n... # x\n", []chunk{{1, "a: 1\n"}}},
		"after an end":             {"a: 1\n...\n\nb: 1\n", []chunk{{1, "a: 1\n"}, {3, "\nb: 1\n"}}},
		"marks":                    {byteOrderMark + "a: 1\n" + byteOrderMark + "---\nb: 1\n", []chunk{{1, "a: 1\n"}, {2, "---\nb: 1\n"}}},
		"a mark alone":             {byteOrderMark, nil},
		"CRLF":                     {"a: 1\r\n---\r\nb: 1\r\n", []chunk{{1, "a: 1\r\n"}, {2, "---\r\nb: 1\r\n"}}},
		"indented dashes":          {"a: |\n  ---\n", []chunk{{1, "a: |\n  ---\n"}}},
		"more than three dashes":   {"----\n", []chunk{{1, "----\n"}}},
		"dashes glued to a word":   {"---a\n", []chunk{{1, "---a\n"}}},
		"content after the marker": {"--- {a: 1}\n--- {b: 1}\n", []chunk{{1, "--- {a: 1}\n"}, {2, "--- {b: 1}\n"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got []chunk
			for _, c := range chunks([]byte(test.text)) {
				got = append(got, chunk{c.line, string(c.text)})
			}
			assert.Equal(t, test.want, got)
		})
	}
}

func TestSplitNumbersDocuments(t *testing.T) {
	documents, fault := split([]byte("{\"a\":1}{\"b\":2}\n---\nc: 3\n---\n{\"d\":4}\n"), "f")
	require.Nil(t, fault)
	var numbers []int
	var asJSON []bool
	for _, d := range documents {
		numbers = append(numbers, d.number)
		asJSON = append(asJSON, d.json != nil)
		assert.Equal(t, "f", d.file)
	}
	assert.Equal(t, []int{1, 2, 3, 4}, numbers)
	assert.Equal(t, []bool{true, true, false, true}, asJSON)
}

func TestJSONDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want int // documents; 0: not JSON
	}{
		"one":                {`{"a":1}`, 1},
		"two":                {`{"a":1} {"b":2}`, 2},
		"after a marker":     {"---\n{\"a\":1}", 1},
		"nested":             {`{"a":[{"b":[]},[[]],null,true,1.5,"x"]}`, 1},
		"YAML flow":          {`{a: 1}`, 0},
		"trailing comma":     {`{"a":1,}`, 0},
		"unfinished":         {`{"a":1`, 0},
		"unfinished, inside": {`{"a":`, 0},
		"text after it":      {`{"a":1} x`, 0},
		"a list":             {`[1]`, 0},
		"a scalar":           {`1`, 0},
		"nothing":            {``, 0},
		"too deep":           {strings.Repeat(`{"a":`, maxJSONDepth+2) + "1" + strings.Repeat("}", maxJSONDepth+2), 0},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Len(t, jsonDocuments(document{line: 1, text: []byte(test.text)}), test.want)
		})
	}
}

func TestSyntaxErrorLines(t *testing.T) {
	// The fault lies on the line that holds the word HERE.
	for name, text := range map[string]string{
		"tab":                   "a: 1\nb:\n\tHERE: 1\nc: 2\n",
		"tab after spaces":      "a: 1\nb:\n  \tHERE: 1\n  c: 2\n",
		"deeper key":            "a: 1\n   HERE: 2\nc: 3\n",
		"shallower key":         "a:\n    b: 1\n  HERE: 2\nc: 3\n",
		"list in a mapping":     "a: 1\n- HERE\nb: 2\n",
		"two colons":            "a: 1\nb: c: HERE\nd: 1\n",
		"unclosed double":       "a: 1\nb: \"HERE\nc: 2\nd: 3\n",
		"unclosed single":       "a: 1\nb: 'HERE\nc: 2\nd: 3\n",
		"bad escape":            "a: 1\nb: \"HERE \\q\"\nc: 2\n",
		"reserved character":    "a: 1\nb: @HERE\nc: 2\n",
		"unknown alias":         "a: 1\nb: *HERE\nc: 2\n",
		"stray bracket":         "a: 1\nb: HERE]\n}: 1\nc: 2\n",
		"template left over":    "a: 1\nb: {{ HERE }}\nc: 2\n",
		"percent":               "a: 1\nb: %HERE\nc: 2\n",
		"block scalar, outdent": "a: |\n    x\n  HERE\nb: 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(strings.NewReader(text), "f.yaml")
			var fault *LoadError
			if name == "stray bracket" || name == "template left over" {
				// YAML can make something of these; what matters is an error.
				require.ErrorAs(t, err, &fault)
				return
			}
			require.ErrorAs(t, err, &fault)
			require.Len(t, fault.Findings, 1)
			want := strings.Count(text[:strings.Index(text, "HERE")], "\n") + 1
			assert.Equal(t, want, fault.Findings[0].Origin.Line, err)
			assert.NotContains(t, err.Error(), "HERE", "the text of the file is not repeated")
		})
	}
}
