package readiness

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// live reads an object as the server would answer it.
func live(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
	return set.Objects[0].Unstructured()
}

func ready(note string) Verdict { return Verdict{State: Ready, Note: note} }

func TestOf(t *testing.T) {
	const dep = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: x, generation: 1}\n"
	const ds = "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a, namespace: x, generation: 1}\n"
	const sts = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a, namespace: x, generation: 1}\n"
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a, namespace: x}\n"
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n"
	const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\n"
	const cr = "apiVersion: demo.example/v1\nkind: Pool\nmetadata: {name: a, namespace: x, generation: 2}\n"
	const carvel = "apiVersion: kappctrl.k14s.io/v1alpha1\nkind: App\nmetadata: {name: a, namespace: x, generation: 2}\n"
	const onDelete = "spec: {updateStrategy: {type: OnDelete}}\n"
	unseen := waiting("its controller has not looked at it yet")
	for name, c := range map[string]struct {
		text string
		want Verdict
	}{
		"ConfigMap": {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}", ready("")},
		"Namespace": {"{apiVersion: v1, kind: Namespace, metadata: {name: a}, status: {phase: Active}}", ready("")},
		"dying": {
			`{apiVersion: v1, kind: Namespace, metadata: {name: a, deletionTimestamp: "2026-01-01T00:00:00Z"}, spec: {finalizers: [kubernetes]}}`,
			failed("it is being deleted (held by kubernetes): apply again when it is gone"),
		},

		"App new": {carvel, unseen},
		"App at work": {
			carvel + "status: {observedGeneration: 2, conditions: [{type: Reconciling, status: \"True\"}]}", waiting("it is being reconciled"),
		},
		"App failed": {
			carvel + "status: {observedGeneration: 2, usefulErrorMessage: no such image, conditions: [{type: ReconcileFailed, status: \"True\"}]}",
			failed("no such image"),
		},
		"App that can't go": {
			carvel + "status: {observedGeneration: 2, conditions: [{type: DeleteFailed, status: \"True\", message: it hangs}]}",
			failed("DeleteFailed: it hangs"),
		},
		"App done": {carvel + "status: {observedGeneration: 2, conditions: [{type: ReconcileSucceeded, status: \"True\"}]}", ready("")},

		"Job new":      {job, waiting("not complete: 0 active, 0 succeeded, 0 failed")},
		"Job running":  {job + `status: {active: 1, startTime: "2026-01-01T00:00:00Z"}`, waiting("not complete: 1 active, 0 succeeded, 0 failed")},
		"Job complete": {job + "status: {conditions: [{type: Complete, status: \"True\"}]}", ready("")},
		"Job failed (W01)": {
			job + "status: {conditions: [{type: FailureTarget, status: \"True\"}, {type: Failed, status: \"True\", reason: BackoffLimitExceeded, message: limit}]}",
			failed("BackoffLimitExceeded: limit"),
		},
		"Job about to fail (W01)": {
			job + "status: {failed: 1, conditions: [{type: FailureTarget, status: \"True\", reason: BackoffLimitExceeded}]}",
			waiting("not complete: 0 active, 0 succeeded, 1 failed"),
		},
		"Job suspended": {job + "spec: {suspend: true}", ready("it is suspended and will not run until somebody resumes it")},

		"Deployment new": {dep, waiting("Replicas: 0/1")},
		"Deployment with an old Pod ready (W03)": {
			dep + "status: {observedGeneration: 1, replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, unavailableReplicas: 1}",
			waiting("Pending termination: 1"),
		},
		"Deployment not observed": {
			dep + "status: {observedGeneration: 0, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1}",
			waiting("Deployment generation is 1, but latest observed generation is 0"),
		},
		"Deployment done (W03)": {
			dep + "status: {observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, conditions: [" +
				"{type: Available, status: \"True\"}, {type: Progressing, status: \"True\", reason: NewReplicaSetAvailable}]}", ready(""),
		},
		"Deployment without quota (W11)": {
			dep + "status: {observedGeneration: 1, replicas: 0, conditions: [{type: ReplicaFailure, status: \"True\", reason: FailedCreate, message: exceeded quota}]}",
			waiting("Replicas: 0/1; FailedCreate: exceeded quota"),
		},
		"Deployment too slow": {
			dep + "status: {observedGeneration: 1, conditions: [{type: Progressing, status: \"False\", reason: ProgressDeadlineExceeded, message: too slow}]}",
			failed("ProgressDeadlineExceeded: too slow"),
		},

		"DaemonSet OnDelete new (W05)": {ds + onDelete, unseen},
		"DaemonSet OnDelete, old Pods ready (W05)": {
			ds + onDelete + "status: {observedGeneration: 1, currentNumberScheduled: 2, desiredNumberScheduled: 2, numberAvailable: 2, numberReady: 2, updatedNumberScheduled: 0}",
			ready("its update strategy is OnDelete: 2 Pods are of an older version until somebody deletes them"),
		},
		"DaemonSet OnDelete, a Pod not ready": {
			ds + onDelete + "status: {observedGeneration: 1, currentNumberScheduled: 2, desiredNumberScheduled: 2, numberAvailable: 1, numberReady: 2}",
			waiting("1 of 2 Pods ready"),
		},
		"DaemonSet OnDelete, a Pod missing": {
			ds + onDelete + "status: {observedGeneration: 1, currentNumberScheduled: 1, desiredNumberScheduled: 2}", waiting("1 of 2 Pods scheduled"),
		},
		"DaemonSet without nodes (W05)": {
			ds + "status: {observedGeneration: 1, currentNumberScheduled: 0, desiredNumberScheduled: 0, numberReady: 0}", ready(""),
		},
		"DaemonSet rolling": {
			ds + "status: {observedGeneration: 1, currentNumberScheduled: 2, desiredNumberScheduled: 2, numberAvailable: 2, numberReady: 2, updatedNumberScheduled: 1}",
			waiting("Updated: 1/2"),
		},

		"StatefulSet of zero, new (W05)":      {sts + "spec: {replicas: 0}\nstatus: {replicas: 0}", unseen},
		"StatefulSet of zero, observed (W05)": {sts + "spec: {replicas: 0}\nstatus: {observedGeneration: 1, replicas: 0}", ready("")},
		"StatefulSet not observed": {
			sts + "spec: {replicas: 0}\nstatus: {observedGeneration: 0, replicas: 0}",
			waiting("its controller has seen generation 0 of 1"),
		},
		"StatefulSet partition (W05)": {
			sts + "spec: {replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: 2}}}\n" +
				"status: {observedGeneration: 1, replicas: 3, readyReplicas: 3, availableReplicas: 3, currentReplicas: 2, updatedReplicas: 1, currentRevision: r1, updateRevision: r2}",
			ready(""),
		},
		"StatefulSet OnDelete": {
			sts + onDelete + "status: {observedGeneration: 1, replicas: 1, readyReplicas: 1, updatedReplicas: 0}",
			ready("its update strategy is OnDelete: 1 Pods are of an older version until somebody deletes them"),
		},
		"StatefulSet OnDelete, not ready": {sts + onDelete + "status: {observedGeneration: 1, replicas: 1}", waiting("0 of 1 Pods ready")},
		"StatefulSet OnDelete, no Pods":   {sts + onDelete + "status: {observedGeneration: 1}", waiting("0 of 1 Pods there")},
		"StatefulSet OnDelete, new":       {sts + onDelete, unseen},

		"Pod new":       {pod, waiting("Pod phase not available")},
		"Pod ready":     {pod + "status: {phase: Running, conditions: [{type: Ready, status: \"True\"}]}", ready("")},
		"Pod succeeded": {pod + "status: {phase: Succeeded}", ready("")},
		"Pod failed": {
			pod + "status: {phase: Failed, containerStatuses: [{name: m, state: {terminated: {exitCode: 3}}}]}",
			failed("the Pod has failed: container m: exit code 3"),
		},
		"Pod pulling (W11)": {
			pod + "status: {phase: Pending, initContainerStatuses: [{name: i, state: {terminated: {exitCode: 0}}}], " +
				"containerStatuses: [{name: m, state: {waiting: {reason: ImagePullBackOff}}}]}",
			waiting("Pod is in the Pending phase: container m: ImagePullBackOff"),
		},
		"Pod crashing": {
			pod + "status: {phase: Running, containerStatuses: [{name: m, restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, reason: Error}}}]}",
			failed("Containers in CrashLoop state: m: container m: CrashLoopBackOff, last exit code 1"),
		},
		"Pod without a node": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x, creationTimestamp: \"2020-01-01T00:00:00Z\"}\n" +
				"status: {phase: Pending, conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no room}]}",
			waiting("Pod could not be scheduled: Unschedulable: no room"),
		},
		"Pod of an unknown phase": {pod + "status: {phase: Odd}", waiting("its phase is not known")},

		"CRD new":         {crd, waiting("Install in progress")},
		"CRD established": {crd + "status: {conditions: [{type: Established, status: \"True\"}]}", ready("")},
		"CRD without its names (W09)": {
			crd + "status: {conditions: [{type: NamesAccepted, status: \"False\", reason: ListKindConflict, message: taken}]}", failed("taken"),
		},
		"APIService new":       {"{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.a}}", waiting("not looked at yet")},
		"APIService available": {"{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.a}, status: {conditions: [{type: Available, status: \"True\"}]}}", ready("")},
		"APIService broken": {
			"{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.a}, status: {conditions: [{type: Available, status: \"False\", reason: ServiceNotFound, message: none}]}}",
			waiting("ServiceNotFound: none"),
		},
		"Service": {"{apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}, spec: {clusterIP: 10.0.0.1}}", ready("")},
		"Service of another name": {
			"{apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}, spec: {type: ExternalName, externalName: example.org}}", ready(""),
		},
		// The address from outside may never come, where nobody gives any.
		"Service of a load balancer": {
			"{apiVersion: v1, kind: Service, metadata: {name: a, namespace: x}, spec: {type: LoadBalancer, clusterIP: 10.0.0.1}, status: {loadBalancer: {}}}", ready(""),
		},
		"CronJob":               {"{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: x}}", ready("")},
		"ReplicaSet new":        {"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a, namespace: x, generation: 1}, spec: {replicas: 1}}", unseen},
		"custom, no status":     {cr, ready("")},
		"custom, ready":         {cr + "status: {conditions: [{type: Ready, status: \"True\"}]}", ready("")},
		"custom, not ready":     {cr + "status: {conditions: [{type: Ready, status: \"False\", message: soon}]}", waiting("soon")},
		"custom, stalled":       {cr + "status: {conditions: [{type: Stalled, status: \"True\", message: stuck}]}", failed("stuck")},
		"custom, ready for old": {cr + "status: {conditions: [{type: Ready, status: \"True\", observedGeneration: 1}]}", waiting("condition Ready is about generation 1 of 2")},
		"custom, ready for new": {cr + "status: {conditions: [{type: Ready, status: \"True\", observedGeneration: 2}]}", ready("")},
		"custom, odd status": {
			cr + "status: {conditions: {a: b}}",
			ready("its status has an unusual form, so readiness could not be told"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, Of(live(t, c.text)))
		})
	}
}

