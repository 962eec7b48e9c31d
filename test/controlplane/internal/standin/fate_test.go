package standin

import (
	"net/netip"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// newPod makes a Pod with annotations given as name, value, name, value.
func newPod(policy corev1.RestartPolicy, annotations ...string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "a", UID: "uid", Generation: 3, Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			NodeName: "node-1", RestartPolicy: policy,
			Containers: []corev1.Container{{Name: "c", Image: "image"}},
		},
	}
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[Prefix+annotations[i]] = annotations[i+1]
	}
	return pod
}

func jobPod(policy corev1.RestartPolicy, annotations ...string) *corev1.Pod {
	pod := newPod(policy, annotations...)
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: "j", Controller: ptr.To(true)}}
	return pod
}

// live walks a Pod through its fate until the given age, taking each step at
// the moment it asked for.
func live(t *testing.T, pod *corev1.Pod, age time.Duration) Step {
	t.Helper()
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := Clock{Now: begin, Since: begin}
	for range 100 {
		step := Next(pod, Process{}, clock)
		if step.Status != nil {
			pod.Status = *step.Status
		}
		next := clock.Now.Add(step.Again)
		if step.Again == 0 || next.After(begin.Add(age)) {
			return step
		}
		clock.Now = next
	}
	t.Fatal("the fate does not come to rest")
	return Step{}
}

func TestFate(t *testing.T) {
	always, onFailure, never := corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever
	tests := map[string]struct {
		pod      *corev1.Pod
		age      time.Duration
		phase    corev1.PodPhase
		ready    bool
		waiting  string
		restarts int32
		exit     int32
	}{
		"plain":                     {pod: newPod(always), phase: corev1.PodRunning, ready: true},
		"not ready yet":             {pod: newPod(always, "ready-after", "5s"), age: 4 * time.Second, phase: corev1.PodRunning},
		"ready in time":             {pod: newPod(always, "ready-after", "5s"), age: 5 * time.Second, phase: corev1.PodRunning, ready: true},
		"waiting":                   {pod: newPod(always, "waiting", "ErrImagePull"), age: time.Hour, phase: corev1.PodPending, waiting: "ErrImagePull"},
		"waiting for a while":       {pod: newPod(always, "waiting", "ErrImagePull", "ready-after", "2s"), age: 3 * time.Second, phase: corev1.PodRunning, ready: true},
		"crashes":                   {pod: newPod(always, "restarts", "4"), age: time.Hour, phase: corev1.PodRunning, waiting: reasonCrash, restarts: 4},
		"crashes at first":          {pod: newPod(always, "restarts", "4"), age: crashEvery / 2, phase: corev1.PodRunning, waiting: reasonCrash, restarts: 1},
		"recovers from crashes":     {pod: newPod(always, "restarts", "4", "ready-after", "2s"), age: 3 * time.Second, phase: corev1.PodRunning, ready: true, restarts: 4},
		"fails":                     {pod: newPod(never, "fail", "3"), age: time.Hour, phase: corev1.PodFailed, exit: 3},
		"fails later":               {pod: newPod(never, "fail", "3", "run-for", "2s"), age: time.Second, phase: corev1.PodRunning, ready: true},
		"fails again and again":     {pod: newPod(always, "fail", "3"), age: time.Hour, phase: corev1.PodRunning, waiting: reasonCrash, restarts: crashLimit},
		"fails and is restarted":    {pod: jobPod(onFailure, "fail", "3"), age: time.Hour, phase: corev1.PodRunning, waiting: reasonCrash, restarts: crashLimit},
		"job":                       {pod: jobPod(never), age: time.Second, phase: corev1.PodSucceeded},
		"job that may be restarted": {pod: jobPod(onFailure), age: time.Second, phase: corev1.PodSucceeded},
		"job that still runs":       {pod: jobPod(never, "run-for", "10s"), age: 9 * time.Second, phase: corev1.PodRunning, ready: true},
		"job that ran":              {pod: jobPod(never, "run-for", "10s"), age: 11 * time.Second, phase: corev1.PodSucceeded},
		"job that fails":            {pod: jobPod(never, "fail", "7"), age: time.Second, phase: corev1.PodFailed, exit: 7},
		"run to the end":            {pod: newPod(never, "run-for", "1s"), age: 2 * time.Second, phase: corev1.PodSucceeded},
		"mistake":                   {pod: newPod(always, "fail", "many"), age: time.Hour, phase: corev1.PodPending, waiting: reasonInvalid},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			live(t, test.pod, test.age)
			status := &test.pod.Status
			container := &status.ContainerStatuses[0]
			if status.Phase != test.phase || container.Ready != test.ready || container.RestartCount != test.restarts {
				t.Errorf("got phase %s, ready %v, %d restarts", status.Phase, container.Ready, container.RestartCount)
			}
			if got := findCondition(status, corev1.PodReady).Status == corev1.ConditionTrue; got != test.ready {
				t.Errorf("condition Ready: got %v", got)
			}
			if got := waitingReason(container); got != test.waiting {
				t.Errorf("waiting: got %q, want %q", got, test.waiting)
			}
			if ended := container.State.Terminated; ended != nil && ended.ExitCode != test.exit {
				t.Errorf("exit code: got %d, want %d", ended.ExitCode, test.exit)
			}
			if (status.PodIP == "") != (test.phase == corev1.PodPending) {
				t.Errorf("address: got %q", status.PodIP)
			}
		})
	}
}

