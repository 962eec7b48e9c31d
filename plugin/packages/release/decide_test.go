package release

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/release/common"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/chart"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/nelm"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

func TestP6Decide(t *testing.T) {
	deployed := &Revision{Number: 3, Status: common.StatusDeployed, Checksum: "a"}
	resting := &Revision{Number: 3, Status: common.StatusDeployed, Checksum: "a", Maintenance: true}
	failed := &Revision{Number: 3, Status: common.StatusFailed, Checksum: "a", Maintenance: true}
	missing := []object.Ref{{Kind: "Secret", Namespace: "x", Name: "s"}}
	for name, test := range map[string]struct {
		last        *Revision
		checksum    string
		maintenance bool
		missing     []object.Ref
		upgrade     bool
		why         string
	}{
		"first":                 {nil, "a", false, nil, true, "it is not installed yet"},
		"first, in maintenance": {nil, "a", true, nil, true, "it is not installed yet"},
		"same":                  {deployed, "a", false, nil, false, "it is up to date"},
		"changed":               {deployed, "b", false, nil, true, "what is rendered has changed"},
		"without checksum":      {&Revision{Status: common.StatusDeployed}, "", false, nil, true, "what is rendered has changed"},
		"missing":               {deployed, "a", false, missing, true, "missing in the cluster: Secret x/s"},
		"failed":                {failed, "a", false, nil, true, "its last revision, 3, is failed"},
		"failed in maintenance": {failed, "a", true, nil, true, "its last revision, 3, is failed"},
		"into maintenance":      {deployed, "b", true, nil, true, "what is rendered has changed"},
		"in maintenance":        {resting, "b", true, missing, false, "it is in maintenance: nothing is applied"},
		"out of maintenance":    {resting, "b", false, nil, true, "what is rendered has changed"},
		"pending":               {&Revision{Number: 1, Status: common.StatusPendingInstall}, "a", false, nil, true, "its last revision, 1, is pending-install"},
	} {
		got := Decide(test.last, test.checksum, test.maintenance).Looked(test.missing)
		assert.Equal(t, test.upgrade, got.Upgrade, name)
		assert.Equal(t, test.why, got.Why, name)
	}
}

// TestDefaults: those of the platform.
func TestDefaults(t *testing.T) {
	s := &Service{}
	assert.Equal(t, 30*time.Minute, s.limit(), "complaint 6")
	assert.Equal(t, 10, DefaultHistory)
	for text, want := range map[string]time.Duration{"45m": 45 * time.Minute, "0": DefaultLimit, "-1s": DefaultLimit, "soon": DefaultLimit, "": DefaultLimit, "30": DefaultLimit} {
		assert.Equal(t, want, ParseLimit(text), "%q (complaint 7)", text)
	}
}

func TestTimeoutNamesFive(t *testing.T) {
	var result apply.Result
	for i := range 7 {
		o := apply.ObjectResult{Ref: object.Ref{Kind: "Job", Name: fmt.Sprint(i)}, Outcome: apply.OutcomeSkipped}
		if i == 6 {
			o.Outcome, o.Reason = apply.OutcomeFailed, "not ready"
		}
		result.Objects = append(result.Objects, o)
	}
	err := &TimeoutError{Release: "x.shop", Limit: 30 * time.Minute, Waiting: waitedFor(result)}
	assert.Equal(t, "install release 'x.shop': apply timed out after 30m0s, waiting for Job/6, Job/0, Job/1, Job/2, Job/3, …\n  Job/6: not ready", err.Error())
}

func TestRecordRoundTrip(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := &Revision{
		Namespace: "x", Name: "x.shop", Number: 4, Status: common.StatusDeployed, Description: "d", Package: "store", Version: "v1.0.0",
		Checksum: "abc", Maintenance: true, First: at, Last: at,
		Objects: load(t, configMap("a", "")+"---\n{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: MQ==}}"),
		Hooks: []chart.Hook{{
			Object: load(t, configMap("h", "helm.sh/hook: pre-install"))[0], Events: []chart.Event{chart.PreInstall, chart.PostUpgrade},
			Weight: -3, DeletePolicies: []chart.DeletePolicy{chart.OnSuccess},
		}},
	}
	body, err := encode(r, 1)
	require.NoError(t, err)
	got, err := decode(&unstructured.Unstructured{Object: body})
	require.NoError(t, err)
	assert.Equal(t, r.Objects[1].Body, got.Objects[1].Body)
	assert.Equal(t, r.Hooks[0].Object.Body, got.Hooks[0].Object.Body)
	assert.Equal(t, r.Hooks[0].Events, got.Hooks[0].Events)
	assert.Equal(t, r.Hooks[0].DeletePolicies, got.Hooks[0].DeletePolicies)
	got.Objects, got.Hooks, got.stored = r.Objects, r.Hooks, nil
	assert.Equal(t, r, got)

	for _, data := range []string{"", "!", "YQ==", "YWJj"} {
		body["data"] = map[string]any{"release": data}
		_, err = decode(&unstructured.Unstructured{Object: body})
		assert.ErrorContains(t, err, "read Secret x/sh.helm.release.v1.x.shop.v4: wanted a release of Helm", data)
	}
}

