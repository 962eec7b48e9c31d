package helmfile

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hintText = `apiVersion: tazuna.pepabo.com/v1
kind: TazunaHint
vars:
  name: {type: string, required: true, description: who}
  tier: {type: string, default: small}
  hosts: {type: slice}
  labels: {type: map}
  cert: {type: string, required_with: [key]}
  key: {type: string}
  user: {type: string, required_without: [token, key]}
  token: {type: string}
rules:
- {type: oneof_required, vars: [key, token]}
`

func given(values map[string]any) Values {
	var v Values
	for name, value := range values {
		v.Set(name, value, false)
	}
	return v
}

func TestHintCompletes(t *testing.T) {
	h, err := ParseHint([]byte(hintText), "tazuna.hint.yaml", false)
	require.NoError(t, err)
	out, err := h.Complete(given(map[string]any{"name": "a", "token": "", "more": "x"}))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"name": "a", "token": "", "more": "x", "tier": "small", "hosts": []any{}, "labels": map[string]any{}, "cert": "", "key": "", "user": "",
	}, out.all, "given, then default, then zero value; an empty value is given")
}

func TestHintRefuses(t *testing.T) {
	h, err := ParseHint([]byte(hintText), "h.yaml", false)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		given map[string]any
		want  string
	}{
		"nothing":      {nil, "h.yaml: var name is required\nh.yaml: var user is required because none of \"token\", \"key\" is given\nh.yaml: one of the vars \"key\", \"token\" is required"},
		"with":         {map[string]any{"name": "a", "key": "k"}, "h.yaml: var cert is required because key is given"},
		"another type": {map[string]any{"name": []any{"secret"}, "token": "t"}, "h.yaml: var name: wanted a string, found a slice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Complete(given(test.given))
			require.EqualError(t, err, test.want)
		})
	}
}

func TestHintKeepsSecrets(t *testing.T) {
	h, err := ParseHint([]byte("vars: {a: {type: string, format: ip}}\n"), "h.yaml", false)
	require.NoError(t, err)
	var v Values
	v.Set("a", "hunter22", true)
	_, err = h.Complete(v)
	require.EqualError(t, err, "h.yaml: var a: the value is no ip")
	v.Set("a", "10.0.0.1", true)
	out, err := h.Complete(v)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": "10.0.0.1"}, out.secret)
}

func TestParseHintRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"vars: {a: {}}":             "h.yaml:1: vars.a.type: missing",
		"vars: {a: {type: number}}": `vars.a.type: wanted string, slice, map; found "number"`,
		"vars: {a: {type: string, required: true, default: x}}":                    "a required variable has no default",
		"vars: {a: {type: string, required: true, required_with: [a]}}":            "a required variable has no conditions",
		"vars: {a: {type: slice, format: ip}}":                                     "format is for strings, the variable is a slice",
		"vars: {a: {type: string, format: phone}}":                                 `vars.a.format: wanted cidr, datetime, email, hostname, ip, semver, url, uuid; found "phone"`,
		"vars: {a: {type: string, default: 3}}":                                    "vars.a.default: wanted a string, found a int",
		"vars: {a: {type: string, required_with: [b]}}":                            `vars.a: no variable is named "b"`,
		"vars: {a: {type: string}}\nrules: [{type: oneof_required, vars: [a]}]":    "h.yaml:2: rules[0]: wanted two or more vars, found 1",
		"vars: {a: {type: string}}\nrules: [{type: oneof_required, vars: [a, b]}]": `h.yaml:2: rules[0]: no variable is named "b"`,
		"vars: {a: {type: string}}\nrules: [{type: anyof, vars: [a, a]}]":          `rules[0].type: wanted oneof_required; found "anyof"`,
		"vars: {a: {type: string}}\nrules: [{vars: [a, a]}]":                       "rules[0].type: missing",
	} {
		_, err := ParseHint([]byte(text), "h.yaml", false)
		require.ErrorContains(t, err, want, text)
	}
}

func TestFormats(t *testing.T) {
	for format, examples := range map[string]struct{ good, bad []string }{
		"hostname": {[]string{"a", "a-b.example.com", "1.example"}, []string{"-a", "a_b", "a..b", "a b"}},
		"url":      {[]string{"https://a/b", "ftp://x"}, []string{"a/b", "://x"}},
		"email":    {[]string{"a@b.example"}, []string{"a", "A <a@b.example>"}},
		"ip":       {[]string{"10.0.0.1", "::1"}, []string{"10.0.0", "10.0.0.1/8"}},
		"cidr":     {[]string{"10.0.0.0/8", "fd00::/8"}, []string{"10.0.0.1", "10.0.0.0/99"}},
		"uuid":     {[]string{"123e4567-e89b-12d3-a456-426614174000"}, []string{"123e4567e89b12d3a456426614174000"}},
		"semver":   {[]string{"1.2.3", "v1.2.3-rc.1"}, []string{"1.2", "latest"}},
		"datetime": {[]string{"2026-11-30T00:00:00Z"}, []string{"2026-11-30"}},
	} {
		for _, text := range examples.good {
			assert.True(t, formats()[format](text), "%s: %s", format, text)
		}
		for _, text := range examples.bad {
			assert.False(t, formats()[format](text), "%s: %s", format, text)
		}
	}
}