func waitingReason(status *corev1.ContainerStatus) string {
	if status.State.Waiting == nil {
		return ""
	}
	return status.State.Waiting.Reason
}

// A fate at rest must not change what it wrote, or it would write forever.
func TestFateIsStable(t *testing.T) {
	for name, pod := range map[string]*corev1.Pod{
		"ready":   newPod(corev1.RestartPolicyAlways),
		"waiting": newPod(corev1.RestartPolicyAlways, "waiting", "x"),
		"crashes": newPod(corev1.RestartPolicyAlways, "restarts", "2"),
		"init":    withInit(newPod(corev1.RestartPolicyAlways)),
	} {
		t.Run(name, func(t *testing.T) {
			live(t, pod, time.Minute)
			before := pod.Status.DeepCopy()
			later := time.Now()
			step := Next(pod, Process{}, Clock{Now: later, Since: later.Add(-time.Hour)})
			if step.Status == nil || step.Status.String() != before.String() {
				t.Errorf("got  %v\nwant %v", step.Status, before)
			}
		})
	}
}

func withInit(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.InitContainers = []corev1.Container{
		{Name: "first"},
		{Name: "sidecar", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
	}
	return pod
}

func TestInitContainers(t *testing.T) {
	pod := withInit(newPod(corev1.RestartPolicyAlways))
	live(t, pod, time.Second)
	first, sidecar := pod.Status.InitContainerStatuses[0], pod.Status.InitContainerStatuses[1]
	if first.State.Terminated == nil || first.State.Terminated.Reason != "Completed" || !first.Ready {
		t.Errorf("init container: got %+v", first)
	}
	if sidecar.State.Running == nil || !sidecar.Ready {
		t.Errorf("sidecar: got %+v", sidecar)
	}
}

func TestReadinessGates(t *testing.T) {
	pod := newPod(corev1.RestartPolicyAlways)
	pod.Spec.ReadinessGates = []corev1.PodReadinessGate{{ConditionType: "gate"}}
	live(t, pod, time.Second)
	if ready := findCondition(&pod.Status, corev1.PodReady); ready.Status != corev1.ConditionFalse || ready.Reason != reasonGates {
		t.Errorf("with a closed gate: got %+v", ready)
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: "gate", Status: corev1.ConditionTrue})
	live(t, pod, time.Second)
	if ready := findCondition(&pod.Status, corev1.PodReady); ready.Status != corev1.ConditionTrue {
		t.Errorf("with an open gate: got %+v", ready)
	}
	if findCondition(&pod.Status, "gate") == nil {
		t.Error("the gate's own condition is gone")
	}
}

func TestTermination(t *testing.T) {
	asked := time.Now()
	tests := map[string]struct {
		pod   *corev1.Pod
		after time.Duration
		gone  bool
	}{
		"at once":     {pod: newPod(corev1.RestartPolicyAlways), gone: true},
		"later":       {pod: newPod(corev1.RestartPolicyAlways, "terminate-after", "10s"), after: 9 * time.Second},
		"in the end":  {pod: newPod(corev1.RestartPolicyAlways, "terminate-after", "10s"), after: 10 * time.Second, gone: true},
		"bad wish":    {pod: newPod(corev1.RestartPolicyAlways, "terminate-after", "soon"), gone: true},
		"done before": {pod: jobPod(corev1.RestartPolicyNever), gone: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.pod.DeletionTimestamp = ptr.To(metav1.NewTime(asked.Add(30 * time.Second)))
			step := Next(test.pod, Process{}, Clock{Now: asked.Add(test.after), Since: asked, Asked: asked})
			if step.Delete != test.gone || step.Status != nil || !test.gone && step.Again != time.Second {
				t.Errorf("got %+v", step)
			}
		})
	}
}

