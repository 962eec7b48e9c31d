package controlplane_test

import (
	"strings"
	"testing"
)

func TestWorkload(t *testing.T) {
	p := newPlane(t)
	p.kubectl("create", "namespace", "demo")
	p.kubectl("-n", "demo", "create", "deployment", "web", "--image=web", "--replicas=3")
	p.kubectl("-n", "demo", "rollout", "status", "deployment/web", "--timeout=30s")

	pod := strings.TrimSpace(p.kubectl("-n", "demo", "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].metadata.name}"))
	if got := p.kubectl("-n", "demo", "logs", pod); !strings.Contains(got, pod+"/web started on node-") {
		t.Errorf("logs: got %q", got)
	}
	if got := p.kubectl("-n", "demo", "exec", pod, "--", "echo", "hello"); got != "hello\n" {
		t.Errorf("exec: got %q", got)
	}
	if got, err := p.tryKubectl("given", "-n", "demo", "exec", "-i", pod, "--", "cat"); err != nil || got != "given" {
		t.Errorf("exec with input: got %q, %v", got, err)
	}
	if got, err := p.tryKubectl("", "-n", "demo", "exec", pod, "--", "sh", "-c", "exit 3"); err == nil || !strings.Contains(got, "exit code 3") {
		t.Errorf("exec that fails: got %q, %v", got, err)
	}
	p.kubectl("delete", "namespace", "demo", "--timeout=30s")
}

const fates = `
apiVersion: v1
kind: Pod
metadata: {name: pulling, annotations: {standin.tazuna.dev/waiting: ImagePullBackOff}}
spec: {containers: [{name: c, image: image}]}
---
apiVersion: v1
kind: Pod
metadata: {name: commands, annotations: {standin.tazuna.dev/exec: process}}
spec: {containers: [{name: c, image: image, env: [{name: GREETING, value: hello}]}]}
---
apiVersion: v1
kind: Pod
metadata: {name: local, annotations: {standin.tazuna.dev/process: /bin/sh}}
spec:
  restartPolicy: Never
  containers: [{name: c, image: image, args: [-c, 'echo as $NAME; test -s "$KUBECONFIG" && exit 5'], env: [{name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: image}]}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: claim}
spec: {storageClassName: standin, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

func TestFates(t *testing.T) {
	p := newPlane(t)
	p.apply(fates)
	p.eventually("ImagePullBackOff", "get", "pod", "pulling")
	p.eventually("Failed", "get", "events", "--field-selector", "involvedObject.name=pulling")
	p.kubectl("wait", "--for=condition=Complete", "job/job", "--timeout=30s")
	p.eventually("Bound", "get", "pvc", "claim")

	p.kubectl("wait", "--for=condition=Ready", "pod/commands", "--timeout=30s")
	if got := p.kubectl("exec", "commands", "--", "sh", "-c", "echo $GREETING"); got != "hello\n" {
		t.Errorf("exec as a process: got %q", got)
	}
	p.eventually("5", "get", "pod", "local", "-o", "jsonpath={.status.containerStatuses[0].state.terminated.exitCode}")
	if got := p.kubectl("logs", "local"); got != "as local\n" {
		t.Errorf("logs of a process: got %q", got)
	}
}

func TestRequestsAndFaults(t *testing.T) {
	p := newPlane(t, "--without-controllers")
	p.control("requests", "--reset")
	p.kubectl("create", "configmap", "one")
	p.kubectl("create", "configmap", "two", "--dry-run=server")
	writes := []string{"--writes", "--user-agent", "kubectl/", "--resource", "configmaps"}
	if got := p.count(writes...); got != 1 {
		t.Errorf("got %d writes, want 1", got)
	}

	p.control("fault", "--match", "verb=create,resource=configmaps", "--cut-after", "--times", "1")
	if _, err := p.tryKubectl("", "create", "configmap", "three"); err == nil {
		t.Error("a cut request was answered")
	}
	p.kubectl("get", "configmap", "three")

	p.control("fault", "--match", "verb=delete", "--status", "409", "--message", "not now")
	if out, err := p.tryKubectl("", "delete", "configmap", "three"); err == nil || !strings.Contains(out, "not now") {
		t.Errorf("got %q, %v", out, err)
	}
	p.control("fault", "--clear")
	p.kubectl("delete", "configmap", "three")
}

func TestCrashAndRestart(t *testing.T) {
	p := newPlane(t, "--without-controllers")
	before := p.kubeconfig
	user := strings.TrimSpace(p.control("user", "--name", "alice", "--group", "readers"))
	p.kubectl("create", "clusterrole", "reader", "--verb=get", "--resource=configmaps")
	p.kubectl("create", "clusterrolebinding", "readers", "--clusterrole=reader", "--group=readers")
	p.kubectl("create", "configmap", "kept")

	p.control("stop", "--kill")
	p.start("--without-controllers")
	if p.kubeconfig != before {
		t.Errorf("the kubeconfig went from %s to %s", before, p.kubeconfig)
	}
	p.kubeconfig = user
	p.kubectl("get", "configmap", "kept")
	if _, err := p.tryKubectl("", "delete", "configmap", "kept"); err == nil {
		t.Error("a reader may delete")
	}
	p.kubeconfig = strings.TrimSpace(p.control("user", "--name", "late", "--group", "readers", "--expired"))
	if _, err := p.tryKubectl("", "get", "configmap", "kept"); err == nil {
		t.Error("an expired certificate was taken")
	}
}
