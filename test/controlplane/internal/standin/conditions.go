package standin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	reasonNotReady       = "ContainersNotReady"
	reasonNotInitialized = "ContainersNotInitialized"
	reasonCompleted      = "PodCompleted"
	reasonFailed         = "PodFailed"
	reasonGates          = "ReadinessGatesNotReady"
)

// setConditions sets the conditions that a kubelet owns and keeps the others.
func setConditions(pod *corev1.Pod, status *corev1.PodStatus, outcome fate, clock Clock) {
	ready, reason := readiness(outcome)
	podReady, podReason := ready, reason
	if ready == corev1.ConditionTrue && !gatesOpen(pod) {
		podReady, podReason = corev1.ConditionFalse, reasonGates
	}
	initialized, initReason := corev1.ConditionTrue, ""
	if outcome.state == stateWaiting && len(pod.Spec.InitContainers) > 0 {
		initialized, initReason = corev1.ConditionFalse, reasonNotInitialized
	}
	set := func(kind corev1.PodConditionType, value corev1.ConditionStatus, reason string) {
		setCondition(status, corev1.PodCondition{
			Type: kind, Status: value, Reason: reason, ObservedGeneration: pod.Generation,
			LastTransitionTime: metav1.NewTime(clock.Now),
		})
	}
	set(corev1.PodReadyToStartContainers, corev1.ConditionTrue, "")
	set(corev1.PodInitialized, initialized, initReason)
	set(corev1.PodReady, podReady, podReason)
	set(corev1.ContainersReady, ready, reason)
	set(corev1.PodScheduled, corev1.ConditionTrue, "")
}

func readiness(outcome fate) (corev1.ConditionStatus, string) {
	switch {
	case outcome.state == stateReady:
		return corev1.ConditionTrue, ""
	case outcome.state != stateEnded:
		return corev1.ConditionFalse, reasonNotReady
	case outcome.exitCode != 0:
		return corev1.ConditionFalse, reasonFailed
	default:
		return corev1.ConditionFalse, reasonCompleted
	}
}

// gatesOpen tells whether all readiness gates are true.
func gatesOpen(pod *corev1.Pod) bool {
	for _, gate := range pod.Spec.ReadinessGates {
		if condition := findCondition(&pod.Status, gate.ConditionType); condition == nil || condition.Status != corev1.ConditionTrue {
			return false
		}
	}
	return true
}

func findCondition(status *corev1.PodStatus, kind corev1.PodConditionType) *corev1.PodCondition {
	for i := range status.Conditions {
		if status.Conditions[i].Type == kind {
			return &status.Conditions[i]
		}
	}
	return nil
}

// setCondition keeps the transition time while the value stays.
func setCondition(status *corev1.PodStatus, condition corev1.PodCondition) {
	old := findCondition(status, condition.Type)
	if old == nil {
		status.Conditions = append(status.Conditions, condition)
		return
	}
	if old.Status == condition.Status {
		condition.LastTransitionTime = old.LastTransitionTime
	}
	*old = condition
}
