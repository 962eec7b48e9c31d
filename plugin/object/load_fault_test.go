package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoadFaults(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"duplicate key": {
			"a: 1\n---\nspec:\n  env: 1\n  x: 2\n  env: 3\n",
			`document 2, line 6: the key "env" is given twice, first on line 4 (spec.env)`,
		},
		"duplicate key, other spelling": {
			"8080: a\n\"8080\": b\n",
			`document 1, line 2: the key "8080" is given twice, first on line 1`,
		},
		"duplicate key in JSON": {
			"{\"a\": {\n\"b\": 1,\n\"b\": 2}}",
			`document 1, line 3: the key "b" is given twice, first on line 2 (a.b)`,
		},
		"duplicate merge key": {
			"x: &x {a: 1}\nz:\n  <<: *x\n  <<: *x\n",
			`document 1, line 4: the key "<<" is given twice, first on line 3 (z.<<)`,
		},
		"duplicate key in a list item": {
			"a:\n- b: 1\n  b: 2\n",
			`document 1, line 3: the key "b" is given twice, first on line 2 (a[0].b)`,
		},
		"tab": {
			"a:\n  b: 1\n\tc: 2\n",
			`document 1, line 3: a tab where indentation is wanted; YAML indents with spaces only`,
		},
		"tab in the second document": {
			"a: 1\n---\na:\n\tb: 1\n",
			`document 2, line 4: a tab where indentation is wanted; YAML indents with spaces only`,
		},
		"unknown anchor": {
			text: "a: 1\nb: *hunter22\n",
			want: `document 1, line 2: an alias (a plain value that begins with *) without its anchor; quote it if text is meant`,
		},
		"anchor in itself": {
			text: "a: 1\nb: &b\n- *b\n",
			want: `document 1, line 3: the anchor "b" contains itself`,
		},
		"bad indentation": {
			text: "a:\n  b: 1\n   c: 2\n",
			want: `document 1, line 3: mapping values are not allowed in this context`,
		},
		"unclosed quote": {
			text: "x: 1\na: \"b\nc: d\n",
			want: `document 1, line 2: found unexpected end of stream`,
		},
		"unclosed quote, line 1": {
			text: "a: \"b\nc: d\n",
			want: `document 1, line 1: found unexpected end of stream`,
		},
		"unclosed list": {
			text: "x: 1\na: [1,\n2\n",
			want: `document 1, line 3: did not find expected ',' or ']', opened on line 2`,
		},
		"missing comma": {
			text: "---\na:\n  {b: 1,\n   c: 2\n   d: 3}\n",
			want: `document 1, line 4: did not find expected ',' or '}', opened on line 3`,
		},
		"reserved sign": {
			text: "a: `x`\n",
			want: `document 1, line 1: found character that cannot start any token`,
		},
		"second document by CR": {
			text: "a: 1\r---\rb: 2\r",
			want: `document 1, line 1: found another document without a line "---" before it`,
		},
		"control character": {
			text: "a: \x01\n",
			want: `document 1, line 1: control characters are not allowed`,
		},
		"not UTF-8": {
			text: "a: 1\nb: \xff\n",
			want: `line 2: a byte that is not UTF-8`,
		},
		"UTF-16": {
			text: "\xff\xfea\x00",
			want: `the file is UTF-16; wanted UTF-8`,
		},
		"word as a key": {
			text: "spec:\n  on: push\n",
			want: `document 1, line 2: the plain key on is read as the boolean true; quote it (spec.on)`,
		},
		"null key": {
			text: "spec:\n  ~: x\n",
			want: `document 1, line 2: a key must be text, found null or a special value (spec)`,
		},
		"list as a key": {
			text: "spec:\n  ? [a]\n  : x\n",
			want: `document 1, line 2: a key must be text, found a list (spec)`,
		},
		"mapping as a key": {
			text: "spec:\n  ? {a: b}\n  : x\n",
			want: `document 1, line 2: a key must be text, found a mapping (spec)`,
		},
		"infinite number": {
			text: configMap("  x: .inf\n"),
			want: `document 1, line 1: the document can't be read: json: unsupported value: +Inf`,
		},
		"huge number in JSON": {
			text: `{"large":1e999}`,
			want: `document 1, line 1: the number is out of the range of a 64-bit float (large)`,
		},
		"value for another type": {
			text: configMap("  x: !!int hunter22\n"),
			want: `document 1, line 1: the document can't be read: cannot decode !!str a value as a !!int`,
		},
		"merge of a text": {
			text: configMap("  <<: hunter22\n"),
			want: `document 1, line 1: the document can't be read: map merge requires map or sequence of maps as the value`,
		},
		"text": {
			text: "Thank you for installing!\n",
			want: `document 1, line 1: the document is text; wanted a mapping with apiVersion, kind and metadata`,
		},
		"list": {
			text: "- apiVersion: v1\n",
			want: `document 1, line 1: the document is a list; wanted a mapping with apiVersion, kind and metadata`,
		},
		"no apiVersion": {
			text: "kind: A\nmetadata: {name: a}\n",
			want: `document 1, line 1: A: apiVersion is missing`,
		},
		"null apiVersion": {
			text: "kind: A\napiVersion:\nmetadata: {name: a}\n",
			want: `document 1, line 2: A: apiVersion is missing`,
		},
		"odd apiVersion": {
			text: "apiVersion: a/b/c\nkind: A\nmetadata: {name: a}\n",
			want: `document 1, line 1: A: apiVersion must be VERSION or GROUP/VERSION`,
		},
		"number as apiVersion": {
			text: "kind: A\napiVersion: 1\nmetadata: {name: a}\n",
			want: `document 1, line 2: A: apiVersion must be text, found a number; quote it`,
		},
		"no kind": {
			text: "apiVersion: v1\nmetadata: {name: a}\n",
			want: `document 1, line 1: kind is missing`,
		},
		"kind is a list": {
			text: "apiVersion: v1\nkind: [A]\nmetadata: {name: a}\n",
			want: `document 1, line 2: kind must be text, found a list; quote it`,
		},
		"no metadata": {
			text: "apiVersion: v1\nkind: A\n",
			want: `document 1, line 1: A: metadata.name is missing`,
		},
		"metadata is a text": {
			text: "apiVersion: v1\nkind: A\nmetadata: hunter22\n",
			want: `document 1, line 3: A: metadata must be a mapping, found text`,
		},
		"empty name": {
			text: "apiVersion: v1\nkind: A\nmetadata:\n  name: ''\n",
			want: `document 1, line 4: A: metadata.name is missing`,
		},
		"number as a name": {
			text: "apiVersion: v1\nkind: A\nmetadata:\n  name: 123\n",
			want: `document 1, line 4: A: metadata.name must be text, found a number; quote it`,
		},
		"number as a namespace": {
			text: "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  namespace: 1\n",
			want: `document 1, line 5: A: metadata.namespace must be text, found a number; quote it`,
		},
		"number as a label": {
			text: "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  labels:\n    x: 1\n",
			want: `document 1, line 6: A: the value must be text, found a number; quote it (metadata.labels.x)`,
		},
		"boolean annotation": {
			text: "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  annotations: {x: true}\n",
			want: `document 1, line 5: A: the value must be text, found a boolean; quote it (metadata.annotations.x)`,
		},
		"labels are a list": {
			text: "apiVersion: v1\nkind: A\nmetadata:\n  name: a\n  labels: [a]\n",
			want: `document 1, line 5: A: metadata.labels must be a mapping, found a list`,
		},
		"generateName": {
			text: "apiVersion: v1\nkind: Job\nmetadata:\n  generateName: a-\n",
			want: `document 1, line 4: Job: an object with generateName can't be applied or tracked, each run would make another one; give metadata.name (metadata.generateName)`,
		},
		"percent in a kind": {
			text: "apiVersion: v1\nkind: 100%d\nmetadata: {}\n",
			want: `document 1, line 1: 100%d: metadata.name is missing`,
		},
		"list without items": {
			text: "apiVersion: v1\nkind: List\n",
			want: `document 1, line 1: List: items is missing`,
		},
		"items are a mapping": {
			text: "apiVersion: v1\nkind: RoleList\nitems: {a: b}\n",
			want: `document 1, line 3: RoleList: items must be a list, found a mapping`,
		},
		"item is null": {
			text: "kind: List\nitems:\n-\n",
			want: `document 1, line 3: an item of a list must be a mapping, found null (items[0])`,
		},
		"item without a name": {
			text: "kind: List\nitems:\n- apiVersion: v1\n  kind: A\n",
			want: `document 1, line 3: A: metadata.name is missing`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Load(strings.NewReader(test.text), "dir/f.yaml")
			var fault *LoadError
			require.ErrorAs(t, err, &fault)
			var lines []string
			for _, finding := range fault.Findings {
				lines = append(lines, finding.String())
			}
			assert.Contains(t, lines, "dir/f.yaml: "+test.want)
			assert.NotContains(t, err.Error(), "hunter22", "a value in an error")
		})
	}
}

