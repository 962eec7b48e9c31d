package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const grants = `
type: object
properties:
  class: {type: string, x-deckhouse-grantable-resource: storageclasses}
  old: {type: string, default: own, x-deckhouse-grant: {resource: storageclasses}}
  postgres:
    type: object
    properties: {class: {type: string, x-deckhouse-grantable-resource: postgresclasses}}
`

func TestEffective(t *testing.T) {
	s := settings(t, grants)
	assert.Equal(t, []string{"postgresclasses", "storageclasses"}, s.Grants())
	catalogues := map[string]Catalogue{
		"storageclasses":  {Default: "fast", Allowed: []string{"fast", "slow"}},
		"postgresclasses": {Default: "small"},
	}
	tests := map[string]struct{ given, want string }{
		"nothing":      {"", "{class: fast, old: fast}"},
		"empty":        {"{class: '', old: null}", "{class: fast, old: fast}"},
		"chosen":       {"{class: slow, old: mine}", "{class: slow, old: mine}"},
		"with nesting": {"{postgres: {}}", "{class: fast, old: fast, postgres: {class: small}}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, value(t, test.want), s.Effective(value(t, test.given), catalogues))
		})
	}
	assert.Equal(t, value(t, "{old: own}"), s.Effective(nil, nil), "without a catalogue nothing is filled in")
}

func TestGranted(t *testing.T) {
	s := settings(t, grants)
	catalogues := map[string]Catalogue{"storageclasses": {Default: "fast", Allowed: []string{"slow"}}}
	for given, want := range map[string]string{
		"{class: slow}":            "",
		"{class: fast}":            "",
		"{class: ''}":              "",
		"{postgres: {class: any}}": "",
		"{class: huge}":            "settings: class: wanted one of the storageclasses of the project (slow) (openapi/settings.yaml:4)",
	} {
		err := s.Granted(value(t, given), catalogues)
		if want == "" {
			assert.NoError(t, err, given)
		} else {
			assert.EqualError(t, err, want)
		}
	}
}
