package standin

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	// probeEvery is the time between two probes, whatever the Pod asks for: tests
	// wait for them.
	probeEvery = 200 * time.Millisecond
	// probeTimeout and failures are generous: a busy machine is no failure.
	probeTimeout = 5 * time.Second
	failures     = 3
)

// watchReadiness keeps what the readiness probe of a local process says until ctx ends.
// Probes that are not by HTTP count as passed.
func (p *processes) watchReadiness(ctx context.Context, own *process, pod *corev1.Pod, changed func()) {
	url := probeURL(&pod.Spec.Containers[0], own.around.address)
	client := &http.Client{Timeout: probeTimeout, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a kubelet does not check it either
	}}
	failed := 0
	for {
		ready := url == "" || answers(ctx, client, url)
		if failed++; ready {
			failed = 0
		}
		p.mu.Lock()
		news := own.state.Running && own.state.Ready != ready && (ready || failed >= failures)
		if news {
			own.state.Ready = ready
		}
		p.mu.Unlock()
		if news {
			changed()
		}
		if url == "" {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(probeEvery):
		}
	}
}

func answers(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // nothing was asked of it
	return response.StatusCode >= http.StatusOK && response.StatusCode < http.StatusBadRequest
}

// probeURL is what the readiness probe of a container asks, empty if it has none by HTTP.
func probeURL(container *corev1.Container, address string) string {
	probe := container.ReadinessProbe
	if probe == nil || probe.HTTPGet == nil {
		return ""
	}
	scheme := "http"
	if probe.HTTPGet.Scheme == corev1.URISchemeHTTPS {
		scheme = "https"
	}
	host := net.JoinHostPort(address, strconv.Itoa(portNumber(container, probe.HTTPGet.Port)))
	return scheme + "://" + host + "/" + strings.TrimPrefix(probe.HTTPGet.Path, "/")
}

// portNumber is a port that may be given by the name it has in the container; 0 where
// there is no such name.
func portNumber(container *corev1.Container, port intstr.IntOrString) int {
	if port.Type == intstr.Int {
		return port.IntValue()
	}
	i := slices.IndexFunc(container.Ports, func(p corev1.ContainerPort) bool { return p.Name == port.StrVal })
	if i < 0 {
		return 0
	}
	return int(container.Ports[i].ContainerPort)
}
