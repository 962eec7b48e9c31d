package apply

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// planned is a small object to update.
const (
	wasConfigMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: "1"}}`
	newConfigMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {k: "2"}}`
)

// outrun makes the run meet an object that has changed since the plan, and plans
// it again with what replan says of the newest state.
func outrun(t *testing.T, h *harness, change func(*unstructured.Unstructured), replan func(*plan.Object)) *plan.Object {
	h.cluster.put(t, wasConfigMap)
	o := h.cluster.over(t, plan.OpUpdate, newConfigMap)
	o.Differences = []plan.Difference{{Path: ".data.k", Verdict: plan.VerdictChange, Live: "1", Desired: "2", HasLive: true, HasDesired: true}}
	h.cluster.change("ConfigMap x/a", change)
	h.exec.Replan = func(context.Context, *plan.Object) (*plan.Object, error) {
		next := h.cluster.over(t, plan.OpUpdate, newConfigMap)
		next.Differences = append([]plan.Difference(nil), o.Differences...)
		replan(next)
		return next, nil
	}
	return o
}

func elsewhere(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"by": "another"}) }

func TestConflictWithTheSameChangeGoesThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		r := h.run(outrun(t, h, elsewhere, func(*plan.Object) {}))
		assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
		assert.Equal(t, 2, h.cluster.count("apply"))
	})
}

func TestConflictWithAnotherChangeFails(t *testing.T) {
	for name, c := range map[string]struct {
		replan func(*plan.Object)
		reason string
	}{
		"another value live": {func(o *plan.Object) { o.Differences[0].Live = "3" }, "its differences are no longer those that were shown"},
		"another verdict":    {func(o *plan.Object) { o.Differences[0].Verdict = plan.VerdictDrift }, "its differences are no longer those that were shown"},
		"a further path": {func(o *plan.Object) {
			o.Differences = append(o.Differences, plan.Difference{Path: ".data.l"})
		}, "its differences are no longer those that were shown"},
		"force": {func(o *plan.Object) { o.Force = true }, "its differences are no longer those that were shown"},
		"refused now": {func(o *plan.Object) {
			o.Op, o.Reason = plan.OpRefuse, "data.k is owned by operator"
		}, "it would be refused now (data.k is owned by operator)"},
		"refused now, with the owner in the differences": {func(o *plan.Object) {
			o.Op, o.Differences = plan.OpRefuse, append(o.Differences, plan.Difference{
				Path: ".data.k", Verdict: plan.VerdictConflict, Authors: []plan.Author{{Manager: "operator"}},
			})
		}, `it would be refused now (data.k is owned by "operator")`},
		"gone":    {func(o *plan.Object) { o.Op, o.UID = plan.OpCreate, "" }, "it is gone"},
		"blocked": {func(o *plan.Object) { o.Op = plan.OpBlocked }, "it would be blocked now"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				r := h.run(outrun(t, h, elsewhere, c.replan))
				want := OutcomeFailed
				if strings.Contains(name, "refused") || name == "blocked" {
					want = OutcomeRefused
				}
				assert.Equal(t, want, of(r, "a").Outcome)
				assert.Equal(t, "changed since the diff: "+c.reason, of(r, "a").Reason)
				assert.Equal(t, 1, h.cluster.count("apply"), "nothing more is sent")
			})
		})
	}
}

func TestConflictAllowedBeforehand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.Replan = true
		r := h.run(outrun(t, h, elsewhere, func(o *plan.Object) { o.Differences[0].Live = "3" }))
		assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
		assert.Equal(t, []string{"ConfigMap x/a: changed since the diff and planned again: its differences are no longer those that were shown"}, r.Warnings)
	})
	for op, want := range map[plan.Op]Outcome{
		plan.OpReplace: OutcomeFailed, plan.OpRefuse: OutcomeRefused, plan.OpBlocked: OutcomeRefused, plan.OpError: OutcomeFailed,
	} {
		t.Run("but not "+string(op), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.exec.Policy.Replan = true
				r := h.run(outrun(t, h, elsewhere, func(o *plan.Object) { o.Op = op }))
				assert.Equal(t, want, of(r, "a").Outcome)
			})
		})
	}
}

