package controller

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestLeaseLabels(t *testing.T) {
	ours := map[string]string{"app.kubernetes.io/part-of": "kubectl-tazuna"}
	assert.Equal(t, map[string]string{"app.kubernetes.io/part-of": "kubectl-tazuna", "app.kubernetes.io/version": "v0.1.0-3-gabcdef0", "app.kubernetes.io/instance": "pod-1"}, leaseLabels("v0.1.0-3-gabcdef0", "pod-1"))
	assert.Equal(t, ours, leaseLabels("", ""))
	assert.Equal(t, ours, leaseLabels("v0.1.0+local", ""), "no label can be that")
}

// aLease is one of a controller of version v0.1.0; renewed is a time of day.
func aLease(namespace string, holder any, renewed string) *unstructured.Unstructured {
	spec := map[string]any{"holderIdentity": holder}
	if renewed != "" {
		spec["renewTime"] = "2026-03-02T" + renewed + ".000000Z"
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
		"metadata": map[string]any{"name": LeaseName, "namespace": namespace, "labels": map[string]any{"app.kubernetes.io/version": "v0.1.0", "app.kubernetes.io/instance": "pod-1"}},
		"spec":     spec,
	}}
}

func TestLeadersOf(t *testing.T) {
	at := func(minute, second int) time.Time { return time.Date(2026, 3, 2, 12, minute, second, 0, time.UTC) }
	other := aLease("a", "host_9", "12:00:00")
	other.SetName("something-else")
	tests := map[string]struct {
		leases []*unstructured.Unstructured
		want   []Leader
	}{
		"nobody":        {},
		"one":           {[]*unstructured.Unstructured{aLease("a", "host_1", "12:00:00")}, []Leader{{"v0.1.0", "a", "host_1", "pod-1", at(0, 0)}}},
		"never renewed": {[]*unstructured.Unstructured{aLease("a", "host_1", "")}, []Leader{{"v0.1.0", "a", "host_1", "pod-1", time.Time{}}}},
		"given back":    {[]*unstructured.Unstructured{aLease("a", "", "12:00:00")}, nil},
		"not its Lease": {[]*unstructured.Unstructured{other}, nil},
		"moved to another namespace, killed in the first": {
			[]*unstructured.Unstructured{aLease("a", "host_1", "12:00:00"), aLease("b", "host_2", "12:05:00")},
			[]Leader{{"v0.1.0", "b", "host_2", "pod-1", at(5, 0)}},
		},
		"two at once": {
			[]*unstructured.Unstructured{aLease("a", "host_1", "12:00:00"), aLease("b", "host_2", "12:00:03"), aLease("c", "host_3", "10:00:00")},
			[]Leader{{"v0.1.0", "b", "host_2", "pod-1", at(0, 3)}, {"v0.1.0", "a", "host_1", "pod-1", at(0, 0)}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := leadersOf(test.leases)
			require.NoError(t, err)
			for i := range got {
				if !got[i].Renewed.IsZero() {
					got[i].Renewed = got[i].Renewed.UTC()
				}
			}
			assert.Equal(t, test.want, got)
		})
	}
	_, err := leadersOf([]*unstructured.Unstructured{aLease("a", []any{}, "")})
	require.ErrorContains(t, err, "read Lease a/packages-controller")
}
