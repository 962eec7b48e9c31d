package controller

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

const (
	// workers are those of a reconciler that asks repositories: how many of them may be
	// slow before others wait.
	workers = 16
	// workersOfOne is how many of them may ask one repository for metadata.
	workersOfOne = 4
)

// addReconcilers joins reconcilers and watches.
func addReconcilers(m manager.Manager, o Options, l *leader) error {
	gauge, err := newGauge()
	if err != nil {
		return err
	}
	if err := newTasks(metrics.Registry, o.Queues); err != nil {
		return err
	}
	asked, err := newDiscovery(o)
	if err != nil {
		return err
	}
	c := m.GetClient()
	o.Changes.pause = o.Timing.StatusPause
	l.apps = &applications{client: c, runtime: o.Runtime, store: o.Store, gauge: gauge, clock: o.Clock, log: o.Log}
	l.facts = &facts{
		client: c, discovery: asked, runtime: o.Runtime, platform: o.PlatformVersion, namespace: o.SystemNamespace,
		every: o.Timing.Look, forgetKinds: o.ForgetKinds, log: o.Log,
	}
	return errors.Join(
		watchApplications(m, o, l.apps),
		watchVersions(m, o, &versions{client: c, open: o.Open, gate: newGate(workersOfOne), limit: o.Timing.ScanTimeout, log: o.Log}),
		watchPackages(m, &packages{client: c, clock: o.Clock, timing: o.Timing}),
		watchRepositories(m, &repositories{client: c, reader: m.GetAPIReader(), clock: o.Clock, timing: o.Timing}),
		watchOperations(m, o, &operations{
			client: c, reader: m.GetAPIReader(), open: o.Open, gate: newGate(1), clock: o.Clock, timing: o.Timing, log: o.Log,
		}),
		watchFacts(m, l.facts),
	)
}

// settings are those of a reconciler: how many side by side, and what is tried again
// when.
func (o Options) settings(concurrent int) controller.Options {
	unnamed := true
	return controller.Options{
		MaxConcurrentReconciles: concurrent, SkipNameValidation: &unnamed,
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](o.Timing.RetryMin, o.Timing.RetryMax),
	}
}

// quick is for reconcilers that only talk to the API server, whose conflicts pass at
// once.
func quick(concurrent int) controller.Options {
	unnamed := true
	return controller.Options{MaxConcurrentReconciles: concurrent, SkipNameValidation: &unnamed}
}

func watchApplications(m manager.Manager, o Options, r reconcile.Reconciler) error {
	c := m.GetClient()
	return builder.ControllerManagedBy(m).Named("application").
		For(&api.Application{}).
		WatchesRawSource(o.Changes).
		Watches(&api.ApplicationPackageVersion{}, applicationsBy(c, versionIndex), builder.WithPredicates(updates(loadedChanged))).
		Watches(&api.PackageRepository{}, applicationsBy(c, repositoryIndex), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(quick(4)).Complete(r)
}

func watchVersions(m manager.Manager, o Options, r *versions) error {
	return builder.ControllerManagedBy(m).Named("package-version").
		For(&api.ApplicationPackageVersion{}).
		Watches(&api.Application{}, toNames(func(o client.Object) []string {
			if a, ok := o.(*api.Application); ok {
				return versionsOf(a)
			}
			return nil
		}), builder.WithPredicates(updates(usageChanged))).
		Watches(&api.PackageRepository{}, draftsOf(m.GetClient()), builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WatchesRawSource(r.gate).
		WithOptions(o.settings(workers)).Complete(r)
}

func watchPackages(m manager.Manager, r reconcile.Reconciler) error {
	return builder.ControllerManagedBy(m).Named("package").
		For(&api.ApplicationPackage{}).
		Watches(&api.ApplicationPackageVersion{}, toNames(func(o client.Object) []string {
			if v, ok := o.(*api.ApplicationPackageVersion); ok {
				return []string{v.Spec.PackageName}
			}
			return nil
		}), builder.WithPredicates(updates(labelsChanged))).
		Watches(&api.Application{}, toNames(func(o client.Object) []string {
			if a, ok := o.(*api.Application); ok {
				return []string{a.Spec.PackageName}
			}
			return nil
		}), builder.WithPredicates(updates(usageChanged))).
		WithOptions(quick(2)).Complete(r)
}

func watchRepositories(m manager.Manager, r reconcile.Reconciler) error {
	return builder.ControllerManagedBy(m).Named("repository").
		For(&api.PackageRepository{}).
		Watches(&api.PackageRepositoryOperation{}, toNames(func(o client.Object) []string {
			if operation, ok := o.(*api.PackageRepositoryOperation); ok {
				return []string{operation.Spec.PackageRepositoryName}
			}
			return nil
		})).
		Watches(&api.ApplicationPackageVersion{}, toNames(func(o client.Object) []string {
			if v, ok := o.(*api.ApplicationPackageVersion); ok {
				return []string{v.Spec.PackageRepositoryName}
			}
			return nil
		}), builder.WithPredicates(updates(usersChanged))).
		WithOptions(quick(2)).Complete(r)
}

func watchOperations(m manager.Manager, o Options, r *operations) error {
	return builder.ControllerManagedBy(m).Named("operation").
		For(&api.PackageRepositoryOperation{}).
		WatchesRawSource(r.gate).
		WithOptions(o.settings(workers)).Complete(r)
}

// watchFacts has one request for all that can change.
func watchFacts(m manager.Manager, r reconcile.Reconciler) error {
	same := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "facts"}}}
	})
	return builder.ControllerManagedBy(m).Named("facts").
		Watches(&api.Module{}, same).
		Watches(&corev1.ConfigMap{}, same).
		Watches(&corev1.Service{}, same).
		WithOptions(quick(1)).Complete(r)
}