// The plan saw no owner in the way. One that came since is a change like any other.
func TestFieldConflictThatCameSince(t *testing.T) {
	until := func(h *harness, last int) {
		applies := 0
		h.cluster.refuse = func(call string) error {
			if !strings.HasPrefix(call, "apply") {
				return nil
			}
			if applies++; applies <= last {
				return fieldConflict(".data.k")
			}
			return nil
		}
	}
	t.Run("is planned again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.exec.Policy.Replan = true
			until(h, 1)
			r := h.run(outrun(t, h, elsewhere, func(o *plan.Object) { o.Force = true }))
			assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
			assert.Equal(t, []string{"ConfigMap x/a: changed since the diff and planned again: its differences are no longer those that were shown"}, r.Warnings)
		})
	})
	t.Run("is refused as the new plan does", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			until(h, 1)
			r := h.run(outrun(t, h, elsewhere, func(o *plan.Object) { o.Op, o.Reason = plan.OpRefuse, "operator owns data.k" }))
			assert.Equal(t, OutcomeRefused, of(r, "a").Outcome)
			assert.Equal(t, "changed since the diff: it would be refused now (operator owns data.k)", of(r, "a").Reason)
		})
	})
	t.Run("stays one if nothing has changed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			until(h, 10)
			r := h.run(outrun(t, h, func(*unstructured.Unstructured) {}, func(o *plan.Object) { o.ResourceVersion = "1" }))
			assert.Equal(t, OutcomeRefused, of(r, "a").Outcome)
			assert.Equal(t, `conflict: data.k is owned by "operator" using v1`, of(r, "a").Reason)
			assert.Equal(t, 1, h.cluster.count("apply"))
		})
	})
}

func TestConflictWhereSomebodyMadeTheSameChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		r := h.run(outrun(t, h, elsewhere, func(o *plan.Object) { o.Op = plan.OpNone }))
		assert.Equal(t, OutcomeUnchanged, of(r, "a").Outcome)
		assert.Equal(t, []string{"somebody else made the same change in the meantime"}, of(r, "a").Notes)
		assert.Equal(t, plan.OpUpdate, of(r, "a").Op, "the planned operation stays in the result")
		assert.Equal(t, h.cluster.objects["ConfigMap x/a"].GetResourceVersion(), h.session.applied["ConfigMap x/a"].ResourceVersion)
	})
}

func TestConflictWithoutReplan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		o := outrun(t, h, elsewhere, nil)
		h.exec.Replan = nil
		r := h.run(o)
		assert.Contains(t, of(r, "a").Reason, "changed since the diff: ")
	})
}

func TestConflictWhenPlanningAgainFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		o := outrun(t, h, elsewhere, nil)
		h.exec.Replan = func(context.Context, *plan.Object) (*plan.Object, error) { return nil, errors.New("no answer") }
		r := h.run(o)
		assert.Equal(t, "changed since the diff, and planning it again failed: no answer", of(r, "a").Reason)
	})
}

func TestConflictWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		o := outrun(t, h, elsewhere, func(o *plan.Object) { o.ResourceVersion = "0" })
		r := h.run(o)
		assert.Equal(t, "others kept changing it while it was being applied", of(r, "a").Reason)
		assert.Equal(t, maxReplans+1, h.cluster.count("apply"))
	})
}

func TestUpdateOfADeletedObjectFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		o := outrun(t, h, elsewhere, func(o *plan.Object) {})
		h.cluster.remove("ConfigMap x/a")
		h.exec.Replan = func(context.Context, *plan.Object) (*plan.Object, error) {
			return creates(t, newConfigMap)[0], nil
		}
		r := h.run(o)
		assert.Equal(t, "changed since the diff: it is gone", of(r, "a").Reason)
		assert.False(t, h.cluster.has("ConfigMap x/a"), "a deleted object is not made anew by an update")
	})
}

