package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTests(t *testing.T) {
	f, err := Parse([]byte(`spec:
  tests:
  - type: WaitUntil
    minConsecutiveSuccessCount: 3
    minConsecutiveFailureCount: 5
    timeoutSeconds: 60
    intervalSeconds: 1
    waitUntil:
      resource: {apiVersion: apps/v1, kind: Deployment}
      namespace: shop
      name: web
      condition: object.status.readyReplicas >= 1
  - type: ExistNonExist
    existNonExist: {resource: {apiVersion: v1, kind: Namespace}, name: old}
`), "tazuna.yaml", withTypes())
	require.NoError(t, err)
	assert.Equal(t, []Test{
		{
			Type: WaitUntil, Successes: 3, Failures: 5, Timeout: time.Minute, Interval: time.Second,
			APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web",
			Condition: "object.status.readyReplicas >= 1", File: "tazuna.yaml", Line: 3,
		},
		{
			Type: ExistNonExist, Successes: 1, Interval: 2 * time.Second,
			APIVersion: "v1", Kind: "Namespace", Name: "old", File: "tazuna.yaml", Line: 13,
		},
	}, f.Tazuna.Spec.Tests)
}

func TestTestsRefuse(t *testing.T) {
	for name, test := range map[string]struct{ test, want string }{
		"unknown type":    {"{type: waitUntil}", `tazuna.yaml:3: spec.tests[0].type: wanted WaitUntil, ExistNonExist; found "waitUntil"; did you mean "WaitUntil"?`},
		"no type":         {"{waitUntil: {}}", "tazuna.yaml:3: spec.tests[0].type: missing"},
		"no arguments":    {"{type: WaitUntil}", "tazuna.yaml:3: spec.tests[0].waitUntil: missing"},
		"others' block":   {"{type: WaitUntil, existNonExist: {}}", "tazuna.yaml:3: spec.tests[0].existNonExist: these arguments belong to type ExistNonExist, but the test has type WaitUntil\ntazuna.yaml:3: spec.tests[0].waitUntil: missing"},
		"empty arguments": {"{type: WaitUntil, waitUntil: {}}", "tazuna.yaml:3: spec.tests[0].waitUntil.resource.apiVersion: missing\ntazuna.yaml:3: spec.tests[0].waitUntil.resource.kind: missing\ntazuna.yaml:3: spec.tests[0].waitUntil.name: missing\ntazuna.yaml:3: spec.tests[0].waitUntil.condition: missing"},
		"negative":        {"{type: WaitUntil, timeoutSeconds: -1}", "tazuna.yaml:3: spec.tests[0].timeoutSeconds: wanted a whole number, 0 or more; found -1"},
		"text":            {"{type: WaitUntil, timeoutSeconds: soon}", "tazuna.yaml:3: spec.tests[0].timeoutSeconds: wanted a whole number, 0 or more; found text"},
		"too large":       {"{type: WaitUntil, intervalSeconds: 99999999999}", "tazuna.yaml:3: spec.tests[0].intervalSeconds: wanted a whole number, 0 or more; found 99999999999"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte("spec:\n  tests:\n  - "+test.test+"\n"), "tazuna.yaml", withTypes())
			require.EqualError(t, err, test.want)
		})
	}
}

func TestProviders(t *testing.T) {
	f, err := Parse([]byte(`spec:
  providers:
  - {name: op, type: onepassword, onepassword: {}}
  - {name: plain, type: onepassword}
  - {name: env, type: envfile, envfile: {path: secrets/.env}}
`), "a/tazuna.yaml", withTypes())
	require.NoError(t, err)
	assert.Equal(t, []Provider{
		{Name: "op", Type: ProviderOnePassword},
		{Name: "plain", Type: ProviderOnePassword},
		{Name: "env", Type: ProviderEnvFile, Path: "a/secrets/.env"},
	}, f.Tazuna.Spec.Providers)

	for provider, want := range map[string]string{
		"{type: onepassword}":                               "name: missing",
		"{name: a}":                                         "type: missing",
		"{name: a, type: vault}":                            `type: wanted envfile, onepassword; found "vault"`,
		"{name: default-op, type: onepassword}":             "default-op is the name of the provider that is always there",
		"{name: a, type: envfile}":                          "envfile.path: missing",
		"{name: a, type: onepassword, envfile: {path: b}}":  "these options belong to type envfile, but the provider has type onepassword",
		"{name: a, type: onepassword, onepassword: {a: b}}": `unknown field "a"`,
	} {
		_, err := Parse([]byte("spec: {providers: ["+provider+"]}"), "tazuna.yaml", withTypes())
		require.ErrorContains(t, err, want, provider)
	}
	_, err = Parse([]byte("spec: {providers: [{name: a, type: onepassword}, {name: a, type: onepassword}]}"), "tazuna.yaml", withTypes())
	require.ErrorContains(t, err, `provider "a" is there twice`)
}

func TestLenient(t *testing.T) {
	text := `metadata: {name: x}
spec:
  newField: 1
  manifests:
  - {type: yaml, path: some/My_Dir, kustomize: {defaultNamespace: a}}
  - {type: yaml, path: other/my-dir, speed: fast}
`
	_, err := Parse([]byte(text), "tazuna.yaml", withTypes())
	var all *Error
	require.ErrorAs(t, err, &all)
	assert.True(t, all.Lenient(), "all of it would pass a lenient load")

	o := withTypes()
	o.Lenient = true
	f, err := Parse([]byte(text), "tazuna.yaml", o)
	require.NoError(t, err)
	var warnings []string
	for _, w := range f.Warnings {
		warnings = append(warnings, w.String())
	}
	assert.Equal(t, []string{
		`tazuna.yaml:1: unknown field "metadata"; known: apiVersion, kind, spec`,
		`tazuna.yaml:3: spec: unknown field "newField"; known: minimumSupportedTazunaVersion, project, context_matches, context_match_mode, environments, manifests, rules, tests, providers`,
		`tazuna.yaml:5: spec.manifests[0].kustomize: these options belong to type kustomize, but the manifest has type yaml`,
		`tazuna.yaml:5: spec.manifests[0].name: missing: yaml-my-dir is taken; check --fix writes it`,
		`tazuna.yaml:6: spec.manifests[1]: unknown field "speed"; known: name, description, type, path, tags, dependsOn, tests, includes, parallel, kustomize, yaml`,
		`tazuna.yaml:6: spec.manifests[1].name: missing: yaml-my-dir-2 is taken; check --fix writes it`,
	}, warnings)

	o.Lenient = true
	_, err = Parse([]byte("spec:\n  manifests: 3\n"), "tazuna.yaml", o)
	require.ErrorAs(t, err, &all)
	assert.False(t, all.Lenient(), "a wrong type stays an error")
}