// updates lets creations and deletions through, and those updates that matter.
func updates(matter func(before, after client.Object) bool) predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld == nil || e.ObjectNew == nil || matter(e.ObjectOld, e.ObjectNew)
	}}
}

func loadedChanged(before, after client.Object) bool {
	a, isVersion := before.(*api.ApplicationPackageVersion)
	b, isToo := after.(*api.ApplicationPackageVersion)
	if !isVersion || !isToo {
		return true
	}
	whyA, okA := loaded(a)
	whyB, okB := loaded(b)
	return okA != okB || whyA != whyB
}

func usersChanged(before, after client.Object) bool {
	a, isVersion := before.(*api.ApplicationPackageVersion)
	b, isToo := after.(*api.ApplicationPackageVersion)
	return !isVersion || !isToo || !slices.Equal(a.Status.UsedBy, b.Status.UsedBy)
}

func labelsChanged(before, after client.Object) bool {
	a, b := before.GetLabels(), after.GetLabels()
	return a[api.LabelExistInRegistry] != b[api.LabelExistInRegistry] || before.GetDeletionTimestamp().IsZero() != after.GetDeletionTimestamp().IsZero()
}

func usageChanged(before, after client.Object) bool {
	a, isApplication := before.(*api.Application)
	b, isToo := after.(*api.Application)
	return !isApplication || !isToo || a.Spec.PackageName != b.Spec.PackageName || !slices.Equal(versionsOf(a), versionsOf(b))
}

// toNames asks for cluster-wide objects by name.
func toNames(of func(client.Object) []string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
		var all []reconcile.Request
		for _, name := range of(o) {
			all = append(all, reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
		}
		return all
	})
}

// applicationsBy asks for the Applications that an index has for an object.
func applicationsBy(c client.Client, field string) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
		users, err := usersOf(ctx, c, field, o.GetName())
		if err != nil {
			return nil // the cache has no such index: a fault of index, which tests would see
		}
		var all []reconcile.Request
		for _, u := range users {
			all = append(all, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: u.Namespace, Name: u.Name}})
		}
		return all
	})
}

// draftsOf asks for the versions of a repository whose metadata is not loaded yet.
func draftsOf(c client.Client) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
		list := &api.ApplicationPackageVersionList{}
		if err := c.List(ctx, list, client.MatchingLabels{api.LabelRepository: o.GetName()}, client.HasLabels{api.LabelDraft}); err != nil {
			return nil // the cache is closed: the process ends
		}
		var all []reconcile.Request
		for i := range list.Items {
			all = append(all, reconcile.Request{NamespacedName: types.NamespacedName{Name: list.Items[i].Name}})
		}
		return all
	})
}
