package bundle

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestA4RequirementsNameAllThree: which requirement, what it wants, what the
// cluster has.
func TestA4RequirementsNameAllThree(t *testing.T) {
	for name, tt := range map[string]struct {
		requirements string
		facts        Facts
		want         []string
	}{
		"nothing is required": {"{}", Facts{}, nil},
		"everything holds": {
			`{kubernetes: ">= 1.30", deckhouse: ">= 1.70", modules: {mandatory: [{name: a}, {name: b, constraint: "^1"}],
			  conditional: [{name: c, constraint: ">= 2"}, {name: absent, constraint: ">= 2"}], anyOf: [{name: g, modules: [{name: missing}, {name: d}]}],
			  noneOf: [{name: h, modules: [{name: other}, {name: e, constraint: ">= 2"}]}]}}`,
			Facts{Kubernetes: "v1.30.0-gke.1", Deckhouse: "dev", Modules: map[string]string{
				"a": "", "b": "v1.9.1-rc.1", "c": "v2.0.0", "d": "", "e": "v1.0.0",
			}},
			nil,
		},
		"versions": {
			`{kubernetes: ">= 1.30", deckhouse: ">= 1.70"}`,
			Facts{Kubernetes: "v1.29.4"},
			[]string{"kubernetes: wanted >= 1.30, found v1.29.4", "deckhouse: wanted >= 1.70, found an unknown version"},
		},
		"mandatory modules": {
			`{modules: {mandatory: [{name: a}, {name: b, constraint: "^1"}, {name: c, constraint: "^1"}, {name: d, constraint: "^1"}]}}`,
			Facts{Modules: map[string]string{"b": "v2.0.0", "d": "main"}},
			[]string{
				"module a: wanted it to be enabled, found it is not enabled", "module b: wanted ^1, found v2.0.0",
				"module c: wanted ^1, found it is not enabled", "module d: wanted ^1, found main",
			},
		},
		"a conditional module": {
			`{modules: {conditional: [{name: a, constraint: ">= 1.2"}]}}`,
			Facts{Modules: map[string]string{"a": "v1.1.0"}},
			[]string{"module a: wanted >= 1.2, found v1.1.0"},
		},
		"groups": {
			`{modules: {anyOf: [{name: in, modules: [{name: a, constraint: ">= 1.2"}, {name: b}]}, {name: out, modules: [{name: e}]}],
			  noneOf: [{name: rivals, modules: [{name: c, constraint: "< 2"}, {name: d}]}]}}`,
			Facts{Modules: map[string]string{"a": "v1.1.0", "c": "v1.0.0", "d": ""}},
			[]string{
				`modules of the group "in": wanted one of a >= 1.2, b, found a v1.1.0`,
				`modules of the group "out": wanted one of e, found none of them`,
				`modules of the group "rivals": wanted none of c < 2, d, found c v1.0.0, d`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, findings := ParseDefinition([]byte("apiVersion: v1\ntype: Application\nname: x\nrequirements: "+tt.requirements), DefinitionFile)
			require.Empty(t, findings)
			var got []string
			for _, u := range d.Requirements.Unmet(tt.facts) {
				got = append(got, u.String())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
