package cluster

import (
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/utils/ptr"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/standin"
)

func TestReadyEndpoint(t *testing.T) {
	slice := &discoveryv1.EndpointSlice{
		Ports: []discoveryv1.EndpointPort{
			{Name: ptr.To("metrics"), Port: ptr.To[int32](8080)}, {Name: ptr.To("webhook"), Port: ptr.To[int32](9443)},
		},
		Endpoints: []discoveryv1.Endpoint{
			{Addresses: []string{"10.130.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(false)}},
			{Addresses: []string{"10.130.0.2"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}},
		},
	}
	want := "https://" + standin.ProcessAddress("10.130.0.2") + ":9443"
	if got := readyEndpoint(slice, "webhook"); got == nil || got.String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if got := readyEndpoint(slice, "none"); got != nil {
		t.Errorf("got %s for a port that isn't there", got)
	}
}
