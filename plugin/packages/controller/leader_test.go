package controller

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestLeaseLabels(t *testing.T) {
	assert.Equal(t, map[string]string{"app.kubernetes.io/version": "v0.1.0-3-gabcdef0"}, leaseLabels("v0.1.0-3-gabcdef0"))
	assert.Empty(t, leaseLabels(""))
	assert.Empty(t, leaseLabels("v0.1.0+local"), "no label can be that")
}

func TestLeaderOf(t *testing.T) {
	lease := func(spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
			"metadata": map[string]any{"name": LeaseName, "labels": map[string]any{"app.kubernetes.io/version": "v0.1.0"}},
			"spec":     spec,
		}}
	}
	got, err := leaderOf(lease(map[string]any{"holderIdentity": "host_1", "renewTime": "2026-03-02T12:00:00.000000Z"}))
	require.NoError(t, err)
	assert.Equal(t, "v0.1.0", got.Version)
	assert.Equal(t, "host_1", got.Holder)
	assert.True(t, got.Renewed.Equal(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)))

	got, err = leaderOf(lease(map[string]any{"holderIdentity": ""}))
	require.NoError(t, err)
	assert.Nil(t, got, "given back")

	_, err = leaderOf(lease(map[string]any{"holderIdentity": []any{}}))
	require.ErrorContains(t, err, "read Lease /packages-controller")
}
