package cluster

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/standin"
)

// resolveTimeout bounds the search for an endpoint.
const resolveTimeout = 5 * time.Second

// services plays the network between the API server and what it calls behind Services:
// webhooks and aggregated servers. Endpoints of local processes are on this machine.
type services struct {
	// self is where the API server itself listens.
	self string
	// client is made at the first call, when the server answers.
	client func() (kubernetes.Interface, error)
}

func newServices(kubeconfig, self string) webhook.ServiceResolver {
	return &services{self: self, client: sync.OnceValues(func() (kubernetes.Interface, error) {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return nil, fmt.Errorf("load kubeconfig: %w", err)
		}
		return kubernetes.NewForConfig(config)
	})}
}

// ResolveEndpoint finds out where a port of a Service leads.
func (s *services) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	if namespace == metav1.NamespaceDefault && name == "kubernetes" {
		return url.Parse(s.self)
	}
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), resolveTimeout)
	defer cancel()
	service, err := client.CoreV1().Services(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		return endpoint(service.Spec.ExternalName, port), nil
	}
	portName, found := nameOfPort(service, port)
	if !found {
		return nil, fmt.Errorf("service %s/%s has no port %d", namespace, name, port)
	}
	selector := discoveryv1.LabelServiceName + "=" + name
	slices, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	for i := range slices.Items {
		if to := readyEndpoint(&slices.Items[i], portName); to != nil {
			return to, nil
		}
	}
	return nil, fmt.Errorf("no endpoints available for service %q", name)
}

func nameOfPort(service *corev1.Service, port int32) (string, bool) {
	for _, p := range service.Spec.Ports {
		if p.Port == port {
			return p.Name, true
		}
	}
	return "", false
}

// readyEndpoint is the first endpoint that takes traffic at the named port, if any.
func readyEndpoint(slice *discoveryv1.EndpointSlice, portName string) *url.URL {
	for _, port := range slice.Ports {
		if ptr.Deref(port.Name, "") != portName || port.Port == nil {
			continue
		}
		for _, e := range slice.Endpoints {
			if ptr.Deref(e.Conditions.Ready, true) && len(e.Addresses) > 0 {
				return endpoint(standin.ProcessAddress(e.Addresses[0]), *port.Port)
			}
		}
	}
	return nil
}

func endpoint(host string, port int32) *url.URL {
	return &url.URL{Scheme: "https", Host: net.JoinHostPort(host, strconv.Itoa(int(port)))}
}
