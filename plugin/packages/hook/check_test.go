//go:build linux || darwin

package hook

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/binding"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/output"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/hook/process"
)

// The verdict stands on standard error, and exit code 1 is no refusal.
func TestCheckSettings(t *testing.T) {
	set := load(t, loader(), batchBundle(t))
	require.Len(t, set.Checks, 1)
	for name, tt := range map[string]struct {
		settings map[string]any
		want     output.Verdict
	}{
		"refused":          {map[string]any{"replicas": int64(0)}, output.Verdict{Message: "replicas cannot be 0"}},
		"valid, a warning": {map[string]any{"replicas": int64(2)}, output.Verdict{Valid: true, Warnings: []string{"an even number of replicas has no majority"}}},
		"valid":            {map[string]any{"replicas": int64(3)}, output.Verdict{Valid: true}},
		"no settings":      {nil, output.Verdict{Message: "replicas cannot be 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := runner(t)
			got, err := r.CheckSettings(t.Context(), set.Checks[0], tt.settings)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			assertEmptyDir(t, r.TempDir)
		})
	}
	t.Run("no verdict", func(t *testing.T) {
		_, err := runner(t).CheckSettings(t.Context(), set.Checks[0], map[string]any{"crash": true})
		assert.EqualError(t, err, "hook hooks/batchhooks (hook check): exit code 2\n  panic: no verdict")
	})
	t.Run("no answer", func(t *testing.T) {
		dir := bundle(t, map[string]string{"hooks/slow.sh": "#!/bin/sh\nsleep 60\n"})
		r := runner(t)
		r.Limits.Load = 50 * time.Millisecond
		_, err := r.CheckSettings(t.Context(), Check{File: "hooks/slow.sh", Path: dir + "/hooks/slow.sh"}, nil)
		var limit *process.TimeLimitError
		assert.ErrorAs(t, err, &limit)
	})
	t.Run("a valid one in words", func(t *testing.T) {
		dir := bundle(t, map[string]string{"hooks/c.sh": "#!/bin/sh\necho 'checking' >&2; echo '{\"valid\":false,\"message\":\"m\"}' >&2; exit 0\n"})
		got, err := runner(t).CheckSettings(t.Context(), Check{Path: dir + "/hooks/c.sh"}, nil)
		require.NoError(t, err)
		assert.Equal(t, output.Verdict{Message: "m"}, got, "a verdict counts, whatever the exit code is")
	})
}

func TestReady(t *testing.T) {
	set := load(t, loader(), batchBundle(t))
	r := runner(t)
	_, err := r.Run(t.Context(), Request{Hook: set.Ready[0], Values: map[string]any{"ready": true}})
	require.NoError(t, err)
	_, err = r.Run(t.Context(), Request{Hook: set.Ready[0]})
	assert.EqualError(t, err, "hook hooks/batchhooks:ready: exit code 1\n  the store is not up")
}

func TestRunBatch(t *testing.T) {
	set := load(t, loader(), batchBundle(t))
	r := runner(t)
	t.Run("onStartup", func(t *testing.T) {
		result, err := start(t, r, set.Bound(binding.OnStartup)[0])
		require.NoError(t, err)
		assert.Equal(t, "early default.shop info\n", result.Stdout)
	})
	t.Run("metrics in both spellings", func(t *testing.T) {
		result, err := r.Run(t.Context(), Request{Hook: set.Find("hooks/batchhooks:batch/nightly:1"), Triggers: []Trigger{Scheduled("nightly")}})
		require.NoError(t, err)
		assert.Equal(t, []output.Metric{
			{Name: "backups", Group: "nightly", Action: output.MetricSet, Value: 7, Labels: map[string]string{"kind": "full"}},
			{Name: "runs", Action: output.MetricAdd, Value: 1, Labels: map[string]string{}},
		}, result.Metrics)
	})
	t.Run("the SDK's message is the error", func(t *testing.T) {
		_, err := r.Run(t.Context(), Request{
			Hook: set.Find("hooks/batchhooks:batch/early:2"), Triggers: []Trigger{Stage(binding.OnStartup)},
			Settings: map[string]any{"fail": true},
		})
		assert.EqualError(t, err, "hook hooks/batchhooks:batch/early:2 (onStartup): exit code 1\n  execute: settings say so")
		var exit *process.ExitError
		assert.ErrorAs(t, err, &exit)
	})
	t.Run("cancelled before it begins", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := r.Run(ctx, Request{Hook: set.Hooks[0], Triggers: []Trigger{Stage(binding.OnStartup)}})
		assert.ErrorIs(t, err, context.Canceled)
	})
}

func TestBaseEnv(t *testing.T) {
	got := BaseEnv([]string{
		"PATH=/bin", "HOME=/h", "LC_ALL=C", "TZ=UTC", "HTTPS_PROXY=p", "KUBERNETES_SERVICE_HOST=10.0.0.1",
		"KUBECONFIG=/k", "AWS_SECRET_ACCESS_KEY=s", "GITHUB_TOKEN=t", "VAULT_TOKEN=v", "odd", "TMPDIR=/x", "PATHS=1",
	})
	assert.Equal(t, []string{"PATH=/bin", "HOME=/h", "LC_ALL=C", "TZ=UTC", "HTTPS_PROXY=p", "KUBERNETES_SERVICE_HOST=10.0.0.1"}, got)
	assert.Equal(t, []string{"B=1", "A=2"}, merged([]string{"A=1", "B=1"}, []string{"A=2"}))
}
