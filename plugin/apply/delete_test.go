package apply

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/apply/prune"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/state"
)

const oldConfigMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: x}}`

// pruning plans the deletion of a live object beside new ones.
func pruning(t *testing.T, h *harness, text string) *plan.Object {
	h.cluster.put(t, text)
	return h.cluster.over(t, plan.OpDelete, text)
}

func TestPruneComesLastAndIsConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		old := pruning(t, h, oldConfigMap)
		r := h.run(append([]*plan.Object{old}, creates(t, twoConfigMaps)...)...)
		assert.Equal(t, Counts{Created: 2, Deleted: 1}, r.Counts)
		calls := h.cluster.matching("apply", "delete", "get")
		assert.Equal(t, []string{"delete ConfigMap x/old", "get ConfigMap x/old"}, calls[2:])
		assert.Equal(t, []string{"ConfigMap x/old"}, h.session.removed)
		assert.Equal(t, cluster.DeleteOptions{UID: old.UID, ResourceVersion: old.ResourceVersion, Propagation: metav1.DeletePropagationBackground}, h.cluster.deletes[0])
		assert.Equal(t, []bool{true}, h.session.saves)
		assert.Equal(t, []string{"Deleted"}, h.told("old"))
	})
}

// A server that says of which object it is rid need not be asked once more.
func TestPruneBelievesAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.outspoken = true
		old := pruning(t, h, oldConfigMap)
		r := h.run(old)
		assert.Equal(t, Counts{Deleted: 1}, r.Counts)
		assert.Equal(t, []string{"delete ConfigMap x/old"}, h.cluster.matching("delete", "get"))
		assert.Equal(t, []string{"ConfigMap x/old"}, h.session.removed)

		held := pruning(t, h, `{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: x, finalizers: [example.com/hold]}}`)
		time.AfterFunc(time.Minute, func() { h.cluster.remove("ConfigMap x/held") })
		assert.Equal(t, Counts{Deleted: 1}, h.run(held).Counts)
		assert.Contains(t, h.cluster.matching("get"), "get ConfigMap x/held")
	})
}

func TestPruneWaitsForTheRollout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		old := pruning(t, h, oldConfigMap)
		time.AfterFunc(time.Minute, func() {
			assert.True(t, h.cluster.has("ConfigMap x/old"))
			h.cluster.change("Deployment x/d", rollOut)
		})
		r := h.run(append(creates(t, aDeployment), old)...)
		assert.Equal(t, OutcomeDeleted, of(r, "old").Outcome)
	})
}

func TestPruneDoesNotHappen(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(*harness, []*plan.Object) []*plan.Object
		reason  string
		verdict Verdict
	}{
		"after a refusal": {func(_ *harness, o []*plan.Object) []*plan.Object {
			o[0].Op = plan.OpRefuse
			return o
		}, "nothing is deleted before everything else is done: ConfigMap x/a was refused", VerdictRefused},
		"after a failure": {func(h *harness, o []*plan.Object) []*plan.Object {
			h.cluster.refuse = func(call string) error {
				if call == "apply ConfigMap x/b" {
					return serverError(403, "Forbidden", "no")
				}
				return nil
			}
			return o
		}, "nothing is deleted before everything else is done: ConfigMap x/b failed", VerdictFailed},
		"when a rollout is stuck, even one that the run did not change": {func(h *harness, o []*plan.Object) []*plan.Object {
			h.cluster.put(h.t, aDeployment)
			return append(o, h.cluster.over(h.t, plan.OpNone, aDeployment))
		}, "nothing is deleted before everything else is done: Deployment.apps x/d is not ready", VerdictRefused},
		"beyond the limit": {func(h *harness, o []*plan.Object) []*plan.Object {
			h.exec.Policy.MaxPrune, _ = prune.ParseLimit("0")
			return o
		}, "1 objects would be deleted and --max-prune 0 allows 0", VerdictRefused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				old := pruning(t, h, oldConfigMap)
				r := h.run(append(c.prepare(h, creates(t, twoConfigMaps)), old)...)
				assert.Equal(t, OutcomeRefused, of(r, "old").Outcome)
				assert.Equal(t, c.reason, of(r, "old").Reason)
				assert.Equal(t, c.verdict, r.Verdict)
				assert.Empty(t, h.cluster.matching("delete"))
				assert.Empty(t, h.session.removed, "it stays in the record")
			})
		})
	}
}

func TestPruneKeeps(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		outcome Outcome
		forgets bool
	}{
		"what says so":    {`{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: x, annotations: {helm.sh/resource-policy: keep}}}`, OutcomeKept, true},
		"what has a boss": {`{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: x, ownerReferences: [{kind: A, name: b, controller: true}]}}`, OutcomeKept, false},
		"namespaces":      {`{apiVersion: v1, kind: Namespace, metadata: {name: old}}`, OutcomeRefused, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				r := h.run(pruning(t, h, c.text))
				assert.Equal(t, c.outcome, of(r, "old").Outcome)
				assert.Equal(t, c.forgets, len(h.session.removed) == 1)
				assert.Empty(t, h.cluster.matching("delete"))
			})
		})
	}
}

func TestPruneKeepsWhatTheRunApplied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.cluster.put(t, wasConfigMap)
		wanted := h.cluster.over(t, plan.OpUpdate, newConfigMap)
		same := *wanted
		same.Op, same.Ref.Group, same.Ref.Name = plan.OpDelete, "other.example", "old"
		same.Desired, same.Send = object.Object{}, nil
		r := h.run(wanted, &same)
		assert.Equal(t, OutcomeKept, of(r, "old").Outcome)
		assert.Equal(t, "it is the same object as ConfigMap x/a, which the files want", of(r, "old").Reason)
		assert.Len(t, h.session.removed, 1)
	})
}

func TestPruneOfAnotherObjectWithTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		old := pruning(t, h, oldConfigMap)
		h.cluster.remove("ConfigMap x/old")
		h.cluster.put(t, oldConfigMap)
		r := h.run(old)
		assert.True(t, h.cluster.has("ConfigMap x/old"))
		assert.Equal(t, OutcomeDeleted, of(r, "old").Outcome)
		assert.Equal(t, []string{"it was gone already; another object has its name now and was not touched"}, of(r, "old").Notes)
		assert.Equal(t, []string{"ConfigMap x/old"}, h.session.removed, "ours is gone")
	})
}

func TestPruneOfWhatIsGone(t *testing.T) {
	gone := map[string]error{"object": nil, "kind": &cluster.ErrNoKind{}}
	for name, err := range gone {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				old := pruning(t, h, oldConfigMap)
				h.cluster.remove("ConfigMap x/old")
				h.cluster.refuse = func(string) error { return err }
				r := h.run(old)
				assert.Equal(t, VerdictDone, r.Verdict)
				assert.Len(t, h.session.removed, 1)
			})
		})
	}
	t.Run("kind that the plan could not look up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			old := pruning(t, h, oldConfigMap)
			old.MappingKnown = false
			assert.Equal(t, Counts{Deleted: 1}, h.run(old).Counts)
			assert.Empty(t, h.cluster.matching("delete"))
		})
	})
}

func TestPruneOfABrokenAPIIsNotTakenForGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		old := pruning(t, h, oldConfigMap)
		h.cluster.refuse = func(string) error { return &cluster.ErrUnavailable{} }
		r := h.run(old)
		assert.Equal(t, OutcomeFailed, of(r, "old").Outcome)
		assert.Empty(t, h.session.removed)
	})
}

func TestPruneLooksAgainAtWhatHasChanged(t *testing.T) {
	t.Run("and deletes it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			old := pruning(t, h, oldConfigMap)
			h.cluster.change("ConfigMap x/old", elsewhere)
			assert.Equal(t, OutcomeDeleted, of(h.run(old), "old").Outcome)
			assert.Equal(t, 2, h.cluster.count("delete"))
		})
	})
	t.Run("and keeps what now says so", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			old := pruning(t, h, oldConfigMap)
			h.cluster.change("ConfigMap x/old", func(u *unstructured.Unstructured) {
				u.SetAnnotations(map[string]string{"helm.sh/resource-policy": "keep"})
			})
			assert.Equal(t, OutcomeKept, of(h.run(old), "old").Outcome)
			assert.True(t, h.cluster.has("ConfigMap x/old"))
		})
	})
	t.Run("and ends by insisting on the uid alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			old := pruning(t, h, oldConfigMap)
			h.cluster.refuse = func(call string) error {
				if call == "delete ConfigMap x/old" {
					u := h.cluster.objects["ConfigMap x/old"]
					h.cluster.store("ConfigMap x/old", u.DeepCopy())
				}
				return nil
			}
			assert.Equal(t, OutcomeDeleted, of(h.run(old), "old").Outcome)
			last := h.cluster.deletes[len(h.cluster.deletes)-1]
			assert.Equal(t, cluster.DeleteOptions{UID: old.UID, Propagation: metav1.DeletePropagationBackground}, last)
		})
	})
}

func TestDeletionHeldByAFinalizer(t *testing.T) {
	held := `{apiVersion: demo.example/v1, kind: Boat, metadata: {name: old, namespace: x, finalizers: [demo.example/dock]}}`
	t.Run("is waited for", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			old := pruning(t, h, held)
			time.AfterFunc(20*time.Second, func() { h.cluster.remove("Boat x/old") })
			r := h.run(old)
			assert.Equal(t, OutcomeDeleted, of(r, "old").Outcome)
			assert.Equal(t, []string{"Waiting: held by demo.example/dock", "Deleted"}, h.told("old"))
			assert.Equal(t, []string{"watch Boat x"}, h.cluster.matching("watch"))
			assert.Len(t, h.session.removed, 1)
		})
	})
	t.Run("fails with the holder's name and stops what comes after it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.exec.Policy.Guards, h.exec.Policy.ObjectTimeout = nil, 10*time.Second
			old := pruning(t, h, held)
			crd := pruning(t, h, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: boats.demo.example},
  spec: {group: demo.example, names: {kind: Boat}}}`)
			ns := pruning(t, h, `{apiVersion: v1, kind: Namespace, metadata: {name: x}}`)
			other := pruning(t, h, `{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: x}}`)
			r := h.run(ns, crd, old, other)
			assert.Equal(t, "not gone after 10s: held by demo.example/dock", of(r, "old").Reason)
			assert.Equal(t, OutcomeSkipped, of(r, "x").Outcome)
			assert.Equal(t, OutcomeSkipped, of(r, "boats.demo.example").Outcome)
			assert.Equal(t, OutcomeDeleted, of(r, "other").Outcome)
			assert.Equal(t, []string{"ConfigMap x/other"}, h.session.removed)
		})
	})
	t.Run("is waited for even without waiting", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.exec.Policy.NoWait = true
			old := pruning(t, h, held)
			time.AfterFunc(time.Second, func() { h.cluster.remove("Boat x/old") })
			assert.Equal(t, OutcomeDeleted, of(h.run(old), "old").Outcome)
		})
	})
}

func TestKeptObjectsKeepWhatTheyNeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.exec.Policy.Guards = []prune.Filter{prune.DefaultAnnotations()}
		ns := pruning(t, h, `{apiVersion: v1, kind: Namespace, metadata: {name: x}}`)
		kept := pruning(t, h, `{apiVersion: v1, kind: ConfigMap, metadata: {name: old, namespace: x, annotations: {helm.sh/resource-policy: keep}}}`)
		r := h.run(ns, kept)
		assert.Equal(t, OutcomeSkipped, of(r, "x").Outcome)
		assert.Equal(t, "ConfigMap x/old was kept and needs it (its namespace)", of(r, "x").Reason)
	})
}

func TestReplace(t *testing.T) {
	replacing := func(t *testing.T, h *harness, live string) *plan.Object {
		h.cluster.put(t, live)
		return h.cluster.over(t, plan.OpReplace, newConfigMap)
	}
	t.Run("deletes and creates", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			o := replacing(t, h, wasConfigMap)
			r := h.run(o)
			assert.Equal(t, Counts{Replaced: 1}, r.Counts)
			assert.Equal(t, []string{"delete ConfigMap x/a", "get ConfigMap x/a", "apply ConfigMap x/a"}, h.cluster.matching(""))
			assert.NotEqual(t, o.UID, h.cluster.objects["ConfigMap x/a"].GetUID())
			meta, _ := h.cluster.bodies[0]["metadata"].(map[string]any)
			assert.NotContains(t, meta, "uid")
			assert.Empty(t, h.session.removed)
			assert.Contains(t, h.session.applied, "ConfigMap x/a")
		})
	})
	held := `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x, finalizers: [demo/f]}}`
	t.Run("waits until the old one is gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			o := replacing(t, h, held)
			time.AfterFunc(30*time.Second, func() { h.cluster.remove("ConfigMap x/a") })
			r := h.run(o)
			assert.Equal(t, Counts{Replaced: 1}, r.Counts)
			assert.Equal(t, 30*time.Second, of(r, "a").Elapsed)
		})
	})
	t.Run("is interrupted in between", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			h.cluster.delay = time.Second
			o := replacing(t, h, wasConfigMap)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(500*time.Millisecond, cancel)
			r := h.runIn(ctx, o)
			assert.Equal(t, OutcomeLeft, of(r, "a").Outcome)
			assert.Equal(t, "interrupted after it was deleted and before it was created again", of(r, "a").Reason)
			assert.Empty(t, h.session.removed, "it stays in the record, so the next run creates it")
		})
	})
	t.Run("does not touch another object with the name", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			o := replacing(t, h, wasConfigMap)
			h.cluster.remove("ConfigMap x/a")
			theirs := h.cluster.put(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}, data: {theirs: "1"}}`)
			h.cluster.refuse = func(call string) error {
				if call == "apply ConfigMap x/a" {
					return fieldConflict(".data.k")
				}
				return nil
			}
			r := h.run(o)
			assert.Equal(t, OutcomeFailed, of(r, "a").Outcome)
			assert.Equal(t, theirs.GetUID(), h.cluster.objects["ConfigMap x/a"].GetUID())
		})
	})
	t.Run("tries the second half again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := newHarness(t)
			o := replacing(t, h, wasConfigMap)
			refusals := 2
			h.cluster.refuse = func(call string) error {
				if call == "apply ConfigMap x/a" && refusals > 0 {
					refusals--
					return serverError(500, "InternalError", "failed calling webhook")
				}
				return nil
			}
			assert.Equal(t, Counts{Replaced: 1}, h.run(o).Counts)
			assert.Equal(t, 1, h.cluster.count("delete"))
		})
	})
}

func TestDeletionThatCanNotBeConfirmedFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		old := pruning(t, h, oldConfigMap)
		h.cluster.refuse = func(call string) error {
			if call == "get ConfigMap x/old" {
				return errors.New("connection refused")
			}
			return nil
		}
		r := h.run(old)
		assert.Equal(t, "look whether it is gone: connection refused", of(r, "old").Reason)
		assert.Empty(t, h.session.removed)
	})
}

func TestRecordedCountsAllRecords(t *testing.T) {
	r := &run{records: map[string]*state.Record{"a": {Entries: make([]state.Entry, 3)}, "b": nil, "c": {Entries: make([]state.Entry, 2)}}}
	assert.Equal(t, 5, r.recorded())
}

func TestUIDOf(t *testing.T) {
	assert.Equal(t, types.UID("u"), uidOf(map[string]any{"metadata": map[string]any{"uid": "u"}}))
	assert.Empty(t, uidOf(nil))
}

// A server that is just starting answers 404 for paths that it will serve: the
// object is not taken for gone, or nobody would know of it any more.
func TestDeletionIsNotMisledByAPathThatIsNotThere(t *testing.T) {
	notServed := serverError(404, "NotFound", "the server could not find the requested resource")
	for name, c := range map[string]struct {
		times   int
		kind    error // what discovery says of it
		outcome Outcome
		deleted bool
	}{
		"for a moment":              {2, nil, OutcomeDeleted, true},
		"for good":                  {1000, nil, OutcomeFailed, false},
		"and so says discovery":     {1000, &cluster.ErrNoKind{}, OutcomeDeleted, false},
		"and discovery says naught": {1000, serverError(500, "InternalError", "no"), OutcomeFailed, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				old := pruning(t, h, oldConfigMap)
				left := c.times
				h.cluster.refuse = func(call string) error {
					if call == "map ConfigMap" {
						return c.kind
					}
					if strings.HasPrefix(call, "delete ConfigMap") && left > 0 {
						left--
						return notServed
					}
					return nil
				}
				r := h.run(old)
				assert.Equal(t, c.outcome, of(r, "old").Outcome, of(r, "old").Reason)
				assert.Equal(t, c.deleted, !h.cluster.has("ConfigMap x/old"))
				assert.Equal(t, c.outcome == OutcomeDeleted, len(h.session.removed) == 1)
			})
		})
	}
}
