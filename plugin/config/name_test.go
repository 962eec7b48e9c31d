package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "7", "ingress", "cert-manager-2", "a--b", strings.Repeat("x", 240)} {
		require.NoError(t, CheckName(name), name)
	}
	for name, want := range map[string]string{
		"":                       "the name is empty",
		"_metadata":              "the name _metadata is reserved for the record",
		strings.Repeat("x", 241): "the name has 241 characters, at most 240 are allowed",
		"-a":                     `the name "-a" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit; "a" would do`,
		"a-":                     `the name "a-" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit; "a" would do`,
		"Ingress_Controller":     `the name "Ingress_Controller" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit; "ingress-controller" would do`,
		"a.b":                    `the name "a.b" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit; "a-b" would do`,
		"a/b":                    `the name "a/b" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit`,
		"müll":                   `the name "müll" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit`,
		"-":                      `the name "-" must consist of a-z, 0-9 and '-', starting and ending with a letter or digit`,
	} {
		assert.EqualError(t, CheckName(name), want)
	}
}

func TestMaxNameLength(t *testing.T) {
	assert.Equal(t, 240, MaxNameLength)
}
