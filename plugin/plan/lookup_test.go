package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// An element without a protocol is the one for TCP, and only where no element says
// so itself.
func TestLookupPrefersTheElementWithAllKeys(t *testing.T) {
	udp := fieldpath.MakePathOrDie("spec", "ports", fieldpath.KeyByFields("containerPort", 80, "protocol", "UDP"), "name")
	tcp := fieldpath.MakePathOrDie("spec", "ports", fieldpath.KeyByFields("containerPort", 80, "protocol", "TCP"), "name")
	tests := map[string]struct {
		ports    string
		tcp, udp any
	}{
		"one without":         {"[{containerPort: 80, name: a}]", "a", nil},
		"both, without first": {"[{containerPort: 80, name: a}, {containerPort: 80, protocol: UDP, name: b}]", "a", "b"},
		"both, without last":  {"[{containerPort: 80, protocol: UDP, name: b}, {containerPort: 80, name: a}]", "a", "b"},
		"both say it":         {"[{containerPort: 80, protocol: UDP, name: b}, {containerPort: 80, protocol: TCP, name: a}]", "a", "b"},
		"exact one is last":   {"[{containerPort: 80, name: a}, {containerPort: 80, protocol: TCP, name: b}]", "b", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			body := flow(t, "spec: {ports: "+tt.ports+"}")
			require.Equal(t, tt.tcp, lookup(body, tcp).v)
			require.Equal(t, tt.udp, lookup(body, udp).v)
			if tt.udp != nil {
				require.Equal(t, tt.tcp, lookup(without(body, udp), tcp).v, "cutting one leaves the other")
			}
		})
	}
}
