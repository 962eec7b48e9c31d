package build

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
)

// keeper is a cluster that has one Secret, alone and in a list.
type keeper struct{}

func (keeper) Lookup(_ context.Context, _, _, _, name string) (map[string]any, error) {
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"password": "dDBwc2VjcmV0"}}
	if name == "" {
		return map[string]any{"apiVersion": "v1", "kind": "SecretList", "items": []any{secret}}, nil
	}
	return secret, nil
}

func (keeper) Capabilities(context.Context) (chart.Capabilities, error) {
	return chart.Capabilities{KubeVersion: "v1.36.3", APIVersions: []string{"v1"}}, nil
}

// A template can put what it got from the cluster, or from a variable, into its message.
func TestErrorsOfChartsShowNoSecrets(t *testing.T) {
	const lookup = `(lookup "v1" "Secret" "shop" "x").data.password`
	for name, template := range map[string]string{
		"a Secret":         `{{ fail ` + lookup + ` }}`,
		"decoded":          `{{ fail (` + lookup + ` | b64dec) }}`,
		"of a list":        `{{ fail (index (lookup "v1" "Secret" "" "").items 0).data.password }}`,
		"a type error":     `{{ ` + lookup + ` | b64dec | int64 | required "no number" | toYaml | fail }}{{ add1 (` + lookup + `) | b64dec }}`,
		"of a variable":    `{{ fail (printf "the token is %s" .Values.token) }}`,
		"in broken output": "apiVersion: v1\nkind: ConfigMap\n{{ .Values.token }}: [\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, "-- hf/helmfile.yaml --\nreleases: [{name: a, chart: ./c, values: [{token: {{ .Values.token }}}]}]\n"+
				"-- hf/c/Chart.yaml --\napiVersion: v2\nname: c\nversion: 1.0.0\n-- hf/c/templates/a.yaml --\n"+template+"\n")
			m := entry(t, dir, "{name: app, type: helmfile, path: hf, helmfile: {vars: {token: {from: env, env: TOKEN}}}}")
			env := func(string) (string, bool) { return "t0psecret", true }
			_, err := Builder{Cluster: keeper{}, LookupEnv: env}.Build(t.Context(), m)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "t0psecret")
			assert.NotContains(t, err.Error(), "dDBwc2VjcmV0")
			assert.Contains(t, err.Error(), "hf/helmfile.yaml:1: release a: ", "where it is can be told")
		})
	}
}
