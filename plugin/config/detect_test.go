package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsTazunaFile(t *testing.T) {
	tests := map[string]struct {
		text string
		want bool
	}{
		"kind":                       {"kind: Tazuna\n", true},
		"kind and apiVersion":        {"apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec: {}\n", true},
		"kind with odd apiVersion":   {"apiVersion: v1\nkind: Tazuna\n", true},
		"spec only":                  {"spec: {}\n", true},
		"spec of nothing":            {"spec:\n", true},
		"after an empty document":    {"---\n# x\n---\nspec: {}\n", true},
		"byte order mark":            {"\uFEFFspec: {}\n", true},
		"spec and apiVersion":        {"apiVersion: v1\nspec: {}\n", false},
		"spec and kind":              {"kind: Pod\nspec: {}\n", false},
		"an object":                  {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", false},
		"second document":            {"apiVersion: v1\nkind: ConfigMap\n---\nkind: Tazuna\n", false},
		"a kustomization":            {"resources: []\n", false},
		"spec further in":            {"a:\n  spec: {}\n", false},
		"a list":                     {"- spec\n", false},
		"kind of another type":       {"kind: [Tazuna]\n", false},
		"text":                       {"spec", false},
		"nothing":                    {"", false},
		"no YAML":                    {"spec: [", false},
		"JSON":                       {`{"spec":{"manifests":[]}}`, true},
		"comments before, CRLF":      {"# hello\r\nspec:\r\n  manifests: []\r\n", true},
		"kind Tazuna in a list kind": {"kind: List\nitems: [{kind: Tazuna}]\n", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, IsTazunaFile([]byte(test.text)))
		})
	}
}