func TestLoadReportsEveryFaultOfAFile(t *testing.T) {
	_, err := Load(strings.NewReader("a: 1\na: 2\nb: 1\nb: 2\n---\nx: [\n---\napiVersion: v1\nkind: A\nmetadata: {name: ok}\n---\nkind: B\n"), "f.yaml")
	assert.EqualError(t, err, `5 problems:
  f.yaml: document 1, line 2: the key "a" is given twice, first on line 1
  f.yaml: document 1, line 4: the key "b" is given twice, first on line 3
  f.yaml: document 2, line 6: did not find expected node content
  f.yaml: document 4, line 12: B: apiVersion is missing
  f.yaml: document 4, line 12: B: metadata.name is missing`)
}

func TestLoadBoundsAliases(t *testing.T) {
	laughs := "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
	for i := 1; i < 10; i++ {
		previous := "*a" + jsonInt(i-1)
		laughs += "a" + jsonInt(i) + ": &a" + jsonInt(i) + " [" + strings.Repeat(previous+", ", 9) + previous + "]\n"
	}
	longText := "a: &a \"" + strings.Repeat("x", 1<<20) + "\"\nb: [" + strings.Repeat("*a, ", 2000) + "*a]\n"
	merges := "a: &a {x: 1}\n"
	for i := range 40 {
		name := strings.Repeat("b", i+1)
		merges += name + ": &" + name + " {<<: [*" + strings.TrimPrefix("a"+name[1:], map[bool]string{true: "", false: "a"}[i == 0]) + "]}\n"
	}
	for name, text := range map[string]string{"billion laughs": laughs, "one long text": longText} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(strings.NewReader(text), "f.yaml")
			require.ErrorContains(t, err, "f.yaml: document 1, line 1: aliases expand this document to more than")
		})
	}
	t.Run("a long chain of merges is fine", func(t *testing.T) {
		_, err := Load(strings.NewReader(merges), "f.yaml")
		assert.ErrorContains(t, err, "apiVersion is missing", "it is read, and is no object")
	})
	t.Run("what people write is fine", func(t *testing.T) {
		text := configMap("  a: &a {x: 1}\n" + strings.Repeat("", 1))
		for i := range 300 {
			text += "  k" + jsonInt(i) + ": *a\n"
		}
		assert.Len(t, load(t, text).Objects, 1)
	})
}

// TestLoadHostileShapes: each must end soon, with or without an error.
func TestLoadHostileShapes(t *testing.T) {
	const n = 200_000
	for name, text := range map[string]string{
		"open brackets":      strings.Repeat("[", n),
		"open braces":        strings.Repeat("{", n),
		"open JSON":          strings.Repeat(`{"a":`, n),
		"dashes":             strings.Repeat("- ", n),
		"question marks":     strings.Repeat("? ", n),
		"comments":           strings.Repeat("#\n", n),
		"comments, indented": "a:\n" + strings.Repeat("  # x\n", n),
		"blank lines":        strings.Repeat("\n", n),
		"markers":            strings.Repeat("---\n", n/10),
		"end markers":        strings.Repeat("...\n", n),
		"one long key":       strings.Repeat("a", n) + ": b\n",
		"many keys":          "{" + strings.Repeat("a, ", n/10) + "}",
		"quotes":             strings.Repeat("'", n),
		"backslashes":        "a: \"" + strings.Repeat(`\\`, n) + "\"\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, _ = Load(strings.NewReader(text), "f.yaml")
		})
	}
}