func TestHiddenDifferencesAreComparedByValue(t *testing.T) {
	hidden := []plan.Difference{{Path: ".data.k", Live: "<-- value not shown (#1)", Desired: "<-- value not shown (#2)", HasLive: true, HasDesired: true}}
	before := &plan.Object{Op: plan.OpUpdate, Differences: hidden, Live: map[string]any{"data": map[string]any{"k": "one"}}}
	same := &plan.Object{Op: plan.OpUpdate, Differences: hidden, Live: map[string]any{"data": map[string]any{"k": "one"}}}
	other := &plan.Object{Op: plan.OpUpdate, Differences: hidden, Live: map[string]any{"data": map[string]any{"k": "two"}}}
	assert.True(t, sameChange(before, same))
	assert.False(t, sameChange(before, other), "the same marks may stand for other values")
}

func TestFieldConflictIsRefusedWithOwnerAndField(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		o := h.cluster.over(t, plan.OpUpdate, newConfigMap)
		h.cluster.refuse = func(string) error { return fieldConflict(".data.k", ".data.l") }
		r := h.run(o)
		assert.Equal(t, OutcomeRefused, of(r, "a").Outcome)
		assert.Equal(t, "conflict: data.k is owned by \"operator\" using v1\ndata.l is owned by \"operator\" using v1", of(r, "a").Reason)
		assert.Equal(t, VerdictRefused, r.Verdict)
		assert.True(t, apierrors.IsConflict(of(r, "a").Err))
	})
}

func TestCreateThatFindsAnObject(t *testing.T) {
	t.Run("with other values", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.refuse = func(string) error { return fieldConflict(".data.k") }
			h.exec.Replan = func(_ context.Context, o *plan.Object) (*plan.Object, error) {
				next := *o
				next.Op = plan.OpRefuse
				return &next, nil
			}
			r := h.run(creates(t, newConfigMap)...)
			assert.Equal(t, "changed since the diff: it was to be created and is there now", of(r, "a").Reason)
		})
	})
	t.Run("that agrees", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.exec.Policy.FieldManager = "tazuna"
			h.cluster.touch = func(u *unstructured.Unstructured) {
				u.SetManagedFields([]metav1.ManagedFieldsEntry{
					{Manager: "tazuna", Operation: "Apply"},
					{Manager: "kubectl", Operation: "Update"},
					{Manager: "controller", Operation: "Update", Subresource: "status"},
				})
			}
			r := h.run(creates(t, newConfigMap)...)
			assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
			assert.Equal(t, []string{"somebody created it after the plan was made (kubectl); the two agree and were merged"}, of(r, "a").Notes)
		})
	})
}

func TestAdoptionPatchesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		o := h.cluster.over(t, plan.OpAdopt, newConfigMap)
		o.Adopt = []byte(`[]`)
		r := h.run(o)
		assert.Equal(t, Counts{Updated: 1}, r.Counts)
		assert.Equal(t, []string{"patch  ConfigMap x/a application/json-patch+json", "apply ConfigMap x/a"}, h.cluster.matching("patch", "apply"))
		meta, _ := h.cluster.bodies[0]["metadata"].(map[string]any)
		assert.Equal(t, "2", meta["resourceVersion"], "the version that the patch answered")
	})
}

func TestAdoptionThatIsOutOfDateIsPlannedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		o := h.cluster.over(t, plan.OpAdopt, newConfigMap)
		o.Adopt = []byte(`[]`)
		h.cluster.refuse = func(call string) error {
			if strings.HasPrefix(call, "patch") {
				return serverError(422, metav1.StatusReasonInvalid, "testing path /metadata/resourceVersion: test failed")
			}
			return nil
		}
		h.exec.Replan = func(context.Context, *plan.Object) (*plan.Object, error) {
			return &plan.Object{Op: plan.OpNone, Ref: o.Ref}, nil
		}
		assert.Equal(t, OutcomeUnchanged, of(h.run(o), "a").Outcome)
	})
}

