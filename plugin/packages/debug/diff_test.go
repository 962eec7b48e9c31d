package debug

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/journal"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/render"
)

// A comparison is masked with the secrets of the settings that were asked for, too.
func TestDiffIsAskedForAndMasked(t *testing.T) {
	client := Client{Transport: Socket{Path: serve(t, shop{})}}
	wanted := Wanted{Version: "v2.0.0", Settings: map[string]any{"password": "third-token", "replicas": json.Number("9007199254740993")}}
	r, err := client.Diff(t.Context(), "demo.shop", wanted, false)
	require.NoError(t, err)
	assert.Equal(t, "version v2.0.0", r.Notes[0])
	assert.NotContains(t, r.Notes[1], secret)
	assert.Contains(t, r.Warnings[0], "none of this can be applied: no order")
	assert.NotContains(t, r.Warnings[0], "other-secret")

	shown, err := Client{Transport: client.Transport, Secrets: true}.Diff(t.Context(), "demo.shop", wanted, true)
	require.NoError(t, err)
	assert.Contains(t, shown.Notes[1], secret)

	_, err = client.Diff(t.Context(), "demo.shap", Wanted{}, false)
	require.ErrorContains(t, err, `application "demo.shap" not found`)
	for problem, want := range map[error]string{
		render.ErrNoChart: "package has no Helm chart",
		ErrNotLoaded:      "the package of demo.shop is not loaded: see its queue",
		errors.New("fetch v2: refused for third-token"): "fetch v2: refused for <hidden>",
	} {
		failing := Client{Transport: Socket{Path: serve(t, shop{renderErr: problem})}}
		_, err := failing.Diff(t.Context(), "demo.shop", wanted, false)
		require.EqualError(t, err, want)
	}
}

func TestSettingsHaveToBeAnObject(t *testing.T) {
	path := serve(t, shop{})
	status, body, err := Socket{Path: path}.Get(t.Context(), Prefix+"packages/diff/demo.shop", map[string][]string{"settings": {"[1]"}})
	require.NoError(t, err)
	assert.Equal(t, 400, status)
	assert.Equal(t, "settings: wanted a JSON object\n", string(body))
}

func TestLogsAreAskedForAndMasked(t *testing.T) {
	client := Client{Transport: Socket{Path: serve(t, shop{})}, Secrets: true}
	logs, err := client.Logs(t.Context(), "demo.shop", journal.Query{}, 0)
	require.NoError(t, err)
	require.Len(t, logs.Items, 2)
	data, err := json.Marshal(logs)
	require.NoError(t, err)
	assert.NotContains(t, string(data), secret, "also for who wants secrets shown")
	assert.Equal(t, "controller", logs.Items[0].Source)
	assert.Equal(t, "WARN", logs.Items[0].Level)
	assert.Equal(t, "hooks/a.sh", logs.Items[1].Source)
	assert.Equal(t, "said <hidden>", logs.Items[1].Message)
	assert.Equal(t, uint64(3), logs.Next)

	logs, err = client.Logs(t.Context(), "demo.shop", journal.Query{Last: 1, Since: time.Now().Add(-time.Hour)}, 0)
	require.NoError(t, err)
	assert.Len(t, logs.Items, 1)
	logs, err = client.Logs(t.Context(), "demo.shop", journal.Query{After: 99}, time.Millisecond)
	require.NoError(t, err)
	assert.Empty(t, logs.Items)
	logs, err = client.Logs(t.Context(), "demo.gone", journal.Query{}, 0)
	require.NoError(t, err)
	assert.Len(t, logs.Items, 1, "that of a removal stays for some time")
	_, err = client.Logs(t.Context(), "demo.never", journal.Query{}, 0)
	require.ErrorContains(t, err, "not found")
	status, body, err := client.Transport.Get(t.Context(), Prefix+"packages/logs/demo.shop", map[string][]string{"last": {"x"}})
	require.NoError(t, err)
	assert.Equal(t, 400, status)
	assert.Equal(t, "last: found \"x\"\n", string(body))
}
