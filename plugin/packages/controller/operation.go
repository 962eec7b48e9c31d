package controller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/scan"
)

// operations scans repositories.
type operations struct {
	client client.Client
	// reader asks the server itself: the cache may not know yet that an operation is
	// completed, and it is done once.
	reader client.Reader
	open   func(api.RegistrySpec) (catalog.Catalog, error)
	gate   *gate
	clock  clock.PassiveClock
	timing Timing
	log    *slog.Logger
}

// outcome is how an operation went.
type outcome struct {
	// reason is "" if it went well.
	reason, message string
	// result is nil if nothing could be listed.
	result *scan.Result
}

// Reconcile does one operation, once. A scan that was cut off is begun anew: what it
// did before does no harm.
func (r *operations) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	o := &api.PackageRepositoryOperation{}
	if err := r.reader.Get(ctx, request.NamespacedName, o); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if completed(o) || !o.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, nil
	}
	leave, ok := r.gate.enter(o.Spec.PackageRepositoryName, request)
	if !ok {
		return reconcile.Result{}, nil // its turn is to come
	}
	defer leave()
	if err := r.begin(ctx, o); err != nil {
		return reconcile.Result{}, err
	}
	repository := &api.PackageRepository{}
	err := r.client.Get(ctx, types.NamespacedName{Name: o.Spec.PackageRepositoryName}, repository)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, r.end(ctx, o, outcome{
			reason: api.ReasonRepositoryNotFound, message: "there is no PackageRepository " + o.Spec.PackageRepositoryName,
		})
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("get PackageRepository %s: %w", o.Spec.PackageRepositoryName, err)
	}
	if err := r.adopt(ctx, o, repository); err != nil {
		return reconcile.Result{}, err
	}
	if !repository.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.end(ctx, o, outcome{
			reason: api.ReasonRepositoryNotFound, message: "the PackageRepository " + repository.Name + " is being deleted",
		})
	}
	went, err := r.scan(ctx, repository, o.Spec.Update)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := r.report(ctx, repository, o.Spec.Update, went); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.end(ctx, o, went)
}

func completed(o *api.PackageRepositoryOperation) bool {
	return meta.IsStatusConditionTrue(o.Status.Conditions, api.ConditionCompleted)
}

// adopt labels an operation that somebody made by hand, and has it go with its
// repository.
func (r *operations) adopt(ctx context.Context, o *api.PackageRepositoryOperation, p *api.PackageRepository) error {
	if len(o.OwnerReferences) > 0 {
		return nil
	}
	base := o.DeepCopy()
	o.OwnerReferences = []metav1.OwnerReference{ownerOf(p)}
	metav1.SetMetaDataLabel(&o.ObjectMeta, api.LabelRepository, p.Name)
	metav1.SetMetaDataLabel(&o.ObjectMeta, api.LabelOperationType, strings.ToLower(o.Spec.Type))
	metav1.SetMetaDataLabel(&o.ObjectMeta, api.LabelOperationTrigger, api.TriggerManual)
	if err := r.client.Patch(ctx, o, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("label PackageRepositoryOperation %s: %w", o.Name, err)
	}
	return nil
}

func (r *operations) begin(ctx context.Context, o *api.PackageRepositoryOperation) error {
	if o.Status.StartTime != nil {
		return nil
	}
	base := o.DeepCopy()
	o.Status.StartTime = &metav1.Time{Time: r.clock.Now()}
	meta.SetStatusCondition(&o.Status.Conditions, metav1.Condition{
		Type: api.ConditionCompleted, Status: metav1.ConditionFalse, Reason: "Scanning", ObservedGeneration: o.Generation,
	})
	return r.write(ctx, o, base)
}

func (r *operations) end(ctx context.Context, o *api.PackageRepositoryOperation, went outcome) error {
	base := o.DeepCopy()
	o.Status.CompletionTime = &metav1.Time{Time: r.clock.Now()}
	if went.result != nil {
		o.Status.Packages = went.result.Report.DeepCopy()
	}
	c := metav1.Condition{
		Type: api.ConditionProcessed, Status: metav1.ConditionTrue, Reason: api.ConditionProcessed, ObservedGeneration: o.Generation,
	}
	if went.reason != "" {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, went.reason, went.message
	}
	meta.SetStatusCondition(&o.Status.Conditions, c)
	meta.SetStatusCondition(&o.Status.Conditions, metav1.Condition{
		Type: api.ConditionCompleted, Status: metav1.ConditionTrue, Reason: api.ConditionCompleted, ObservedGeneration: o.Generation,
	})
	return r.write(ctx, o, base)
}

func (r *operations) write(ctx context.Context, o, base *api.PackageRepositoryOperation) error {
	if err := r.client.Status().Patch(ctx, o, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of PackageRepositoryOperation %s: %w", o.Name, err)
	}
	return nil
}