func TestPassingFailuresAreTriedAgain(t *testing.T) {
	inNamespace := "{apiVersion: v1, kind: Namespace, metadata: {name: x}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x}, status: {phase: Succeeded}}"
	noNamespace := apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "x")
	for name, c := range map[string]struct {
		input string
		err   error
	}{
		"webhook without endpoints": {"", serverError(500, "InternalError", `Internal error occurred: failed calling webhook "w.demo": no endpoints available for service "w"`)},
		"conversion":                {"", serverError(500, "InternalError", `conversion webhook for demo.example/v1, Kind=Pool failed: connection refused`)},
		"quota":                     {"", apierrors.NewConflict(schema.GroupResource{Resource: "resourcequotas"}, "q", errors.New("the object has been modified"))},
		"namespace not seen yet":    {inNamespace, noNamespace},
		"namespace forbidden":       {inNamespace, serverError(403, "Forbidden", `pods "a" is forbidden: namespace "x" not found`)},
		"service account":           {inNamespace, serverError(403, "Forbidden", `pods "a" is forbidden: error looking up service account x/default: serviceaccount "default" not found`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				if c.input == "" {
					c.input = `{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: z}, status: {phase: Succeeded}}`
				}
				refusals := 3
				h.cluster.refuse = func(call string) error {
					if refusals > 0 && strings.HasPrefix(call, "apply Pod") {
						refusals--
						return c.err
					}
					return nil
				}
				begun := time.Now()
				r := h.run(creates(t, c.input)...)
				assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
				assert.Equal(t, 700*time.Millisecond, time.Since(begun), "0.1, 0.2 and 0.4 s")
				assert.Equal(t, 4, h.cluster.count("apply Pod"))
			})
		})
	}
}

func TestFinalFailuresAreNotTriedAgain(t *testing.T) {
	for name, err := range map[string]error{
		"denied by a webhook":       serverError(403, "Forbidden", `admission webhook "w" denied the request: no`),
		"another namespace":         apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "x"),
		"terminating namespace":     terminating(),
		"forbidden":                 serverError(403, "Forbidden", "not you"),
		"invalid":                   serverError(422, "Invalid", "bad"),
		"kind from somewhere else":  &cluster.ErrNoKind{GroupKind: schema.GroupKind{Kind: "ConfigMap"}},
		"not reachable any more":    errors.New("connection refused (gave up after 9 attempts in 30s)"),
		"aggregated API not there ": &cluster.ErrUnavailable{},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				h.cluster.refuse = func(string) error { return err }
				r := h.run(creates(t, newConfigMap)...)
				assert.Equal(t, OutcomeFailed, of(r, "a").Outcome)
				assert.Equal(t, 1, h.cluster.count("apply"))
			})
		})
	}
}

func TestServersAtFaultAreAskedAFewTimes(t *testing.T) {
	for refusals, outcome := range map[int]Outcome{1: OutcomeApplied, 3: OutcomeApplied, 4: OutcomeFailed} {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.refuse = func(string) error {
				if refusals--; refusals >= 0 {
					return serverError(500, "InternalError", "boom")
				}
				return nil
			}
			r := h.run(creates(t, newConfigMap)...)
			assert.Equal(t, outcome, of(r, "a").Outcome)
			if outcome == OutcomeFailed {
				assert.Equal(t, "boom", of(r, "a").Reason)
			}
		})
	}
}

func terminating() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: 403, Reason: metav1.StatusReasonForbidden,
		Message: `configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated`,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: "NamespaceTerminating"}}},
	}}
}

func TestTriesEndWithTheObjectsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.ObjectTimeout = time.Minute
		h.cluster.refuse = func(call string) error {
			return serverError(500, "InternalError", `failed calling webhook "w.demo": connection refused`)
		}
		begun := time.Now()
		r := h.run(creates(t, newConfigMap)...)
		assert.Equal(t, `no success within 1m0s: failed calling webhook "w.demo": connection refused`, of(r, "a").Reason)
		assert.Less(t, time.Since(begun), time.Minute)
		assert.Greater(t, time.Since(begun), 50*time.Second)
		assert.Less(t, h.cluster.count("apply"), 20, "with growing pauses")
		assert.Equal(t, []string{
			`Retrying: failed calling webhook "w.demo": connection refused`,
			`Failed: no success within 1m0s: failed calling webhook "w.demo": connection refused`,
		}, h.told("a"), "the same reason is told once")
	})
}

