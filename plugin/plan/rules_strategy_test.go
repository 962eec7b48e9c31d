package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStrategyOf(t *testing.T) {
	tests := map[string]struct {
		annotations string
		want        Strategy
		err         string // after "ConfigMap x: annotation "
	}{
		"none":            {"{}", Strategy{}, ""},
		"exists":          {"{kapp.k14s.io/exists: ''}", Strategy{Exists: true}, ""},
		"noop":            {"{kapp.k14s.io/noop: 'true'}", Strategy{Noop: true}, ""},
		"not noop":        {"{kapp.k14s.io/noop: 'False'}", Strategy{}, `kapp.k14s.io/noop: it counts whatever its value is: leave it out instead of writing "False"`},
		"usual ones":      {"{kapp.k14s.io/create-strategy: '', kapp.k14s.io/update-strategy: '', kapp.k14s.io/delete-strategy: ''}", Strategy{}, ""},
		"create":          {"{kapp.k14s.io/create-strategy: fallback-on-update}", Strategy{Create: CreateOrUpdate}, ""},
		"create or noop":  {"{kapp.k14s.io/create-strategy: fallback-on-update-or-noop}", Strategy{Create: CreateOrUpdateOrNothing}, ""},
		"update":          {"{kapp.k14s.io/update-strategy: fallback-on-replace}", Strategy{Update: UpdateReplace}, ""},
		"always replace":  {"{kapp.k14s.io/update-strategy: always-replace}", Strategy{Update: AlwaysReplace}, ""},
		"skip":            {"{kapp.k14s.io/update-strategy: skip}", Strategy{Update: UpdateSkip}, ""},
		"orphan":          {"{kapp.k14s.io/delete-strategy: orphan}", Strategy{Delete: DeleteOrphan}, ""},
		"waiting":         {"{kapp.k14s.io/disable-wait: '', kapp.k14s.io/disable-associated-resources-wait: ''}", Strategy{NoWait: true, NoAssociatedWait: true}, ""},
		"some replicas":   {"{kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: '10'}", Strategy{MinimumReplicas: &Replicas{Number: 10}}, ""},
		"a share of them": {"{kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: 5%}", Strategy{MinimumReplicas: &Replicas{Number: 5, Percent: true}}, ""},
		"all together": {
			"{kapp.k14s.io/exists: '', kapp.k14s.io/noop: '', kapp.k14s.io/update-strategy: skip, kapp.k14s.io/delete-strategy: orphan}",
			Strategy{Exists: true, Noop: true, Update: UpdateSkip, Delete: DeleteOrphan},
			"",
		},
		"unknown create":   {"{kapp.k14s.io/create-strategy: fallback}", Strategy{}, `kapp.k14s.io/create-strategy: wanted fallback-on-update, fallback-on-update-or-noop; found "fallback"`},
		"unknown update":   {"{kapp.k14s.io/update-strategy: Skip}", Strategy{}, `kapp.k14s.io/update-strategy: wanted fallback-on-replace, always-replace, skip; found "Skip"`},
		"unknown delete":   {"{kapp.k14s.io/delete-strategy: keep}", Strategy{}, `kapp.k14s.io/delete-strategy: wanted orphan; found "keep"`},
		"too many percent": {"{kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: 101%}", Strategy{}, `kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: wanted a number or a percentage such as 10 or 5%; found "101%"`},
		"no number":        {"{kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: half}", Strategy{}, `kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: wanted a number or a percentage such as 10 or 5%; found "half"`},
		"negative":         {"{kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: '-1'}", Strategy{}, `kapp.k14s.io/apps-v1-deployment-wait-minimum-replicas-available: wanted a number or a percentage such as 10 or 5%; found "-1"`},
		"two faults":       {"{kapp.k14s.io/update-strategy: a, kapp.k14s.io/delete-strategy: b}", Strategy{}, `kapp.k14s.io/update-strategy: wanted fallback-on-replace, always-replace, skip; found "a"; annotation kapp.k14s.io/delete-strategy: wanted orphan; found "b"`},
		"a long value": {
			"{kapp.k14s.io/delete-strategy: abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz}",
			Strategy{},
			`kapp.k14s.io/delete-strategy: wanted orphan; found "abcdefghijklmnopqrstuvwxyzabcdefghijklmn…"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := strategyOf(parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, annotations: "+test.annotations+"}}"))
			if test.err != "" {
				require.EqualError(t, err, "ConfigMap x: annotation "+test.err)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, test.want, got)
		})
	}
	got, err := strategyOf(nil)
	require.NoError(t, err)
	assert.Equal(t, Strategy{}, got)
	_, err = strategyOf(map[string]any{"metadata": map[string]any{"annotations": map[string]any{"kapp.k14s.io/delete-strategy": int64(1)}}})
	require.ErrorContains(t, err, "wanted text")
}

func TestReplicasOf(t *testing.T) {
	for _, test := range []struct {
		replicas    Replicas
		total, want int
	}{
		{Replicas{Number: 10}, 100, 10},
		{Replicas{Number: 10}, 3, 3},
		{Replicas{Number: 0}, 3, 1},
		{Replicas{Number: 5, Percent: true}, 100, 5},
		{Replicas{Number: 5, Percent: true}, 30, 2},
		{Replicas{Number: 5, Percent: true}, 1, 1},
		{Replicas{Number: 100, Percent: true}, 7, 7},
		{Replicas{Number: 50, Percent: true}, 0, 1},
	} {
		assert.Equal(t, test.want, test.replicas.Of(test.total), "%+v of %d", test.replicas, test.total)
	}
}
