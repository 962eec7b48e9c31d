package standin

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// crashEvery is the time between two crashes. A real kubelet backs off for
	// minutes; what tests look at is the count and the reason.
	crashEvery = 200 * time.Millisecond
	// crashLimit bounds the crashes of a Pod that its policy restarts forever.
	crashLimit = 10

	// processBackoff is the time before an ended local process starts again.
	processBackoff = time.Second

	reasonCrash   = "CrashLoopBackOff"
	reasonInvalid = "InvalidStandinAnnotation"
)

// Clock is the time a fate is decided at.
type Clock struct {
	Now time.Time
	// Since is when the Pod was first seen on its node. The status has it in
	// whole seconds only, which would make short durations end early.
	Since time.Time
	// Asked is when the Pod was first seen deleted, likewise.
	Asked time.Time
}

// Process is the local process of a Pod that has one.
type Process struct {
	// Starts is how often it was started.
	Starts int32
	// Running tells whether it runs; if not, it ended at Ended with ExitCode.
	Running bool
	// Ready is what its readiness probe says.
	Ready bool
	// Asked tells whether it was asked to end.
	Asked    bool
	Ended    time.Time
	ExitCode int32
}

// Step is what to do with a Pod now.
type Step struct {
	// Status is the wanted status; nil leaves the present one.
	Status *corev1.PodStatus
	// Delete removes the object of a Pod that is done terminating.
	Delete bool
	// Start runs the local process of the Pod, for the first time or again.
	Start bool
	// Ask asks the local process of a deleted Pod to end.
	Ask bool
	// Again is when to look again; zero means when the Pod changes.
	Again time.Duration
}

// state is what the containers of a Pod do.
type state int

const (
	stateWaiting state = iota
	stateCrashing
	stateUnready
	stateReady
	stateEnded
)

// fate is a state with its details.
type fate struct {
	state    state
	reason   string
	message  string
	restarts int32
	exitCode int32
	again    time.Duration
	start    bool
}

// Next decides what becomes of a Pod that is bound to one of our nodes.
func Next(pod *corev1.Pod, process Process, clock Clock) Step {
	wish, err := ParseWish(pod.Annotations)
	if pod.DeletionTimestamp != nil {
		return terminate(pod, wish, process, clock)
	}
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return Step{}
	}
	outcome := fate{state: stateWaiting, reason: reasonInvalid}
	switch {
	case err != nil:
		outcome.message = err.Error()
	case wish.Process != "":
		outcome = follow(pod, wish, process, clock)
	default:
		outcome = decide(pod, wish, clock.Now.Sub(clock.Since))
	}
	return Step{Status: newStatus(pod, outcome, clock), Again: outcome.again, Start: outcome.start}
}

// terminate lets a deleted Pod linger as long as it asked to; its grace period
// is deliberately no bound, so that tests can have a Pod that does not end. A local
// process is asked to end first, and has the grace period for that.
func terminate(pod *corev1.Pod, wish Wish, process Process, clock Clock) Step {
	elapsed := clock.Now.Sub(clock.Asked)
	if wait := left(wish.TerminateAfter, elapsed); wait > 0 {
		return Step{Again: wait}
	}
	grace := time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second
	if wait := left(grace, elapsed); process.Running && wait > 0 {
		return Step{Ask: !process.Asked, Again: wait}
	}
	return Step{Delete: true}
}

// decide is the fate after the given time on the node.
func decide(pod *corev1.Pod, wish Wish, elapsed time.Duration) fate {
	recovered := wish.ReadyAfter > 0 && elapsed >= wish.ReadyAfter
	switch {
	case wish.Waiting != "" && !recovered:
		return fate{state: stateWaiting, reason: wish.Waiting, message: "stand-in: as the annotation asks", again: left(wish.ReadyAfter, elapsed)}
	case wish.Restarts > 0 && !recovered:
		crash := crashing(wish.Restarts, 1, elapsed)
		if crash.again == 0 {
			crash.again = left(wish.ReadyAfter, elapsed)
		}
		return crash
	case elapsed < wish.ReadyAfter:
		return fate{state: stateUnready, restarts: wish.Restarts, again: wish.ReadyAfter - elapsed}
	case ends(pod, wish):
		return ending(pod, wish, elapsed)
	default:
		return fate{state: stateReady, restarts: wish.Restarts}
	}
}

// ends tells whether the containers stop by themselves.
func ends(pod *corev1.Pod, wish Wish) bool {
	return wish.Fail > 0 || wish.RunFor > 0 || ofJob(pod)
}

func ofJob(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "Job"
}

// ending runs first, then ends: watchers see a Pod running before it is done,
// as with a real kubelet.
func ending(pod *corev1.Pod, wish Wish, elapsed time.Duration) fate {
	if elapsed < wish.RunFor {
		return fate{state: stateReady, again: wish.RunFor - elapsed}
	}
	if pod.Status.Phase != corev1.PodRunning {
		return fate{state: stateReady, again: time.Millisecond}
	}
	restarted := pod.Spec.RestartPolicy == corev1.RestartPolicyAlways ||
		pod.Spec.RestartPolicy == corev1.RestartPolicyOnFailure && wish.Fail > 0
	if restarted {
		return crashing(crashLimit, wish.Fail, elapsed-wish.RunFor)
	}
	return fate{state: stateEnded, exitCode: wish.Fail}
}

// follow is the fate of a Pod with a local process: what the process does.
func follow(pod *corev1.Pod, wish Wish, process Process, clock Clock) fate {
	restarts := max(process.Starts-1, 0)
	policy := pod.Spec.RestartPolicy
	switch {
	case process.Starts == 0:
		return fate{state: stateUnready, start: true}
	case process.Running && clock.Now.Sub(clock.Since) < wish.ReadyAfter:
		return fate{state: stateUnready, restarts: restarts, again: left(wish.ReadyAfter, clock.Now.Sub(clock.Since))}
	case process.Running && process.Ready:
		return fate{state: stateReady, restarts: restarts}
	case process.Running:
		return fate{state: stateUnready, restarts: restarts}
	case policy == corev1.RestartPolicyNever, policy == corev1.RestartPolicyOnFailure && process.ExitCode == 0:
		return fate{state: stateEnded, exitCode: process.ExitCode, restarts: restarts}
	}
	crash := fate{
		state: stateCrashing, reason: reasonCrash, message: "back-off restarting failed container",
		restarts: restarts, exitCode: process.ExitCode,
	}
	if restarts >= crashLimit {
		return crash
	}
	crash.again = left(processBackoff, clock.Now.Sub(process.Ended))
	crash.start = crash.again == 0
	return crash
}

// crashing counts up to the limit and stays there.
func crashing(limit, exitCode int32, elapsed time.Duration) fate {
	count := int32(min(int64(elapsed/crashEvery)+1, int64(limit)))
	outcome := fate{
		state: stateCrashing, reason: reasonCrash, restarts: count, exitCode: exitCode,
		message: "back-off restarting failed container",
	}
	if count < limit {
		outcome.again = crashEvery - elapsed%crashEvery
	}
	return outcome
}

func left(until, elapsed time.Duration) time.Duration {
	return max(until-elapsed, 0)
}
