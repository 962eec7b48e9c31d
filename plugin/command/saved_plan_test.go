package command

import (
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan/saved"
)

func TestPlanKey(t *testing.T) {
	cluster, none, environment := saved.KeyCluster, saved.KeyNone, saved.KeyEnvironment
	for name, c := range map[string]struct {
		variable string
		hashKey  []byte
		source   *saved.KeySource
		want     saved.KeySource
		fails    string
	}{
		"nothing":                           {"", nil, nil, none, ""},
		"the cluster's":                     {"", []byte("k"), nil, cluster, ""},
		"the environment's goes first":      {"0123456789abcdef", []byte("k"), nil, environment, ""},
		"too short":                         {"0123456789", nil, nil, environment, "at least 16 bytes, found 10"},
		"saved without":                     {"0123456789abcdef", []byte("k"), &none, none, ""},
		"saved under the cluster's":         {"0123456789abcdef", []byte("k"), &cluster, cluster, ""},
		"which is gone":                     {"", nil, &cluster, cluster, "can't be read now"},
		"saved under the environment's":     {"0123456789abcdef", nil, &environment, environment, ""},
		"which was forgotten for the apply": {"", []byte("k"), &environment, environment, planKeyVariable},
	} {
		env := &Env{Getenv: func(string) string { return c.variable }}
		key, from, err := env.planKey(object.Hasher{Key: c.hashKey}, c.source)
		if c.fails != "" {
			require.ErrorContains(t, err, c.fails, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.want, from, name)
		assert.Equal(t, c.want != none, len(key) > 0, name)
	}
}

// savedWith writes a plan that was made with flags.
func savedWith(t *testing.T, flags map[string][]string) string {
	t.Helper()
	f, err := saved.Make(&plan.Plan{}, saved.Digester{}, saved.About{Created: time.Unix(0, 0), Flags: flags})
	require.NoError(t, err)
	path := t.TempDir() + "/plan.json"
	require.NoError(t, saved.Write(path, f))
	return path
}

func TestASavedPlanBringsItsFlags(t *testing.T) {
	for name, c := range map[string]struct {
		saved map[string][]string
		args  []string
		fails string
	}{
		"all of them":                 {map[string][]string{"filename": {"a", "b"}, "prune": {"true"}, "manifest": {"m"}}, nil, ""},
		"the same again":              {map[string][]string{"filename": {"a", "b"}, "prune": {"true"}, "manifest": {"m"}}, []string{"--prune", "-f", "a,b"}, ""},
		"another one":                 {map[string][]string{"manifest": {"m"}}, []string{"--manifest", "n"}, `--manifest is given as ["n"], and the plan was saved with ["m"]`},
		"one more":                    {map[string][]string{"manifest": {"m"}}, []string{"--prune"}, `--prune is given as ["true"]`},
		"one that is not ours to set": {map[string][]string{"yes": {"true"}}, nil, "flag yes is none that a plan is bound to"},
		"one that can't be":           {map[string][]string{"prune": {"perhaps"}}, nil, "flag prune"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &applyOptions{}
			cmd := &cobra.Command{}
			o.addFlags(cmd)
			require.NoError(t, cmd.ParseFlags(c.args))
			o.planFile = savedWith(t, c.saved)
			err := o.usePlan(cmd)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{"a", "b"}, o.source.files)
			assert.Equal(t, []string{"m"}, o.source.manifests)
			assert.True(t, o.policy.prune)
			assert.False(t, o.yes)
			assert.Equal(t, c.saved, boundFlags(cmd), "a plan saved again would say the same")
		})
	}
}
