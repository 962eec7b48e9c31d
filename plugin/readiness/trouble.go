package readiness

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Trouble is why a Pod does not come up.
type Trouble struct {
	// Reason is a sentence; empty for a Pod without trouble.
	Reason string
	// Container is the one to look at, and Previous whether its former run is.
	Container string
	Previous  bool
	rank      int
}

// Ranks of trouble: what names the cause beats what may pass.
const (
	rankPassing = iota + 1
	rankStuck
	rankBroken
)

// TroubleOf looks for the container that is in the way. Init containers that
// have done their work are none.
func TroubleOf(u *unstructured.Unstructured) Trouble {
	pod := &corev1.Pod{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod) != nil {
		return Trouble{}
	}
	worst := Trouble{}
	for _, c := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		if t := containerTrouble(c); t.rank > worst.rank {
			worst = t
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && worst.rank < rankStuck {
			worst = Trouble{Reason: Condition{Reason: c.Reason, Message: c.Message}.Text(), rank: rankStuck}
		}
	}
	if worst.rank == 0 && pod.Status.Phase == corev1.PodFailed {
		worst = Trouble{Reason: Condition{Reason: pod.Status.Reason, Message: pod.Status.Message}.Text(), rank: rankBroken}
	}
	return worst
}

func containerTrouble(c corev1.ContainerStatus) Trouble {
	name := "container " + c.Name + ": "
	switch {
	case c.State.Waiting != nil:
		return waitingTrouble(c, name)
	case c.State.Terminated != nil && c.State.Terminated.ExitCode != 0:
		return Trouble{Reason: name + exit(c.State.Terminated), Container: c.Name, rank: rankBroken}
	case c.State.Running != nil && c.RestartCount > 0 && !c.Ready && c.LastTerminationState.Terminated != nil:
		return Trouble{
			Reason:    fmt.Sprintf("%srestarted %d times, last %s", name, c.RestartCount, exit(c.LastTerminationState.Terminated)),
			Container: c.Name, Previous: true, rank: rankBroken,
		}
	default:
		return Trouble{}
	}
}

func waitingTrouble(c corev1.ContainerStatus, name string) Trouble {
	w := c.State.Waiting
	t := Trouble{Reason: name + Condition{Reason: w.Reason, Message: w.Message}.Text(), Container: c.Name, rank: rankBroken}
	switch w.Reason {
	case "", "ContainerCreating", "PodInitializing":
		t.rank = rankPassing
	}
	if last := c.LastTerminationState.Terminated; last != nil {
		t.Reason = name + w.Reason + ", last " + exit(last)
		t.Previous = true
	}
	return t
}

func exit(s *corev1.ContainerStateTerminated) string {
	text := fmt.Sprintf("exit code %d", s.ExitCode)
	if s.Reason != "" && s.Reason != "Error" {
		text += " (" + s.Reason + ")"
	}
	return text
}

// WorstPod finds the Pod in the deepest trouble; nil if none has any.
func WorstPod(pods []*unstructured.Unstructured) (*unstructured.Unstructured, Trouble) {
	var worst *unstructured.Unstructured
	var deepest Trouble
	for _, pod := range pods {
		if pod.GetDeletionTimestamp() != nil {
			continue
		}
		if t := TroubleOf(pod); t.rank > deepest.rank {
			worst, deepest = pod, t
		}
	}
	return worst, deepest
}
