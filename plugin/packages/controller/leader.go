package controller

import (
	"context"
	"fmt"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// versionLabel of the Lease is the version of the program that leads: people ask for
// it without access to where the controller runs.
const versionLabel = "app.kubernetes.io/version"

// leaseLabels are those that the leader puts on its Lease; none for a version that
// can't be a label's value.
func leaseLabels(version string) map[string]string {
	if version == "" || len(validation.IsValidLabelValue(version)) > 0 {
		return nil
	}
	return map[string]string{versionLabel: version}
}

// Leader is the controller that works in a cluster.
type Leader struct {
	// Version is that of its program; empty where it doesn't tell.
	Version string
	// Holder is its name: the host or Pod, and a random part.
	Holder string
	// Renewed is when it last said that it is there, by its own clock.
	Renewed time.Time
}

// FindLeader reads who leads by the Lease in a namespace: that of
// Options.SystemNamespace. It is nil where nobody does, and where the user may not
// know; a leader that was killed is still found, at an earlier time of Renewed.
func FindLeader(ctx context.Context, c *cluster.Client, namespace string) (*Leader, error) {
	gvk := coordinationv1.SchemeGroupVersion.WithKind("Lease")
	// Known beforehand: asking which kinds there are would cost requests.
	m := cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource("leases"), Namespaced: true}
	live, err := c.Get(ctx, m, namespace, LeaseName)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
		return nil, nil //nolint:nilnil // nobody that is known of
	case err != nil:
		return nil, fmt.Errorf("look for the controller of packages: %w", err)
	}
	return leaderOf(live)
}

func leaderOf(live *unstructured.Unstructured) (*Leader, error) {
	var lease coordinationv1.Lease
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &lease); err != nil {
		return nil, fmt.Errorf("read Lease %s/%s: %w", live.GetNamespace(), live.GetName(), err)
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return nil, nil //nolint:nilnil // it was given back
	}
	l := &Leader{Version: lease.Labels[versionLabel], Holder: *lease.Spec.HolderIdentity}
	if lease.Spec.RenewTime != nil {
		l.Renewed = lease.Spec.RenewTime.Time
	}
	return l, nil
}