// TestRemark: of a record that others wrote everything stays that isn't changed.
func TestRemark(t *testing.T) {
	data, err := packed(map[string]any{
		"name": "a", "version": 1, "config": map[string]any{"n": json.Number("9007199254740993")}, "info": map[string]any{"status": "deployed", "notes": "x"},
		"chart": map[string]any{"templates": []any{"t"}},
	})
	require.NoError(t, err)
	secret := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"name": "s", "resourceVersion": "5", "labels": map[string]any{"status": "deployed", "own": "x"}},
		"data":     map[string]any{"release": base64.StdEncoding.EncodeToString(data)},
	}}
	got, err := remark(secret, common.StatusSuperseded, "d", 7)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"status": "superseded", "own": "x", "modifiedAt": "7"}, got.GetLabels())
	assert.Equal(t, "5", got.GetResourceVersion())
	stored := map[string]any{}
	text, _, _ := unstructured.NestedString(got.Object, "data", "release")
	require.NoError(t, unpackTo(text, &stored))
	assert.Equal(t, map[string]any{
		"name": "a", "version": json.Number("1"), "config": map[string]any{"n": json.Number("9007199254740993")},
		"info": map[string]any{"status": "superseded", "notes": "x", "description": "d"}, "chart": map[string]any{"templates": []any{"t"}},
	}, stored)
}

func TestSecretNames(t *testing.T) {
	name, number, ok := parseSecretName("sh.helm.release.v1.demo.shop.v12")
	assert.Equal(t, "demo.shop 12 true", fmt.Sprint(name, " ", number, " ", ok))
	for _, other := range []string{"x", "sh.helm.release.v1.", "sh.helm.release.v1.a.vb", "sh.helm.release.v1.v3"} {
		_, _, ok = parseSecretName(other)
		assert.False(t, ok, other)
	}
	long := strings.Repeat("n", 63) + ".shop"
	assert.LessOrEqual(t, len(nameLabelOf(long)), 63)
	assert.NotEqual(t, nameLabelOf(long), nameLabelOf(strings.Repeat("n", 63)+".shoe"))
	assert.Equal(t, "demo.shop", nameLabelOf("demo.shop"))
}

// TestChecksum: any change of what is rendered counts, and nothing else.
func TestChecksum(t *testing.T) {
	base := Request{Objects: load(t, configMap("a", "")), Hooks: []chart.Hook{{Object: load(t, configMap("h", ""))[0], Events: []chart.Event{chart.PreInstall}}}}
	sum := func(change func(*Request)) string {
		r := base
		r.Objects, r.Hooks = append([]object.Object{}, base.Objects...), append([]chart.Hook{}, base.Hooks...)
		change(&r)
		got, err := r.Checksum()
		require.NoError(t, err)
		require.LessOrEqual(t, len(got), 63, "it is a label")
		return got
	}
	same := sum(func(*Request) {})
	assert.Equal(t, same, sum(func(r *Request) { r.Version = "v2" }), "the version alone changes nothing in the cluster")
	assert.NotEqual(t, same, sum(func(r *Request) { r.Objects = load(t, configMap("a", "other: word")) }))
	assert.NotEqual(t, same, sum(func(r *Request) { r.Hooks[0].Weight = 1 }))
	assert.NotEqual(t, same, sum(func(r *Request) { r.Hooks = nil }))
}

// ordered plans nothing but an order.
func ordered(t *testing.T, text string) (order, *plan.Plan) {
	t.Helper()
	p, rules := &plan.Plan{}, map[object.Ref]nelm.Rules{}
	for _, o := range load(t, text) {
		r, err := nelm.Read(o)
		require.NoError(t, err)
		rules[o.Ref()] = r
		p.Objects = append(p.Objects, &plan.Object{Ref: o.Ref(), Key: state.KeyOf("m", o), Desired: o, Op: plan.OpCreate})
	}
	got, err := orderOf(p, rules, false)
	require.NoError(t, err)
	return got, p
}

func sequence(o order, p *plan.Plan) string {
	var out []string
	for _, i := range o.sorted(p.Objects) {
		out = append(out, p.Objects[i].Ref.Name)
	}
	return strings.Join(out, " ")
}

