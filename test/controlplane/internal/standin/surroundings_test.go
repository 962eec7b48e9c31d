package standin

import (
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestSurroundings(t *testing.T) {
	pod := newPod(corev1.RestartPolicyAlways)
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "run", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
		{Name: "host", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/etc"}}},
	}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{
		{Name: "run", MountPath: "/run/app"}, {Name: "run", MountPath: "/run/app/deep/", SubPath: "deep"}, {Name: "host", MountPath: "/host"},
	}
	dir := t.TempDir()
	around, err := surround(pod, dir)
	if err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "v0")
	got := around.args([]string{
		"serve", "--socket=/run/app/s", "/run/app", "/run/application", "--deep=/run/app/deep/x", "--at=:8080", ":80", "a:80", "x=/run/app", "--host=/host",
	})
	want := []string{
		"serve", "--socket=" + run + "/s", run, "/run/application", "--deep=" + run + "/deep/x",
		"--at=" + around.address + ":8080", around.address + ":80", "a:80", "x=/run/app", "--host=/host",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := around.env([]string{"A=/run/app/a", "B=b", "PATH=/run/app/bin:/bin"}); !slices.Equal(got, []string{"A=" + run + "/a", "B=b", "PATH=/run/app/bin:/bin"}) {
		t.Errorf("variables: got %q", got)
	}
}

func TestProcessAddress(t *testing.T) {
	want := map[string]string{"10.131.2.3": "127.131.2.3", "": nodeAddress, "fd00::1": nodeAddress}
	if runtime.GOOS != "linux" {
		want = map[string]string{"10.131.2.3": nodeAddress}
	}
	for podIP, address := range want {
		if got := ProcessAddress(podIP); got != address {
			t.Errorf("%q: got %s, want %s", podIP, got, address)
		}
	}
}