func TestStatusFollowsAsAPatch(t *testing.T) {
	status := map[string]any{"phase": "Active", "count": int64(3)}
	t.Run("taken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			o := creates(t, newConfigMap)[0]
			o.Status = status
			r := h.run(o)
			assert.Equal(t, "patch status ConfigMap x/a application/merge-patch+json", h.cluster.matching("patch")[0])
			assert.Empty(t, r.Warnings)
			assert.Equal(t, "2", h.session.applied["ConfigMap x/a"].ResourceVersion, "the version after the status")
		})
	})
	t.Run("dropped in part", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.touch = func(u *unstructured.Unstructured) {
				unstructured.RemoveNestedField(u.Object, "status", "count")
			}
			o := creates(t, newConfigMap)[0]
			o.Status = status
			r := h.run(o)
			assert.Equal(t, []string{"ConfigMap x/a: the server did not take status.count"}, r.Warnings)
			assert.Equal(t, VerdictDone, r.Verdict)
		})
	})
	t.Run("refused", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.refuse = func(call string) error {
				if strings.HasPrefix(call, "patch") {
					return serverError(403, "Forbidden", "not you")
				}
				return nil
			}
			o := creates(t, newConfigMap)[0]
			o.Status = status
			r := h.run(o)
			assert.Equal(t, []string{"ConfigMap x/a: its status could not be written: not you"}, r.Warnings)
			assert.Equal(t, OutcomeApplied, of(r, "a").Outcome)
			assert.Equal(t, "1", h.session.applied["ConfigMap x/a"].ResourceVersion)
		})
	})
}

func TestDyingObjectsAreNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		h.cluster.change("ConfigMap x/a", func(u *unstructured.Unstructured) {
			now := metav1.Now()
			u.SetDeletionTimestamp(&now)
			u.SetFinalizers([]string{"demo.example/never"})
		})
		r := h.run(h.cluster.over(t, plan.OpUpdate, newConfigMap))
		assert.Equal(t, "it is being deleted (held by demo.example/never): apply again when it is gone", of(r, "a").Reason)
		assert.Empty(t, h.cluster.matching("apply"))
	})
}

func TestObjectsThatDieMeanwhileAreNoSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.touch = func(u *unstructured.Unstructured) {
			now := metav1.Now()
			u.SetDeletionTimestamp(&now)
		}
		r := h.run(creates(t, newConfigMap)...)
		assert.Equal(t, OutcomeFailed, of(r, "a").Outcome)
		assert.True(t, of(r, "a").Written)
	})
}

func TestADyingNamespaceStopsWhatIsInIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ns := `{apiVersion: v1, kind: Namespace, metadata: {name: x}}`
		h.cluster.put(t, ns)
		h.cluster.change("Namespace /x", func(u *unstructured.Unstructured) {
			now := metav1.Now()
			u.SetDeletionTimestamp(&now)
			_ = unstructured.SetNestedStringSlice(u.Object, []string{"kubernetes"}, "spec", "finalizers")
			_ = unstructured.SetNestedSlice(u.Object, []any{map[string]any{
				"type": "NamespaceFinalizersRemaining", "status": "True", "message": "demo.example/never in 1 resource instances",
			}}, "status", "conditions")
		})
		r := h.run(append(creates(t, newConfigMap), h.cluster.over(t, plan.OpNone, ns))...)
		assert.Equal(t, "it is being deleted (held by kubernetes, demo.example/never in 1 resource instances): apply again when it is gone", of(r, "x").Reason)
		assert.Equal(t, OutcomeSkipped, of(r, "a").Outcome)
		assert.Empty(t, h.cluster.matching("apply"))
	})
}

