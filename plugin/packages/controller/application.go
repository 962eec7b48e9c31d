package controller

import (
	"context"
	"fmt"
	"log/slog"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// applications submits Applications to the Runtime and tells how they are.
type applications struct {
	client  client.Client
	runtime Runtime
	store   *status.Store
	gauge   *maintenanceGauge
	clock   clock.PassiveClock
	log     *slog.Logger
}

// Reconcile looks at one Application.
func (r *applications) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	app := &api.Application{}
	err := r.client.Get(ctx, request.NamespacedName, app)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, r.forget(request.NamespacedName)
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("get Application %s: %w", request, err)
	}
	if !app.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.remove(ctx, app)
	}
	if controllerutil.ContainsFinalizer(app, api.FinalizerApplication) {
		return reconcile.Result{}, r.submit(ctx, app)
	}
	base := app.DeepCopy()
	controllerutil.AddFinalizer(app, api.FinalizerApplication)
	if err := r.client.Patch(ctx, app, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})); err != nil {
		return reconcile.Result{}, ignoreStale(fmt.Errorf("put the finalizer on Application %s: %w", request, err))
	}
	return reconcile.Result{}, r.submit(ctx, app)
}

// ignoreStale makes no fault of a patch of what has changed or gone since it was read:
// the watch that is behind brings the change, and with it the next look.
func ignoreStale(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// submit tells the Runtime what is wanted, and people how it is.
func (r *applications) submit(ctx context.Context, app *api.Application) error {
	name := api.InstanceName(app.Namespace, app.Name)
	r.gauge.set(app)
	desired, missing, err := r.desired(ctx, app)
	if err != nil {
		return err
	}
	if missing != nil && !r.runs(app) {
		r.store.Set(name, *missing)
		return r.tell(ctx, app)
	}
	if missing != nil && missing.Reason == status.ReasonRepositoryUnknown {
		return r.tell(ctx, app) // what runs goes on as it is: how it was reached isn't known
	}
	if known, ok := r.store.Get(name); ok && known.Is(status.Pending) {
		r.store.Set(name, status.False(status.Pending, "", ""))
	}
	if err := r.runtime.Update(desired); err != nil {
		return fmt.Errorf("submit Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	return r.tell(ctx, app)
}

// runs tells whether the version that is wanted is loaded already: then what a
// repository says meanwhile doesn't matter.
func (r *applications) runs(app *api.Application) bool {
	known, ok := r.store.Get(api.InstanceName(app.Namespace, app.Name))
	return ok && known.Version == app.Spec.PackageVersion && known.Is(status.Loaded)
}

// desired is what an Application asks for, and a condition that says what of it isn't
// there; nil: it all is.
func (r *applications) desired(ctx context.Context, app *api.Application) (Desired, *status.Condition, error) {
	s := app.Spec
	d := Desired{
		Namespace: app.Namespace, Name: app.Name, Repository: s.Repository(), Package: s.PackageName, Version: s.PackageVersion,
		Maintenance: s.Maintenance == api.NoResourceReconciliation,
	}
	if s.Settings != nil && len(s.Settings.Raw) > 0 {
		settings, err := object.DecodeJSON(s.Settings.Raw)
		if err != nil {
			return d, nil, fmt.Errorf("settings of Application %s/%s: they are no JSON object", app.Namespace, app.Name)
		}
		d.Settings = settings
	}
	if c, last := app.Status.CurrentVersion, app.Status.LastAppliedConfiguration; c != nil && last != nil {
		applied, err := object.DecodeJSON(last.Raw)
		if err != nil {
			return d, nil, fmt.Errorf("lastAppliedConfiguration of Application %s/%s: it is no JSON object", app.Namespace, app.Name)
		}
		d.Applied, d.AppliedVersion = applied, c.Version
	}
	repository := &api.PackageRepository{}
	err := r.client.Get(ctx, types.NamespacedName{Name: d.Repository}, repository)
	switch {
	case apierrors.IsNotFound(err):
		return d, pending(status.ReasonRepositoryUnknown, "there is no PackageRepository %s", d.Repository), nil
	case err != nil:
		return d, nil, fmt.Errorf("get PackageRepository %s: %w", d.Repository, err)
	}
	d.Registry = repository.Spec.Registry
	missing, err := r.missing(ctx, d)
	return d, missing, err
}

// missing says what admission would refuse: a package or version that isn't there, or
// isn't known yet.
func (r *applications) missing(ctx context.Context, d Desired) (*status.Condition, error) {
	name := api.VersionName(d.Repository, d.Package, d.Version)
	version := &api.ApplicationPackageVersion{}
	err := r.client.Get(ctx, types.NamespacedName{Name: name}, version)
	if err == nil {
		if s := version.Spec; s.PackageRepositoryName != d.Repository || s.PackageName != d.Package || s.PackageVersion != d.Version {
			return pending(status.ReasonVersionNotFound, "%s", (&takenError{name: name, by: s}).Error()), nil
		}
		if c, ok := loaded(version); !ok {
			return pending(status.ReasonVersionDraft, "the metadata of ApplicationPackageVersion %s is not loaded%s", name, c), nil
		}
		return nil, nil //nolint:nilnil // nothing is missing
	}
	if !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("get ApplicationPackageVersion %s: %w", name, err)
	}
	err = r.client.Get(ctx, types.NamespacedName{Name: d.Package}, &api.ApplicationPackage{})
	switch {
	case apierrors.IsNotFound(err):
		return pending(status.ReasonPackageNotFound, "there is no ApplicationPackage %s", d.Package), nil
	case err != nil:
		return nil, fmt.Errorf("get ApplicationPackage %s: %w", d.Package, err)
	}
	return pending(status.ReasonVersionNotFound, "the repository %s has no version %s of the package %s", d.Repository, d.Version, d.Package), nil
}

func pending(reason, format string, args ...any) *status.Condition {
	c := status.TrueBecause(status.Pending, reason, fmt.Sprintf(format, args...))
	return &c
}

// loaded tells whether a version can be used, and if not, why: a text to put behind.
func loaded(v *api.ApplicationPackageVersion) (why string, ok bool) {
	c := meta.FindStatusCondition(v.Status.Conditions, api.ConditionMetadataLoaded)
	if _, draft := v.Labels[api.LabelDraft]; !draft && c != nil && c.Status == metav1.ConditionTrue {
		return "", true
	}
	if c != nil && c.Status != metav1.ConditionTrue {
		return ": " + c.Reason + ": " + c.Message, false
	}
	return " yet", false
}

// remove has an Application removed; its finalizer goes when nothing is left.
func (r *applications) remove(ctx context.Context, app *api.Application) error {
	if !controllerutil.ContainsFinalizer(app, api.FinalizerApplication) {
		return nil
	}
	desired, _, err := r.desired(ctx, app)
	if err != nil {
		return err
	}
	done, err := r.runtime.Remove(desired)
	if err != nil {
		return fmt.Errorf("remove Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	if !done {
		return r.tell(ctx, app)
	}
	base := app.DeepCopy()
	controllerutil.RemoveFinalizer(app, api.FinalizerApplication)
	err = r.client.Patch(ctx, app, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
	switch {
	case apierrors.IsConflict(err):
		return ignoreStale(err) // the finalizer is still there
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("take the finalizer off Application %s/%s: %w", app.Namespace, app.Name, err)
	}
	r.log.Info("the application is removed", "application", desired.InstanceName())
	r.gauge.forget(app.Namespace, app.Name)
	r.store.Delete(desired.InstanceName())
	return nil
}

// forget is about an Application that is gone. If that happened behind our back, by
// taking off the finalizer, what is left of it is removed.
func (r *applications) forget(of types.NamespacedName) error {
	r.gauge.forget(of.Namespace, of.Name)
	name := api.InstanceName(of.Namespace, of.Name)
	if _, known := r.store.Get(name); !known {
		return nil
	}
	done, err := r.runtime.Remove(Desired{Namespace: of.Namespace, Name: of.Name})
	if err != nil {
		return fmt.Errorf("remove what is left of Application %s: %w", of, err)
	}
	if done {
		r.store.Delete(name)
	}
	return nil
}
