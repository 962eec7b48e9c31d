package apply

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// trouble is why a Pod does not come up.
type trouble struct {
	// reason is a sentence; empty for a Pod without trouble.
	reason string
	// container is the one to look at, and previous whether its former run is.
	container string
	previous  bool
	rank      int
}

// Ranks of trouble: what names the cause beats what may pass.
const (
	rankPassing = iota + 1
	rankStuck
	rankBroken
)

// troubleOf looks for the container that is in the way. Init containers that
// have done their work are none.
func troubleOf(u *unstructured.Unstructured) trouble {
	pod := &corev1.Pod{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod) != nil {
		return trouble{}
	}
	worst := trouble{}
	for _, c := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		if t := containerTrouble(c); t.rank > worst.rank {
			worst = t
		}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && worst.rank < rankStuck {
			worst = trouble{reason: condition{Reason: c.Reason, Message: c.Message}.text(), rank: rankStuck}
		}
	}
	if worst.rank == 0 && pod.Status.Phase == corev1.PodFailed {
		worst = trouble{reason: condition{Reason: pod.Status.Reason, Message: pod.Status.Message}.text(), rank: rankBroken}
	}
	return worst
}

func containerTrouble(c corev1.ContainerStatus) trouble {
	name := "container " + c.Name + ": "
	switch {
	case c.State.Waiting != nil:
		return waitingTrouble(c, name)
	case c.State.Terminated != nil && c.State.Terminated.ExitCode != 0:
		return trouble{reason: name + exit(c.State.Terminated), container: c.Name, rank: rankBroken}
	case c.State.Running != nil && c.RestartCount > 0 && !c.Ready && c.LastTerminationState.Terminated != nil:
		return trouble{
			reason:    fmt.Sprintf("%srestarted %d times, last %s", name, c.RestartCount, exit(c.LastTerminationState.Terminated)),
			container: c.Name, previous: true, rank: rankBroken,
		}
	default:
		return trouble{}
	}
}

func waitingTrouble(c corev1.ContainerStatus, name string) trouble {
	w := c.State.Waiting
	t := trouble{reason: name + condition{Reason: w.Reason, Message: w.Message}.text(), container: c.Name, rank: rankBroken}
	switch w.Reason {
	case "", "ContainerCreating", "PodInitializing":
		t.rank = rankPassing
	}
	if last := c.LastTerminationState.Terminated; last != nil {
		t.reason = name + w.Reason + ", last " + exit(last)
		t.previous = true
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

// worstPod finds the Pod in the deepest trouble; nil if none has any.
func worstPod(pods []*unstructured.Unstructured) (*unstructured.Unstructured, trouble) {
	var worst *unstructured.Unstructured
	var deepest trouble
	for _, pod := range pods {
		if pod.GetDeletionTimestamp() != nil {
			continue
		}
		if t := troubleOf(pod); t.rank > deepest.rank {
			worst, deepest = pod, t
		}
	}
	return worst, deepest
}
