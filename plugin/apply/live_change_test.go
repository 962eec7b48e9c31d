package apply

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// C05: another manager's field is refused, with its name and the field's.
func TestLiveFieldConflict(t *testing.T) {
	w := newWorld(t)
	w.make(w.namespace()+"\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: NS}, data: {a: theirs, b: same}}", "operator")
	ours := "{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: NS}, data: {a: ours}}\n---\n" +
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: NS}}"
	p, planner := w.plan(ours)
	for _, o := range p.Objects {
		if o.Op == plan.OpRefuse { // the plan sees it already; see what the server says
			o.Op, o.Force = plan.OpUpdate, false
		}
	}
	r := w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictRefused, r.Verdict)
	assert.Equal(t, OutcomeApplied, of(r, "free").Outcome)
	assert.Equal(t, `changed since the diff: it would be refused now (data.a is owned by "operator")`, of(r, "owned").Reason)
}

// Somebody changes the object between plan and apply.
func TestLiveChangedSinceTheDiff(t *testing.T) {
	const was = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: NS}, data: {a: \"1\", b: \"1\"}}"
	const now = "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: NS}, data: {a: \"2\", b: \"1\"}}"
	for name, c := range map[string]struct {
		patch   string
		outcome Outcome
	}{
		"elsewhere":        {`{"metadata":{"labels":{"x":"y"}}}`, OutcomeApplied},
		"the same field":   {`{"data":{"a":"3"}}`, OutcomeRefused},
		"the same change":  {`{"data":{"a":"2"}}`, OutcomeApplied},
		"another of ours":  {`{"data":{"b":"3"}}`, OutcomeFailed}, // a drift that wasn't shown
		"deleted":          {"", OutcomeFailed},
		"nothing happened": {`{}`, OutcomeApplied},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			require.Equal(t, VerdictDone, w.apply(w.namespace()+"\n---\n"+was).Verdict)
			p, planner := w.plan(w.namespace() + "\n---\n" + now)
			if c.patch == "" {
				require.NoError(t, w.client.Delete(t.Context(), w.mapping("v1", "ConfigMap"), w.ns, "c", cluster.DeleteOptions{}))
			} else {
				w.patch("v1", "ConfigMap", "c", "", c.patch)
			}
			r := w.run(t.Context(), p, planner)
			if name == "the same change" {
				assert.Contains(t, []Outcome{OutcomeApplied, OutcomeUnchanged}, of(r, "c").Outcome)
				return
			}
			assert.Equal(t, c.outcome, of(r, "c").Outcome, of(r, "c").Reason)
			switch c.outcome {
			case OutcomeFailed:
				assert.Contains(t, of(r, "c").Reason, "changed since the diff")
				if name != "deleted" {
					assert.Equal(t, "3", fmt.Sprint(dataOf(w.get("v1", "ConfigMap", "c"))["b"]), "nothing of theirs is lost")
				}
			case OutcomeRefused:
				assert.Contains(t, of(r, "c").Reason, `is owned by "another"`)
				assert.Equal(t, "3", fmt.Sprint(dataOf(w.get("v1", "ConfigMap", "c"))[strings.Trim(c.patch[9:11], `"`)]), "nothing of theirs is lost")
			}
			if name == "deleted" {
				assert.Nil(t, w.get("v1", "ConfigMap", "c"), "a deleted object is not made anew")
			}
		})
	}
}

func dataOf(u *unstructured.Unstructured) map[string]any {
	data, _ := u.Object["data"].(map[string]any)
	return data
}

// P07: the object was deleted and made again by somebody else.
func TestLivePruneOfANamesake(t *testing.T) {
	w := newWorld(t)
	text := w.namespace() + "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: swap, namespace: NS}}"
	require.Equal(t, VerdictDone, w.apply(text).Verdict)
	p, planner := w.plan(w.namespace())
	require.NoError(t, w.client.Delete(t.Context(), w.mapping("v1", "ConfigMap"), w.ns, "swap", cluster.DeleteOptions{}))
	w.make("{apiVersion: v1, kind: ConfigMap, metadata: {name: swap, namespace: NS}, data: {mine: \"1\"}}", "somebody")
	r := w.run(t.Context(), p, planner)
	assert.Equal(t, VerdictDone, r.Verdict)
	assert.NotNil(t, w.get("v1", "ConfigMap", "swap"))
	w.requireEmpty(w.namespace())
}

