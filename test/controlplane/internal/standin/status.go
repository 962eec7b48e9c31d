package standin

import (
	"fmt"
	"hash/fnv"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// nodeAddress is the address of every node: the kubelet's server listens there.
const nodeAddress = "127.0.0.1"

// newStatus builds the status of a Pod with the given fate. What others wrote
// into the present status, such as readiness gates, stays.
func newStatus(pod *corev1.Pod, outcome fate, clock Clock) *corev1.PodStatus {
	status := pod.Status.DeepCopy()
	status.ObservedGeneration = pod.Generation
	status.Phase = phaseOf(outcome)
	status.HostIP = nodeAddress
	status.HostIPs = []corev1.HostIP{{IP: nodeAddress}}
	if status.StartTime == nil {
		started := metav1.NewTime(clock.Since)
		status.StartTime = &started
	}
	if outcome.state != stateWaiting && status.PodIP == "" {
		status.PodIP = addressOf(pod.UID)
		status.PodIPs = []corev1.PodIP{{IP: status.PodIP}}
	}
	status.ContainerStatuses = containerStatuses(pod, outcome, clock)
	status.InitContainerStatuses = initStatuses(pod, outcome, clock)
	setConditions(pod, status, outcome, clock)
	return status
}

func phaseOf(outcome fate) corev1.PodPhase {
	switch {
	case outcome.state == stateWaiting:
		return corev1.PodPending
	case outcome.state != stateEnded:
		return corev1.PodRunning
	case outcome.exitCode != 0:
		return corev1.PodFailed
	default:
		return corev1.PodSucceeded
	}
}

// addressOf derives the address of a Pod from its UID: no state to keep, and a
// clash would need tens of thousands of Pods.
func addressOf(uid types.UID) string {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(uid)) // a hash never fails
	bits := sum.Sum32()
	return fmt.Sprintf("10.%d.%d.%d", 128+bits>>16&63, bits>>8&255, 1+bits&255%254)
}

func containerStatuses(pod *corev1.Pod, outcome fate, clock Clock) []corev1.ContainerStatus {
	statuses := make([]corev1.ContainerStatus, 0, len(pod.Spec.Containers))
	for i := range pod.Spec.Containers {
		container := &pod.Spec.Containers[i]
		status := baseStatus(pod, container)
		old := findStatus(pod.Status.ContainerStatuses, container.Name)
		status.State, status.LastTerminationState = containerState(&status, old, outcome, clock)
		running := status.State.Running != nil
		status.Started = &running
		status.Ready = outcome.state == stateReady
		status.RestartCount = outcome.restarts
		statuses = append(statuses, status)
	}
	return statuses
}

// baseStatus fills what does not depend on the fate.
func baseStatus(pod *corev1.Pod, container *corev1.Container) corev1.ContainerStatus {
	return corev1.ContainerStatus{
		Name:        container.Name,
		Image:       container.Image,
		ImageID:     "standin/" + container.Image,
		ContainerID: "standin://" + string(pod.UID) + "/" + container.Name,
	}
}

func findStatus(statuses []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	i := slices.IndexFunc(statuses, func(s corev1.ContainerStatus) bool { return s.Name == name })
	if i < 0 {
		return &corev1.ContainerStatus{}
	}
	return &statuses[i]
}

func containerState(status, old *corev1.ContainerStatus, outcome fate, clock Clock) (now, last corev1.ContainerState) {
	switch outcome.state {
	case stateWaiting:
		status.ContainerID, status.ImageID = "", ""
		return waiting(outcome), last
	case stateCrashing:
		last = old.LastTerminationState
		// One crash has one time: looking at it again must not change it.
		if last.Terminated == nil || old.RestartCount != outcome.restarts {
			last.Terminated = terminated(status, old, outcome, clock)
		}
		return waiting(outcome), last
	case stateEnded:
		now.Terminated = terminated(status, old, outcome, clock)
		return now, old.LastTerminationState
	default:
		now.Running = &corev1.ContainerStateRunning{StartedAt: startedAt(old, clock)}
		return now, old.LastTerminationState
	}
}

func waiting(outcome fate) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: outcome.reason, Message: outcome.message}}
}

func terminated(status, old *corev1.ContainerStatus, outcome fate, clock Clock) *corev1.ContainerStateTerminated {
	reason := "Error"
	if outcome.exitCode == 0 {
		reason = "Completed"
	}
	return &corev1.ContainerStateTerminated{
		ExitCode:    outcome.exitCode,
		Reason:      reason,
		StartedAt:   startedAt(old, clock),
		FinishedAt:  metav1.NewTime(clock.Now),
		ContainerID: status.ContainerID,
	}
}

// startedAt keeps the start of a container that already runs.
func startedAt(old *corev1.ContainerStatus, clock Clock) metav1.Time {
	if old.State.Running != nil {
		return old.State.Running.StartedAt
	}
	return metav1.NewTime(clock.Now)
}

// initStatuses lets init containers be over as soon as the Pod starts, and
// sidecars among them run along.
func initStatuses(pod *corev1.Pod, outcome fate, clock Clock) []corev1.ContainerStatus {
	statuses := make([]corev1.ContainerStatus, 0, len(pod.Spec.InitContainers))
	for i := range pod.Spec.InitContainers {
		container := &pod.Spec.InitContainers[i]
		status := baseStatus(pod, container)
		old := findStatus(pod.Status.InitContainerStatuses, container.Name)
		status.State, status.LastTerminationState = containerState(&status, old, initFate(container, outcome), clock)
		if old.State.Terminated != nil && status.State.Terminated != nil {
			status.State = old.State
		}
		status.Ready = status.State.Waiting == nil
		started := status.State.Running != nil
		status.Started = &started
		statuses = append(statuses, status)
	}
	return statuses
}

func initFate(container *corev1.Container, outcome fate) fate {
	sidecar := container.RestartPolicy != nil && *container.RestartPolicy == corev1.ContainerRestartPolicyAlways
	switch {
	case outcome.state == stateWaiting:
		return outcome
	case sidecar && outcome.state != stateEnded:
		return fate{state: stateReady}
	default:
		return fate{state: stateEnded}
	}
}
