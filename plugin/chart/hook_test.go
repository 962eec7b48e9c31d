package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const hooks = `
-- templates/hooks.yaml --
{{- define "job" }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .name }}
  annotations:
    helm.sh/hook: {{ .hook | quote }}
    {{- with .weight }}
    helm.sh/hook-weight: {{ . | quote }}
    {{- end }}
    {{- with .policy }}
    helm.sh/hook-delete-policy: {{ . | quote }}
    {{- end }}
{{- end }}
{{- range list
  (dict "name" "late" "hook" "pre-install" "weight" "5")
  (dict "name" "b" "hook" "pre-install, Post-Upgrade" "policy" "hook-succeeded,Hook-Failed")
  (dict "name" "a" "hook" "pre-install")
  (dict "name" "early" "hook" "pre-install" "weight" "-3" "policy" "sometimes")
  (dict "name" "old-test" "hook" "test-success")
  (dict "name" "never" "hook" "pre-install,crd-install")
  (dict "name" "odd" "hook" "post-delete" "weight" "heavy")
}}
{{- include "job" . }}
{{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: z, annotations: {helm.sh/hook: pre-install}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
`

func TestHooks(t *testing.T) {
	result := render(t, chartOf(t, hooks), request())
	assert.Equal(t, []string{"ConfigMap plain"}, refs(result.Objects))
	assert.Equal(t, []string{"early", "z", "a", "b", "late"}, names(result.HooksAt(PreInstall)),
		"by weight, kind, name")
	assert.Equal(t, []string{"b"}, names(result.HooksAt(PostUpgrade)))
	assert.Equal(t, []string{"old-test"}, names(result.HooksAt(TestEvent)))
	assert.Empty(t, result.HooksAt(PreDelete))
	assert.Equal(t, `demo/templates/hooks.yaml: document 4, line 26: Job.batch early: helm.sh/hook-delete-policy: "sometimes" is no policy and is not used
demo/templates/hooks.yaml: document 6, line 42: Job.batch never: helm.sh/hook: "crd-install" is no event; this hook never runs
demo/templates/hooks.yaml: document 7, line 49: Job.batch odd: helm.sh/hook-weight: wanted a whole number, found "heavy"; 0 is used`, warnings(result))
}

func TestHookPolicies(t *testing.T) {
	result := render(t, chartOf(t, hooks), request())
	for _, h := range result.Hooks {
		switch h.Object.Name() {
		case "b":
			assert.Equal(t, []DeletePolicy{OnSuccess, OnFailure}, h.DeletePolicies)
			assert.True(t, h.Deletes(OnFailure))
			assert.False(t, h.Deletes(BeforeCreation))
		default:
			assert.Equal(t, []DeletePolicy{BeforeCreation}, h.DeletePolicies, h.Object.Name())
		}
	}
	require.Len(t, result.Hooks, 7)
}

func names(hooks []Hook) []string {
	var all []string
	for _, h := range hooks {
		all = append(all, h.Object.Name())
	}
	return all
}