// P09: the old generated ConfigMap goes after its users have moved on.
func TestLivePruneAfterTheRollout(t *testing.T) {
	w := newWorld(t)
	text := func(conf, fate string) string {
		return w.namespace() + `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: conf-` + conf + `, namespace: NS}, data: {v: "1"}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: uses-conf, namespace: NS}
spec:
  selector: {matchLabels: {app: uses-conf}}
  template:
    metadata: {labels: {app: uses-conf}, annotations: {` + fate + `}}
    spec: {containers: [{name: main, image: a, envFrom: [{configMapRef: {name: conf-` + conf + `}}]}]}
`
	}
	require.Equal(t, VerdictDone, w.apply(text("a", "")).Verdict)
	w.policy.ObjectTimeout = 4 * time.Second
	stuck := text("b", "standin.tazuna.dev/ready-after: 1h")
	r := w.apply(stuck)
	assert.Equal(t, VerdictFailed, r.Verdict)
	assert.Equal(t, OutcomeRefused, of(r, "conf-a").Outcome)
	assert.NotNil(t, w.get("v1", "ConfigMap", "conf-a"))

	r = w.apply(stuck)
	assert.Equal(t, OutcomeRefused, of(r, "conf-a").Outcome, "still stuck, though nothing changes")
	assert.NotNil(t, w.get("v1", "ConfigMap", "conf-a"))

	w.policy.ObjectTimeout = 2 * time.Minute
	r = w.apply(text("b", ""))
	assert.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Nil(t, w.get("v1", "ConfigMap", "conf-a"))
}

// M05: what can't be updated in place is replaced in one run, where allowed.
func TestLiveReplace(t *testing.T) {
	w := newWorld(t)
	text := func(v string) string {
		return w.namespace() + `
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: frozen, namespace: NS}, immutable: true, data: {a: "` + v + `"}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: NS}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "a:` + v + `"}]}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: NS}, data: {a: "` + v + `"}}
`
	}
	require.Equal(t, VerdictDone, w.apply(text("1")).Verdict)
	frozen, job := w.get("v1", "ConfigMap", "frozen"), w.get("batch/v1", "Job", "once")

	w.planned.Recreate = false
	r := w.apply(text("2"))
	assert.Equal(t, OutcomeRefused, of(r, "frozen").Outcome)
	assert.Equal(t, OutcomeApplied, of(r, "free").Outcome, "the others are tried")
	assert.Equal(t, frozen.GetUID(), w.get("v1", "ConfigMap", "frozen").GetUID())

	w.planned.Recreate = true
	r = w.apply(text("2"))
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	assert.Equal(t, 2, r.Counts.Replaced)
	assert.NotEqual(t, frozen.GetUID(), w.get("v1", "ConfigMap", "frozen").GetUID())
	assert.NotEqual(t, job.GetUID(), w.get("batch/v1", "Job", "once").GetUID())
	w.requireEmpty(text("2"))
}

// A status in the files follows as a patch of its own.
func TestLiveStatus(t *testing.T) {
	w := newWorld(t)
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.dID.example}
spec:
  group: dID.example
  scope: Namespaced
  names: {plural: lamps, singular: lamp, kind: Lamp, listKind: LampList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {type: object, x-kubernetes-preserve-unknown-fields: true}
            status: {type: object, properties: {lit: {type: boolean}}}
---
`
	text := w.namespace() + "\n---\n" + crd + "{apiVersion: dID.example/v1, kind: Lamp, metadata: {name: l, namespace: NS}, spec: {w: 5}, status: {lit: true, odd: 1}}"
	r := w.apply(text)
	require.Equal(t, VerdictDone, r.Verdict, "%+v", r.Objects)
	lit, _, _ := unstructured.NestedBool(w.get(w.docs("dID.example/v1"), "Lamp", "l").Object, "status", "lit")
	assert.True(t, lit)
	assert.Contains(t, strings.Join(r.Warnings, "\n"), "the server did not take status.odd")
	w.apply("")
}

// An interrupt in the middle of many objects leaves a record that the next run
// completes.
func TestLiveInterruptAndGoOn(t *testing.T) {
	w := newWorld(t)
	text := w.namespace()
	for i := range 200 {
		text += fmt.Sprintf("\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: NS}}", i)
	}
	p, planner := w.plan(text)
	ctx, cancel := context.WithCancel(t.Context())
	w.executor = func(e *Executor) {
		inner, applied := e.Events, 0
		e.Concurrency = 4
		e.Events = func(ev Event) {
			if ev.Type == EventApplied {
				if applied++; applied == 40 {
					cancel()
				}
			}
			inner(ev)
		}
	}
	r := w.run(ctx, p, planner)
	require.True(t, r.Interrupted)
	assert.GreaterOrEqual(t, r.Counts.Created, 40)
	assert.LessOrEqual(t, r.Counts.Created, 50)
	assert.Len(t, r.Left, 201-r.Counts.Created)

	w.executor = nil
	again := w.apply(text)
	assert.Equal(t, VerdictDone, again.Verdict)
	assert.Equal(t, 201, again.Counts.Created+r.Counts.Created)
	w.requireEmpty(text)
}

// A thousand objects cost a request each, and a constant.
func TestLiveRequestsOfAFirstInstall(t *testing.T) {
	w := newWorld(t)
	text := w.namespace()
	for i := range 300 {
		text += fmt.Sprintf("\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: NS}, data: {a: b}}", i)
	}
	counted := &counting{Client: w.client}
	w.executor = func(e *Executor) { e.Client = counted }
	r := w.apply(text)
	require.Equal(t, 301, r.Counts.Created)
	assert.Equal(t, int64(301), counted.calls.Load())
}