func TestOfNothing(t *testing.T) {
	assert.Equal(t, waiting("not seen yet"), Of(nil))
	assert.Equal(t, waiting("not seen yet"), Of(&unstructured.Unstructured{}))
}

func FuzzOf(f *testing.F) {
	for _, kind := range []string{"Job", "Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "Pod", "Namespace"} {
		f.Add(kind, "Ready", "True", int64(1), true)
	}
	f.Fuzz(func(t *testing.T, kind, condition, status string, count int64, list bool) {
		var conditions any = map[string]any{"type": condition}
		if list {
			conditions = []any{map[string]any{"type": condition, "status": status, "observedGeneration": count}, "text", nil}
		}
		for _, group := range []string{"v1", "apps/v1", "batch/v1", "demo.example/v1"} {
			u := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": group, "kind": kind, "metadata": map[string]any{"generation": count},
				"spec":   map[string]any{"replicas": count, "updateStrategy": map[string]any{"type": status}},
				"status": map[string]any{"conditions": conditions, "observedGeneration": count, "phase": status},
			}}
			if r := Of(u); r.State != Ready && r.Reason == "" {
				t.Errorf("not ready without a reason: %v", u.Object)
			}
		}
	})
}

func TestTroubleOf(t *testing.T) {
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n"
	for name, c := range map[string]struct {
		text string
		want Trouble
	}{
		"none":            {pod + "status: {phase: Running, containerStatuses: [{name: m, ready: true, state: {running: {}}}]}", Trouble{}},
		"creating passes": {pod + "status: {containerStatuses: [{name: m, state: {waiting: {reason: ContainerCreating}}}]}", Trouble{Reason: "container m: ContainerCreating", Container: "m", rank: rankPassing}},
		"crash loop": {
			pod + "status: {containerStatuses: [{name: ok, state: {running: {}}}, {name: m, state: {waiting: {reason: CrashLoopBackOff, message: back-off}}, lastState: {terminated: {exitCode: 137, reason: OOMKilled}}}]}",
			Trouble{Reason: "container m: CrashLoopBackOff, last exit code 137 (OOMKilled)", Container: "m", Previous: true, rank: rankBroken},
		},
		"restarted and not ready": {
			pod + "status: {containerStatuses: [{name: m, restartCount: 3, state: {running: {}}, lastState: {terminated: {exitCode: 2}}}]}",
			Trouble{Reason: "container m: restarted 3 times, last exit code 2", Container: "m", Previous: true, rank: rankBroken},
		},
		"init container": {
			pod + "status: {initContainerStatuses: [{name: i, state: {terminated: {exitCode: 1}}}], containerStatuses: [{name: m, state: {waiting: {reason: PodInitializing}}}]}",
			Trouble{Reason: "container i: exit code 1", Container: "i", rank: rankBroken},
		},
		"unschedulable": {
			pod + "status: {conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no room}]}",
			Trouble{Reason: "Unschedulable: no room", rank: rankStuck},
		},
		"evicted":   {pod + "status: {phase: Failed, reason: Evicted, message: disk}", Trouble{Reason: "Evicted: disk", rank: rankBroken}},
		"odd shape": {pod + "status: {containerStatuses: text}", Trouble{}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, TroubleOf(live(t, c.text)))
		})
	}
}

func TestWorstPodLeavesDyingOnesOut(t *testing.T) {
	a := live(t, `{apiVersion: v1, kind: Pod, metadata: {name: a, deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {phase: Failed, reason: Evicted}}`)
	b := live(t, `{apiVersion: v1, kind: Pod, metadata: {name: b}, status: {containerStatuses: [{name: m, state: {waiting: {reason: ContainerCreating}}}]}}`)
	pod, found := WorstPod([]*unstructured.Unstructured{a, b})
	assert.Equal(t, "b", pod.GetName())
	assert.Equal(t, "container m: ContainerCreating", found.Reason)
	pod, _ = WorstPod(nil)
	assert.Nil(t, pod)
}
