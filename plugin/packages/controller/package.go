package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// packages tells of ApplicationPackages who offers and who uses them.
type packages struct{ client client.Client }

// Reconcile looks at one package. One that nobody offers and nobody uses is deleted:
// the last scan made it, and a later one knows better.
func (r *packages) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	p := &api.ApplicationPackage{}
	if err := r.client.Get(ctx, request.NamespacedName, p); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	repositories, err := r.repositories(ctx, p.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	users, err := usersOf(ctx, r.client, packageIndex, p.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(repositories) == 0 && len(users) == 0 && len(p.Status.AvailableRepositories) > 0 {
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
