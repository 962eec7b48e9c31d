package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// packages tells of ApplicationPackages who offers and who uses them.
type packages struct {
	client client.Client
	clock  clock.PassiveClock
	timing Timing
}

// Reconcile looks at one package. It is there as long as somebody offers or uses it.
func (r *packages) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	repositories, err := r.repositories(ctx, request.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	users, err := usersOf(ctx, r.client, packageIndex, request.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	p := &api.ApplicationPackage{}
	err = r.client.Get(ctx, request.NamespacedName, p)
	switch {
	case apierrors.IsNotFound(err) && len(repositories) > 0:
		return reconcile.Result{}, client.IgnoreAlreadyExists(r.client.Create(ctx, newPackage(request.Name)))
	case err != nil:
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if len(repositories) == 0 && len(users) == 0 {
		if age := r.clock.Since(p.CreationTimestamp.Time); age < r.timing.Youth {
			return reconcile.Result{RequeueAfter: r.timing.Youth - age}, nil
		}
		return reconcile.Result{}, client.IgnoreNotFound(r.client.Delete(ctx, p))
	}
	base := p.DeepCopy()
	p.Status.AvailableRepositories = repositories
	for repository := range p.Status.ReleaseChannels {
		if !slices.Contains(repositories, repository) {
			delete(p.Status.ReleaseChannels, repository)
		}
	}
	p.Status.UsedBy, p.Status.UsedByCount = byNamespace(users), len(users)
	if equality.Semantic.DeepEqual(base.Status, p.Status) {
		return reconcile.Result{}, nil
	}
	if err := r.client.Status().Patch(ctx, p, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, fmt.Errorf("write the status of ApplicationPackage %s: %w", p.Name, err)
	}
	return reconcile.Result{}, nil
}

func newPackage(name string) *api.ApplicationPackage {
	return &api.ApplicationPackage{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{api.LabelHeritage: api.HeritageDeckhouse}}}
}

// repositories lists those with a version of the package that is in the registry.
func (r *packages) repositories(ctx context.Context, name string) ([]string, error) {
	list := &api.ApplicationPackageVersionList{}
	if err := r.client.List(ctx, list, client.MatchingLabels{api.LabelPackage: name}); err != nil {
		return nil, fmt.Errorf("list the versions of package %s: %w", name, err)
	}
	var all []string
	for i := range list.Items {
		v := &list.Items[i]
		if v.Labels[api.LabelExistInRegistry] != "false" && v.DeletionTimestamp.IsZero() {
			all = append(all, v.Spec.PackageRepositoryName)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func byNamespace(users []api.InstanceRef) []api.NamespaceUsage {
	var all []api.NamespaceUsage
	for _, u := range users { // sorted by namespace
		if last := len(all) - 1; last >= 0 && all[last].Namespace == u.Namespace {
			all[last].Instances = append(all[last].Instances, u.Name)
			continue
		}
		all = append(all, api.NamespaceUsage{Namespace: u.Namespace, Instances: []string{u.Name}})
	}
	return all
}

func compare(a, b string) int { return cmp.Compare(a, b) }