func TestOrder(t *testing.T) {
	for name, test := range map[string]struct{ text, want, warning string }{
		"as given":       {configMap("a", "") + configMap("b", ""), "a b", ""},
		"weights":        {configMap("a", "werf.io/weight: '1'") + configMap("b", "") + configMap("c", "werf.io/weight: '-1'"), "c b a", ""},
		"dependency":     {configMap("a", "werf.io/deploy-dependency-x: 'state=present,name=b'") + configMap("b", ""), "b a", ""},
		"circle":         {configMap("a", "werf.io/deploy-dependency-x: 'state=ready,name=b'") + configMap("b", "werf.io/deploy-dependency-x: 'state=ready,name=a'"), "a b", "are not kept, since these wait for each other in a circle"},
		"against weight": {configMap("a", "werf.io/deploy-dependency-x: 'state=ready,name=b'") + configMap("b", "werf.io/weight: '1'"), "a b", "that one comes later by its weight"},
		"over the order of kinds": {
			configMap("a", "werf.io/deploy-dependency-x: 'state=ready,kind=Deployment'") + deployment("d", ""), "d a", "",
		},
	} {
		got, p := ordered(t, test.text)
		assert.Equal(t, test.want, sequence(got, p), name)
		text := strings.Join(got.warnings, "\n")
		assert.Contains(t, text, test.warning, name)
		if test.warning == "" {
			assert.Empty(t, text, name)
		}
	}
}

// TestComplaint74OneNodeForEachExternalObject.
func TestComplaint74OneNodeForEachExternalObject(t *testing.T) {
	on := "x.external-dependency.werf.io/resource: 'deployments.v1.apps/db', y.external-dependency.werf.io/resource: 'secret/s'"
	got, _ := ordered(t, configMap("a", on)+configMap("b", on+", werf.io/deploy-dependency-z: 'state=ready,name=a'"))
	assert.Equal(t, []string{"external object secret/s", "external object deployments.v1.apps/db"}, reversedIf(got.groups))
	assert.Empty(t, got.warnings)
	assert.Len(t, got.external, 2)
}

// reversedIf puts the two names into one order, which is that of the annotations' names.
func reversedIf(names []string) []string {
	if len(names) == 2 && strings.Contains(names[0], "deployments") {
		return []string{names[1], names[0]}
	}
	return names
}

// TestComplaint8BareCancellation: an error says why a context was ended.
func TestComplaint8BareCancellation(t *testing.T) {
	superseded := errors.New("update superseded")
	ctx, cancel := context.WithCancelCause(t.Context())
	other := errors.New("x")
	assert.Equal(t, other, withCause(ctx, other))
	cancel(superseded)
	assert.Equal(t, superseded, withCause(ctx, fmt.Errorf("list: %w", context.Canceled)))
	assert.Equal(t, other, withCause(ctx, other))
	wrapped := fmt.Errorf("plan: %w", superseded)
	assert.Equal(t, wrapped, withCause(ctx, wrapped))
	bare, end := context.WithCancel(t.Context())
	end()
	assert.Equal(t, context.Canceled, withCause(bare, fmt.Errorf("list: %w", context.Canceled)))
}

// TestComplaint65ListenerThatPanics ends neither the apply nor the program, and
// complaint 11: the last report is told once.
func TestComplaint65ListenerThatPanics(t *testing.T) {
	got, p := ordered(t, configMap("a", ""))
	st := &stage{name: nelm.Main, plan: p, order: got}
	track := newTracking(&Service{}, identity{"x", "shop", "x.shop"}, 1, []*stage{st}, func(api.Tracking) { panic("closed") })
	track.begin()
	assert.Equal(t, "closed", track.panicked)
	track.event(0, apply.Event{Type: apply.EventReady, Kind: "ConfigMap", Name: "a"})
	assert.Zero(t, track.end(true).Remaining)

	var reports []api.Tracking
	track = newTracking(&Service{ProgressEvery: time.Hour}, identity{"x", "shop", "x.shop"}, 1, []*stage{st}, func(r api.Tracking) { reports = append(reports, r) })
	track.begin()
	track.event(0, apply.Event{Type: apply.EventApplied, Kind: "ConfigMap", Name: "a"})
	track.event(0, apply.Event{Type: apply.EventFailed, Kind: "ConfigMap", Name: "a"})
	last := track.end(false)
	require.Len(t, reports, 2, "the first, then none for an hour, and the last")
	assert.Equal(t, last, reports[1])
	var states []string
	for _, op := range last.Report.Operations {
		states = append(states, op.Type+" "+string(op.Status))
	}
	assert.Equal(t, []string{
		"create-pending-release Completed", "create Completed", "track-readiness Failed", "stage Canceled", "conclude-release Failed",
	}, states)
}

// TestManifestsOfOthers may be less strict than files have to be; what is no object at
// all is told, and blocks nothing.
func TestManifestsOfOthers(t *testing.T) {
	objects, unread := objectsOf("# a comment\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {x: yes}}\ndata: {n: '1'}\n---\nkind: [\n---\nkind: Nameless\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n", "m")
	require.Len(t, objects, 2)
	assert.Equal(t, "a", objects[0].Name())
	assert.Equal(t, "b", objects[1].Name())
	assert.Equal(t, "m, document 3 is no object; m, document 4 is no object; ", unread)
	assert.Len(t, readable(load(t, configMap("a", "werf.io/weight: heavy")+configMap("b", ""))), 1)
}
