package standin

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// podEvents reports troubles as a kubelet does. Pods that fare well get no
// events: nothing reads them, and each is a write.
type podEvents struct {
	broadcaster record.EventBroadcaster
	recorder    record.EventRecorder
}

func newPodEvents(client kubernetes.Interface) *podEvents {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet"})
	return &podEvents{broadcaster: broadcaster, recorder: recorder}
}

func (e *podEvents) stop() { e.broadcaster.Shutdown() }

// report looks for containers that came into trouble between two statuses.
func (e *podEvents) report(before, after *corev1.Pod) {
	for i := range after.Status.ContainerStatuses {
		status := &after.Status.ContainerStatuses[i]
		old := findStatus(before.Status.ContainerStatuses, status.Name)
		waiting := status.State.Waiting
		if waiting == nil || old.RestartCount == status.RestartCount && old.State.Waiting != nil {
			continue
		}
		if waiting.Reason == reasonCrash {
			e.recorder.Event(after, corev1.EventTypeWarning, "BackOff",
				fmt.Sprintf("Back-off restarting failed container %s in pod %s", status.Name, after.Name))
			continue
		}
		e.recorder.Event(after, corev1.EventTypeWarning, "Failed", fmt.Sprintf("Error: %s", waiting.Reason))
	}
}