func TestTerminationOfAProcess(t *testing.T) {
	asked := time.Now()
	running, ending := Process{Starts: 1, Running: true}, Process{Starts: 1, Running: true, Asked: true}
	tests := map[string]struct {
		process   Process
		after     time.Duration
		ask, gone bool
	}{
		"is asked":          {process: running, ask: true},
		"was asked":         {process: ending, after: 9 * time.Second},
		"took too long":     {process: ending, after: 10 * time.Second, gone: true},
		"ended":             {process: Process{Starts: 1}, gone: true},
		"had never started": {gone: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pod := newPod(corev1.RestartPolicyAlways, "process", "/bin/true")
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = ptr.To(metav1.NewTime(asked)), ptr.To[int64](10)
			step := Next(pod, test.process, Clock{Now: asked.Add(test.after), Since: asked, Asked: asked})
			if step.Ask != test.ask || step.Delete != test.gone || (step.Again > 0) == test.gone {
				t.Errorf("got %+v", step)
			}
		})
	}
}

func TestEndedPodsStay(t *testing.T) {
	pod := jobPod(corev1.RestartPolicyNever)
	live(t, pod, time.Second)
	if step := Next(pod, Process{}, Clock{Now: time.Now(), Since: time.Now()}); step != (Step{}) {
		t.Errorf("got %+v", step)
	}
}

func TestFollowProcess(t *testing.T) {
	now := time.Now()
	always, never := corev1.RestartPolicyAlways, corev1.RestartPolicyNever
	tests := map[string]struct {
		policy  corev1.RestartPolicy
		process Process
		phase   corev1.PodPhase
		ready   bool
		start   bool
		count   int32
	}{
		"before the start":      {policy: always, phase: corev1.PodRunning, start: true},
		"running":               {policy: always, process: Process{Starts: 1, Running: true, Ready: true}, phase: corev1.PodRunning, ready: true},
		"not ready":             {policy: always, process: Process{Starts: 1, Running: true}, phase: corev1.PodRunning},
		"running again":         {policy: always, process: Process{Starts: 3, Running: true, Ready: true}, phase: corev1.PodRunning, ready: true, count: 2},
		"ended just now":        {policy: always, process: Process{Starts: 1, Ended: now}, phase: corev1.PodRunning},
		"ended a while ago":     {policy: always, process: Process{Starts: 1, Ended: now.Add(-2 * processBackoff)}, phase: corev1.PodRunning, start: true},
		"ended too often":       {policy: always, process: Process{Starts: crashLimit + 1}, phase: corev1.PodRunning, count: crashLimit},
		"ended well for good":   {policy: never, process: Process{Starts: 1}, phase: corev1.PodSucceeded},
		"ended badly for good":  {policy: never, process: Process{Starts: 1, ExitCode: 2}, phase: corev1.PodFailed},
		"ended well, on demand": {policy: corev1.RestartPolicyOnFailure, process: Process{Starts: 1}, phase: corev1.PodSucceeded},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pod := newPod(test.policy, "process", "/bin/true")
			step := Next(pod, test.process, Clock{Now: now, Since: now.Add(-time.Minute)})
			status := step.Status.ContainerStatuses[0]
			if step.Status.Phase != test.phase || status.Ready != test.ready || step.Start != test.start || status.RestartCount != test.count {
				t.Errorf("got %+v with %+v", step, status)
			}
		})
	}
}

func TestAddressOf(t *testing.T) {
	seen := map[string]bool{}
	for i := range 200 {
		uid := types.UID(strconv.Itoa(i))
		address := addressOf(uid)
		if ip, err := netip.ParseAddr(address); err != nil || !ip.IsPrivate() || address != addressOf(uid) {
			t.Errorf("got %q", address)
		}
		seen[address] = true
	}
	if len(seen) < 199 {
		t.Errorf("200 Pods share %d addresses", len(seen))
	}
}