// scan looks at a repository and makes the objects of what is new. The error is one of
// our own cluster; what is wrong with the repository is the outcome.
func (r *operations) scan(ctx context.Context, p *api.PackageRepository, options *api.OperationOptions) (outcome, error) {
	c, err := r.open(p.Spec.Registry)
	if err != nil {
		return outcome{reason: api.ReasonRegistryClientFailed, message: err.Error()}, nil
	}
	limit := r.timing.ScanTimeout
	if options != nil && options.Timeout != nil && options.Timeout.Duration > 0 {
		limit = options.Timeout.Duration
	}
	within, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the scan took longer than %s", limit))
	defer cancel()
	found, err := scan.Look(within, c)
	switch {
	case ctx.Err() != nil:
		return outcome{}, context.Cause(ctx)
	case within.Err() != nil:
		return outcome{reason: api.ReasonTimeout, message: context.Cause(within).Error()}, nil
	case err != nil:
		return outcome{reason: api.ReasonListingFailed, message: err.Error()}, nil
	}
	known, err := r.known(ctx, p)
	if err != nil {
		return outcome{}, err
	}
	result := scan.Decide(known, found, options != nil && options.FullScan)
	refused, err := r.make(ctx, p, result)
	if err != nil {
		return outcome{}, err
	}
	result.Refuse(refused)
	went := outcome{result: &result}
	if broken := result.Broken(); len(broken) > 0 {
		went.reason, went.message = api.ReasonPackagesFailed, brokenText(broken)
	}
	return went, nil
}

func brokenText(broken []api.FailedPackage) string {
	var all []string
	for _, b := range broken {
		for _, e := range b.Errors {
			all = append(all, b.Name+": "+e.Message)
		}
	}
	const most = 3
	if len(all) > most {
		return fmt.Sprintf("%s; and %d more", strings.Join(all[:most], "; "), len(all)-most)
	}
	return strings.Join(all, "; ")
}

// known is what the cluster has of a repository.
func (r *operations) known(ctx context.Context, p *api.PackageRepository) (scan.Known, error) {
	list := &api.ApplicationPackageVersionList{}
	if err := r.client.List(ctx, list, client.MatchingLabels{api.LabelRepository: p.Name}); err != nil {
		return scan.Known{}, fmt.Errorf("list the versions of PackageRepository %s: %w", p.Name, err)
	}
	known := scan.Known{Versions: map[string][]string{}}
	for i := range list.Items {
		spec := list.Items[i].Spec
		known.Versions[spec.PackageName] = append(known.Versions[spec.PackageName], spec.PackageVersion)
	}
	for _, listed := range p.Status.Packages {
		known.Packages = append(known.Packages, listed.Name)
	}
	return known, nil
}

// report says in the repository how the scan went.
func (r *operations) report(ctx context.Context, p *api.PackageRepository, options *api.OperationOptions, went outcome) error {
	full := options != nil && options.FullScan
	if went.result != nil && full {
		if err := r.mark(ctx, p); err != nil {
			return err
		}
	}
	base := p.DeepCopy()
	now := metav1.NewTime(r.clock.Now().Truncate(time.Second))
	p.Status.LastScanTime, p.Status.Message = &now, went.message
	if went.result != nil {
		p.Status.Packages, p.Status.PackagesCount = went.result.Packages, len(went.result.Packages)
		if count := len(went.result.New); count > 0 {
			p.Status.LastChangeTime, p.Status.LastNewVersions = &now, count
		}
		p.Status.PartialScanAvailable = p.Status.PartialScanAvailable || full
	}
	c := metav1.Condition{
		Type: api.ConditionLastScanSucceeded, Status: metav1.ConditionTrue, Reason: api.ConditionLastScanSucceeded,
		ObservedGeneration: p.Generation, LastTransitionTime: now,
	}
	if went.reason != "" {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, went.reason, went.message
	}
	meta.SetStatusCondition(&p.Status.Conditions, c)
	if err := r.client.Status().Patch(ctx, p, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of PackageRepository %s: %w", p.Name, err)
	}
	r.log.Info("a repository was scanned", "repository", p.Name, "full", full, "failed", went.message, "new", p.Status.LastNewVersions)
	return nil
}

// mark remembers how the registry was reached by a full scan.
func (r *operations) mark(ctx context.Context, p *api.PackageRepository) error {
	sum := checksumOf(p.Spec.Registry)
	if p.Annotations[api.AnnotationRegistryChecksum] == sum {
		return nil
	}
	base := p.DeepCopy()
	metav1.SetMetaDataAnnotation(&p.ObjectMeta, api.AnnotationRegistryChecksum, sum)
	if err := r.client.Patch(ctx, p, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotate PackageRepository %s: %w", p.Name, err)
	}
	return nil
}

// make makes and marks the objects that follow from a scan. Versions that can't have an
// object are refused; the error is what may be otherwise at the next try.
func (r *operations) make(ctx context.Context, p *api.PackageRepository, result scan.Result) (refused map[scan.Version]string, err error) {
	var faults []error
	refused = map[scan.Version]string{}
	made := map[string]bool{}
	for _, v := range append(result.New, result.Present...) {
		if !made[v.Package] {
			made[v.Package] = true
			faults = append(faults, r.makePackage(ctx, p.Name, v.Package, result.Channels[v.Package]))
		}
	}
	for _, v := range result.New {
		err := r.makeVersion(ctx, p, v)
		var taken *takenError
		if errors.As(err, &taken) || apierrors.IsInvalid(err) {
			refused[v], err = err.Error(), nil
		}
		faults = append(faults, err)
	}
	for _, v := range result.Present {
		faults = append(faults, r.exists(ctx, p, v, "true"))
	}
	for _, v := range result.Gone {
		faults = append(faults, r.exists(ctx, p, v, "false"))
	}
	return refused, errors.Join(faults...)
}
