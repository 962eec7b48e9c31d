package plan

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
)

func texts(paths []fieldpath.Path) []string {
	var out []string
	for _, p := range paths {
		out = append(out, p.String())
	}
	return out
}

// rulePath reads a path as the rules have it that allow most: regular expressions
// at some, elements at the end at others.
func rulePath(t testing.TB, text string) config.RulePath {
	t.Helper()
	rule := "[{path: " + text + ", resourceMatchers: [allMatcher: {}]}]\n"
	if strings.Contains(text, "regex") {
		return ruleSet(t, "diffAgainstExistingFieldExclusionRules: "+rule).ExistingExclusions[0].Path
	}
	return ruleSet(t, "diffMaskRules: "+rule).MaskRules[0].Path
}

func TestConcrete(t *testing.T) {
	tests := map[string]struct {
		path  string
		a, b  string
		plain bool // without schema
		want  []string
	}{
		"keys":                           {path: "[spec, replicas]", a: "spec: {replicas: 1}", want: []string{".spec.replicas"}},
		"keys, in another body":          {path: "[spec, replicas]", a: "spec: {}", b: "spec: {replicas: 1}", want: []string{".spec.replicas"}},
		"keys, nowhere":                  {path: "[spec, replicas]", a: "spec: {}", b: "spec: {paused: true}"},
		"null is a value":                {path: "[spec, replicas]", a: "spec: {replicas: null}", want: []string{".spec.replicas"}},
		"no body":                        {path: "[spec, replicas]"},
		"elements by key":                {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: [{port: 1, name: a}, {port: 2, protocol: UDP, name: b}]}", want: []string{`.spec.ports[port=1,protocol="TCP"].name`, `.spec.ports[port=2,protocol="UDP"].name`}},
		"elements of both":               {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: [{port: 2, name: b}]}", b: "spec: {ports: [{port: 1, name: a}, {port: 2, name: c}]}", want: []string{`.spec.ports[port=2,protocol="TCP"].name`, `.spec.ports[port=1,protocol="TCP"].name`}},
		"elements that lack it":          {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: [{port: 1}, {port: 2, name: b}]}", want: []string{`.spec.ports[port=2,protocol="TCP"].name`}},
		"key twice, so by position":      {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: [{port: 1, name: a}, {port: 1, name: b}]}", want: []string{".spec.ports[0].name", ".spec.ports[1].name"}},
		"no key, so by position":         {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: [{name: a}, text, {port: 1, name: b}]}", want: []string{".spec.ports[0].name", ".spec.ports[2].name"}},
		"unknown list by position":       {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: [{port: 1, name: a}]}", plain: true, want: []string{".spec.ports[0].name"}},
		"atomic list by position":        {path: "[spec, ingress, {allIndexes: true}, from]", a: "spec: {ingress: [{from: a}]}", b: "spec: {ingress: [{}, {from: b}]}", want: []string{".spec.ingress[0].from", ".spec.ingress[1].from"}},
		"elements of a set":              {path: "[spec, finalizers, {allIndexes: true}]", a: "spec: {finalizers: [a]}", b: "spec: {finalizers: [b, a]}", want: []string{`.spec.finalizers[="a"]`, `.spec.finalizers[="b"]`}},
		"elements of an element":         {path: "[spec, deep, {allIndexes: true}, {allIndexes: true}, x]", a: "spec: {deep: [[{x: 1}, {}], [{x: 2}]]}", want: []string{".spec.deep[0][0].x", ".spec.deep[1][0].x"}},
		"index counts in the first":      {path: "[spec, ports, {index: 1}, name]", a: "spec: {ports: [{port: 5, name: a}, {port: 6, name: b}]}", b: "spec: {ports: [{port: 6}, {port: 7, name: c}]}", want: []string{`.spec.ports[port=6,protocol="TCP"].name`}},
		"index counts in what has it":    {path: "[spec, ports, {index: 1}, name]", a: "spec: {}", b: "spec: {ports: [{port: 6}, {port: 7, name: c}]}", want: []string{`.spec.ports[port=7,protocol="TCP"].name`}},
		"index past the end":             {path: "[spec, ports, {index: 2}, name]", a: "spec: {ports: [{port: 1, name: a}]}", b: "spec: {ports: [{port: 1}, {port: 2}, {port: 3, name: c}]}"},
		"index by position":              {path: "[spec, args, {index: 1}]", a: "spec: {args: [a, b]}", want: []string{".spec.args[1]"}},
		"index into an empty list":       {path: "[spec, args, {index: 0}]", a: "spec: {args: []}"},
		"regex":                          {path: `[data, {regex: "^a"}]`, a: "data: {ab: '1', ba: '1'}", b: "data: {aa: '1', c: '1'}", want: []string{".data.aa", ".data.ab"}},
		"regex is not anchored":          {path: `[data, {regex: b}]`, a: "data: {ab: '1', ba: '1', c: '1'}", want: []string{".data.ab", ".data.ba"}},
		"regex in the middle":            {path: `[{regex: "spec|data"}, a]`, a: "data: {a: '1'}\nspec: {a: 1}", want: []string{".data.a", ".spec.a"}},
		"regex that matches nothing":     {path: `[data, {regex: z}]`, a: "data: {a: '1'}"},
		"key of a list":                  {path: "[spec, args, name]", a: "spec: {args: [a]}"},
		"key of a text":                  {path: "[spec, replicas, name]", a: "spec: {replicas: 1}"},
		"index of a map":                 {path: "[spec, {index: 0}, name]", a: "spec: {a: {name: x}}"},
		"all elements of a map":          {path: "[spec, {allIndexes: true}, name]", a: "spec: {a: {name: x}}"},
		"regex on a list":                {path: "[spec, args, {regex: a}]", a: "spec: {args: [a]}"},
		"list on one side, map on other": {path: "[spec, ports, {allIndexes: true}, name]", a: "spec: {ports: {a: 1}}", b: "spec: {ports: [{port: 1, name: a}]}", want: []string{`.spec.ports[port=1,protocol="TCP"].name`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := testSchema(t)
			if test.plain {
				s = nil
			}
			got := concrete(rulePath(t, test.path), s, body(t, test.a), body(t, test.b))
			assert.Equal(t, test.want, texts(got))
		})
	}
}
