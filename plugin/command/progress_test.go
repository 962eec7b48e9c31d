package command

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/printers"
)

func TestProgressOptions(t *testing.T) {
	for name, c := range map[string]struct {
		progress, output string
		asks             bool
		want             string
	}{
		"usual":                {progress: "auto", asks: true},
		"lines":                {progress: "lines"},
		"unknown":              {progress: "often", want: `wanted auto, table, lines or none, found "often"`},
		"events without leave": {progress: "auto", output: "events", asks: true, want: "give --yes"},
		"events":               {progress: "auto", output: "events"},
	} {
		t.Run(name, func(t *testing.T) {
			err := (&progressOptions{progress: c.progress}).validate(c.output, c.asks)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
}

// Every count of the engine is in the events, under the name of its field.
func TestCountsOf(t *testing.T) {
	var c apply.Counts
	fields := reflect.ValueOf(&c).Elem()
	for i := range fields.NumField() {
		fields.Field(i).SetInt(int64(i + 1))
	}
	got := countsOf(c)
	assert.Len(t, got, fields.NumField())
	for i := range fields.NumField() {
		assert.Equal(t, i+1, got[strings.ToLower(fields.Type().Field(i).Name)])
	}
}

func TestEventOf(t *testing.T) {
	ref := object.Ref{Group: "apps", Kind: "Deployment", Namespace: "x", Name: "web"}
	got := eventOf(apply.Event{
		Time: time.Unix(5, 0), Type: apply.EventFailed, Manifest: "m", Group: ref.Group, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name,
		Op: plan.OpUpdate, Reason: "why", Details: []string{"more"}, Elapsed: 1234567 * time.Microsecond, Settled: 1, Total: 2,
		Pending: []apply.PendingObject{{Ref: ref, Reason: "waits", Elapsed: time.Second}},
	})
	web := printers.EventObject{Group: "apps", Kind: "Deployment", Namespace: "x", Name: "web"}
	assert.Equal(t, printers.Event{
		Time: time.Unix(5, 0), Type: "Failed", Manifest: "m", Object: &web, Op: plan.OpUpdate, Reason: "why", Details: []string{"more"},
		Seconds: 1.235, Settled: 1, Total: 2, Pending: []printers.Pending{{Object: web, Reason: "waits", Seconds: 1}},
	}, got)
}

func TestTellerGoesWhereItIsSent(t *testing.T) {
	for name, c := range map[string]struct {
		progress, output, out, errOut string
	}{
		"lines on stderr":        {progress: "auto", errOut: "Ready"},
		"nothing":                {progress: "none"},
		"events on stdout":       {progress: "auto", output: "events", out: `"type":"Ready"`},
		"no progress but events": {progress: "none", output: "events", out: `"type":"Ready"`},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errOut bytes.Buffer
			env := &Env{IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &errOut}, Getenv: func(string) string { return "" }}
			tell, err := (&progressOptions{progress: c.progress}).teller(env, c.output)
			require.NoError(t, err)
			tell.event(apply.Event{Type: apply.EventReady, Kind: "A", Name: "b"})
			tell.close()
			assert.Contains(t, out.String(), c.out)
			assert.Equal(t, c.out == "", out.Len() == 0)
			assert.Contains(t, strings.ToLower(errOut.String()), strings.ToLower(c.errOut))
			assert.Equal(t, c.errOut == "", errOut.Len() == 0)
		})
	}
}