func TestNewKindsAreServedByTheirDefinition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.touch = establish
		unserved := 2
		h.cluster.refuse = func(call string) error {
			if strings.HasPrefix(call, "apply Order") && unserved > 0 {
				unserved--
				return &cluster.ErrNoKind{GroupKind: schema.GroupKind{Group: "demo.example", Kind: "Order"}}
			}
			return nil
		}
		objects := creates(t, orderDefinition+`
---
{apiVersion: demo.example/v1, kind: Order, metadata: {name: first, namespace: x}, spec: {count: 1}, status: {phase: New}}
`)
		objects[1].MappingKnown, objects[1].Mapping = false, cluster.Mapping{}
		r := h.run(objects...)
		assert.Equal(t, Counts{Created: 2}, r.Counts)
		assert.Equal(t, 1, h.cluster.invalidated)
		assert.Empty(t, h.cluster.matching("map"), "the definition says how the kind is served")
		assert.NotContains(t, h.cluster.bodies[len(h.cluster.bodies)-1], "status", "status has a door of its own")
		assert.Len(t, h.cluster.matching("patch status Order"), 1)
		assert.Equal(t, objects[1].Send["status"], map[string]any{"phase": "New"}, "the plan is not changed")
	})
}

const orderDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: orders.demo.example}
spec:
  group: demo.example
  scope: Namespaced
  names: {plural: orders, kind: Order}
  versions: [{name: v1, served: true, subresources: {status: {}}}, {name: v0, served: false}]
`

func establish(u *unstructured.Unstructured) {
	if u.GetKind() == "CustomResourceDefinition" {
		_ = unstructured.SetNestedSlice(u.Object, []any{
			map[string]any{"type": "NamesAccepted", "status": "True"},
			map[string]any{"type": "Established", "status": "True"},
		}, "status", "conditions")
	}
}

func TestKindsOfUnservedVersionsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.touch = establish
		objects := creates(t, orderDefinition+"---\n{apiVersion: demo.example/v0, kind: Order, metadata: {name: first, namespace: x}}")
		objects[1].MappingKnown = false
		r := h.run(objects...)
		assert.Equal(t, "its CustomResourceDefinition does not serve version v0", of(r, "first").Reason)
	})
}

func TestKindsOfAggregatedServersComeFromDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		objects := creates(t, `{apiVersion: wide.example/v1, kind: Thing, metadata: {name: t, namespace: x}}`)
		objects[0].MappingKnown = false
		assert.Equal(t, Counts{Created: 1}, h.run(objects...).Counts)
		assert.Equal(t, []string{"map Thing"}, h.cluster.matching("map"))
	})
}

func TestTextsHoldNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.refuse = func(string) error {
			return serverError(422, "BadRequest", `data: illegal base64 data in "hunter2-hunter2"`)
		}
		r := h.run(creates(t, `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: x}, stringData: {k: hunter2-hunter2}}`)...)
		assert.NotContains(t, of(r, "s").Reason, "hunter2")
		for _, e := range h.events {
			assert.NotContains(t, e.Reason, "hunter2")
		}
	})
}

func TestErrorTextIsShort(t *testing.T) {
	long := "Invalid value: core.PodTemplateSpec{" + strings.Repeat("x: y, ", 900) + "}: field is immutable"
	err := &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: 422, Reason: metav1.StatusReasonInvalid, Message: long,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{
			{Field: "spec.template", Message: long},
			{Field: "<nil>", Message: "something else"},
			{Field: "spec.a", Message: strings.Repeat("w", 1000)},
		}},
	}}
	text := errorText(&cluster.Error{Verb: "apply", Err: err})
	lines := strings.Split(text, "\n")
	assert.Equal(t, "spec.template: field is immutable", lines[0])
	assert.Equal(t, "something else", lines[1])
	assert.Less(t, len(lines[2]), 320)
	assert.Equal(t, "boom", errorText(&cluster.Error{Verb: "apply", Err: errors.New("boom")}), "the object is named elsewhere")
	assert.Empty(t, errorText(nil))
}

func TestBackoff(t *testing.T) {
	assert.Equal(t, 100*time.Millisecond, backoff(1))
	assert.Equal(t, 1600*time.Millisecond, backoff(5))
	assert.Equal(t, 5*time.Second, backoff(7))
	assert.Equal(t, 5*time.Second, backoff(1000))
}
