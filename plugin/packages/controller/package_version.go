package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/scan"
)

// versions fetches the metadata of package versions and tells who uses them.
type versions struct {
	client client.Client
	open   func(api.RegistrySpec) (catalog.Catalog, error)
	gate   *gate
	// limit bounds the time for one version.
	limit time.Duration
	log   *slog.Logger
}

// Reconcile looks at one version.
func (r *versions) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	v := &api.ApplicationPackageVersion{}
	if err := r.client.Get(ctx, request.NamespacedName, v); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	users, err := usersOf(ctx, r.client, versionIndex, v.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := r.hold(ctx, v, len(users) > 0); err != nil || !v.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, ignoreStale(err)
	}
	return reconcile.Result{}, r.load(ctx, request, v, users)
}

// hold keeps a version from being deleted while it is used.
func (r *versions) hold(ctx context.Context, v *api.ApplicationPackageVersion, used bool) error {
	base := v.DeepCopy()
	var changed bool
	if used {
		changed = v.DeletionTimestamp.IsZero() && controllerutil.AddFinalizer(v, api.FinalizerVersionUsed)
	} else {
		changed = controllerutil.RemoveFinalizer(v, api.FinalizerVersionUsed)
	}
	if !changed {
		return nil
	}
	if err := r.client.Patch(ctx, v, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("finalizer of ApplicationPackageVersion %s: %w", v.Name, err)
	}
	return nil
}

// load fetches the metadata of a draft. The error is also in its condition.
func (r *versions) load(ctx context.Context, request reconcile.Request, v *api.ApplicationPackageVersion, users []api.InstanceRef) error {
	base := v.DeepCopy()
	v.Status.UsedBy, v.Status.UsedByCount = users, len(users)
	_, done := loaded(v)
	var fault error
	if !done {
		leave, ok := r.gate.enter(v.Spec.PackageRepositoryName, request)
		if !ok {
			return nil // its turn is to come
		}
		fault = r.fetch(ctx, v)
		leave()
	}
	if !equality.Semantic.DeepEqual(base.Status, v.Status) {
		err := r.client.Status().Patch(ctx, v, client.MergeFrom(base))
		if isTooLarge(err) {
			fault, err = err, r.tellTooLarge(ctx, v, base)
		}
		if client.IgnoreNotFound(err) != nil {
			return errors.Join(fault, fmt.Errorf("write the status of ApplicationPackageVersion %s: %w", v.Name, err))
		}
	}
	if _, draft := v.Labels[api.LabelDraft]; fault != nil || done || !draft {
		return fault
	}
	// The label goes last: without it, the status is whole.
	base = v.DeepCopy()
	delete(v.Labels, api.LabelDraft)
	if err := r.client.Patch(ctx, v, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("ApplicationPackageVersion %s is no draft any more: %w", v.Name, err)
	}
	r.log.Info("the metadata of a version is loaded", "version", v.Name)
	return nil
}

// tellTooLarge says that a version says more of itself than the server stores. It stays a
// draft.
func (r *versions) tellTooLarge(ctx context.Context, v, base *api.ApplicationPackageVersion) error {
	v.Status.PackageMetadata, v.Status.PackageSchemas = base.Status.PackageMetadata, base.Status.PackageSchemas
	meta.SetStatusCondition(&v.Status.Conditions, metav1.Condition{
		Type: api.ConditionMetadataLoaded, Status: metav1.ConditionFalse, Reason: api.ReasonFetchingRelease, ObservedGeneration: v.Generation,
		Message: "its descriptions, changelog and schemas are too large for an object of the cluster",
	})
	return r.client.Status().Patch(ctx, v, client.MergeFrom(base))
}

// fetch fills a status with metadata, or with why there is none.
func (r *versions) fetch(ctx context.Context, v *api.ApplicationPackageVersion) error {
	reason, err := r.metadata(ctx, v)
	c := metav1.Condition{Type: api.ConditionMetadataLoaded, Status: metav1.ConditionTrue, Reason: api.ConditionMetadataLoaded, ObservedGeneration: v.Generation}
	if err != nil {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, reason, err.Error()
	}
	meta.SetStatusCondition(&v.Status.Conditions, c)
	return err
}

// metadata fills in what the registry says. The reason is that of the condition.
func (r *versions) metadata(ctx context.Context, v *api.ApplicationPackageVersion) (reason string, err error) {
	repository := &api.PackageRepository{}
	if err := r.client.Get(ctx, types.NamespacedName{Name: v.Spec.PackageRepositoryName}, repository); err != nil {
		if apierrors.IsNotFound(err) {
			err = fmt.Errorf("there is no PackageRepository %s", v.Spec.PackageRepositoryName)
		}
		return api.ReasonGetRepository, err
	}
	c, err := r.open(repository.Spec.Registry)
	if err != nil {
		return api.ReasonGetRegistryClient, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.limit, fmt.Errorf("the repository %s hasn't given the metadata within %s", repository.Name, r.limit))
	defer cancel()
	m, err := c.Metadata(ctx, v.Spec.PackageName, v.Spec.PackageVersion)
	if err != nil {
		return api.ReasonGetImage, err
	}
	told, schemas, err := scan.Metadata(m)
	if err != nil {
		return api.ReasonFetchingRelease, err
	}
	v.Status.PackageMetadata, v.Status.PackageSchemas = told, schemas
	return "", nil
}

// usersOf lists the Applications that an index has for a name, sorted.
func usersOf(ctx context.Context, c client.Client, index, name string) ([]api.InstanceRef, error) {
	list := &api.ApplicationList{}
	// Only names are read: copies of a thousand Applications for each that changes would be
	// most of the work.
	if err := c.List(ctx, list, client.MatchingFields{index: name}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list the Applications of %s: %w", name, err)
	}
	var users []api.InstanceRef
	for i := range list.Items {
		users = append(users, api.InstanceRef{Namespace: list.Items[i].Namespace, Name: list.Items[i].Name})
	}
	slices.SortFunc(users, func(a, b api.InstanceRef) int {
		if a.Namespace != b.Namespace {
			return compare(a.Namespace, b.Namespace)
		}
		return compare(a.Name, b.Name)
	})
	return users, nil
}
