package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// FuzzTakeKappConfig puts configuration before, between and after whatever a
// stream holds: what the loader makes of the rest, places included, is what it
// makes of the stream with an ordinary object in those places.
func FuzzTakeKappConfig(f *testing.F) {
	f.Add("apiVersion: v1\nkind: A\nmetadata: {name: a}\n", "# nothing\n")
	f.Add("---\n\n", "a: |\n  ---\n  b\n")
	f.Add("%YAML 1.2\n---\na\n...\n", `{"apiVersion":"v1","kind":"B","metadata":{"name":"b"}}`)
	f.Add("kapp.k14s.io/v1alpha1", "...\n...\n")
	const rules, ordinary = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nadditionalLabels: {a: b}\n", "apiVersion: v1\nkind: Conf\nmetadata: {name: conf-4711}\n"
	f.Fuzz(func(t *testing.T, a, b string) {
		join := func(doc string) string {
			return strings.Join([]string{doc, a, doc, b, doc}, "\n---\n")
		}
		if strings.Contains(a+b, "kapp.k14s.io/") || strings.Contains(a+b, "conf-4711") {
			return
		}
		want, wantErr := object.Load(strings.NewReader(join(ordinary)), "a.yaml")
		c, rest, err := TakeKappConfig([]byte(join(rules)), "a.yaml")
		assert.NoError(t, err)
		got, gotErr := object.Load(strings.NewReader(string(rest)), "a.yaml")
		if wantErr != nil || gotErr != nil {
			assert.Equal(t, wantErr, gotErr)
			return
		}
		assert.Equal(t, map[string]string{"a": "b"}, c.AdditionalLabels)
		want.Objects = slices.DeleteFunc(want.Objects, func(o object.Object) bool { return o.Name() == "conf-4711" })
		assert.ElementsMatch(t, want.Objects, got.Objects)
	})
}
