package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// Labels of the Lease. The version of the program that leads and its Pod are for those
// who have no access to where the controller runs; by partOfLabel it is found, in
// whichever namespace it is.
const (
	versionLabel = "app.kubernetes.io/version"
	podLabel     = "app.kubernetes.io/instance"
	partOfLabel  = "app.kubernetes.io/part-of"
	partOf       = "kubectl-tazuna"
)

// together is how far apart two leaders may have renewed their Leases for both to be
// at work: several times what a leader takes.
const together = time.Minute

// leaseLabels are those that the leader puts on its Lease, without a version or a Pod
// that is empty or can't be a label's value.
func leaseLabels(version, pod string) map[string]string {
	labels := map[string]string{partOfLabel: partOf}
	for name, value := range map[string]string{versionLabel: version, podLabel: pod} {
		if value != "" && len(validation.IsValidLabelValue(value)) == 0 {
			labels[name] = value
		}
	}
	return labels
}

// Leader is the controller that works in a cluster.
type Leader struct {
	// Version is that of its program; empty where it doesn't tell.
	Version string
	// Namespace is where its Lease is: Options.SystemNamespace.
	Namespace string
	// Holder is its name: the host or Pod, and a random part.
	Holder string
	// Pod is the name of its Pod, in the namespace of the Lease; empty where it runs in
	// none or doesn't tell.
	Pod string
	// Renewed is when it last said that it is there, by its own clock.
	Renewed time.Time
}

// FindLeaders reads who leads by the Leases of all namespaces, and where the user may
// not list these, by that of DefaultSystemNamespace. There is none where nobody leads or
// the user may not know. The first is the one that was seen last; others follow only if
// they are at work at the same time, which nobody wants. A leader that was killed is
// still found where no other is, at an earlier time of Renewed.
func FindLeaders(ctx context.Context, c *cluster.Client) ([]Leader, error) {
	found, err := findLeases(ctx, c)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err):
		return nil, nil // nobody that is known of
	case err != nil:
		return nil, fmt.Errorf("look for the controller of packages: %w", err)
	}
	return leadersOf(found)
}

// ReadLeader reads who leads by the Lease of one namespace; nil where nobody does. That
// the user may not read it is an error.
func ReadLeader(ctx context.Context, c *cluster.Client, namespace string) (*Leader, error) {
	lease, err := c.Get(ctx, leases(), namespace, LeaseName)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // nobody
	}
	if err != nil {
		return nil, fmt.Errorf("look for the controller of packages: %w", err)
	}
	leader, held, err := leaderOf(lease)
	if err != nil || !held {
		return nil, err
	}
	return &leader, nil
}

// leases is known beforehand: asking which kinds there are would cost requests.
func leases() cluster.Mapping {
	gvk := coordinationv1.SchemeGroupVersion.WithKind("Lease")
	return cluster.Mapping{GVK: gvk, GVR: gvk.GroupVersion().WithResource("leases"), Namespaced: true}
}

func findLeases(ctx context.Context, c *cluster.Client) ([]*unstructured.Unstructured, error) {
	all, err := c.List(ctx, leases(), cluster.ListOptions{LabelSelector: partOfLabel + "=" + partOf})
	if err == nil || !apierrors.IsForbidden(err) {
		return all, err
	}
	lease, err := c.Get(ctx, leases(), DefaultSystemNamespace, LeaseName)
	if err != nil {
		return nil, err
	}
	return []*unstructured.Unstructured{lease}, nil
}

// leadersOf are the holders of these Leases, as FindLeaders returns them.
func leadersOf(all []*unstructured.Unstructured) ([]Leader, error) {
	var found []Leader
	for _, lease := range all {
		if lease.GetName() != LeaseName {
			continue // another of ours
		}
		leader, held, err := leaderOf(lease)
		if err != nil {
			return nil, err
		}
		if held {
			found = append(found, leader)
		}
	}
	slices.SortFunc(found, func(a, b Leader) int {
		return cmp.Or(b.Renewed.Compare(a.Renewed), cmp.Compare(a.Namespace, b.Namespace))
	})
	for i := range found {
		if found[0].Renewed.Sub(found[i].Renewed) > together {
			return found[:i], nil
		}
	}
	return found, nil
}

// leaderOf is the holder of a Lease, false where it was given back.
func leaderOf(live *unstructured.Unstructured) (Leader, bool, error) {
	var lease coordinationv1.Lease
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &lease); err != nil {
		return Leader{}, false, fmt.Errorf("read Lease %s/%s: %w", live.GetNamespace(), live.GetName(), err)
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return Leader{}, false, nil
	}
	l := Leader{Version: lease.Labels[versionLabel], Namespace: lease.Namespace, Holder: *lease.Spec.HolderIdentity, Pod: lease.Labels[podLabel]}
	if lease.Spec.RenewTime != nil {
		l.Renewed = lease.Spec.RenewTime.Time
	}
	return l, true, nil
}
