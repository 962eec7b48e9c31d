package controller

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// keptOperations is how many operations of a repository are kept once they are done.
const keptOperations = 10

// repositories decides when a repository is scanned.
type repositories struct {
	client client.Client
	// reader asks the server itself.
	reader client.Reader
	clock  clock.PassiveClock
	timing Timing
}

// Reconcile looks at one repository.
func (r *repositories) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	p := &api.PackageRepository{}
	if err := r.client.Get(ctx, request.NamespacedName, p); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !p.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.remove(ctx, p)
	}
	base := p.DeepCopy()
	if controllerutil.AddFinalizer(p, api.FinalizerRepository) {
		if err := r.client.Patch(ctx, p, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("put the finalizer on PackageRepository %s: %w", p.Name, err))
		}
	}
	if err := r.phase(ctx, p, api.PhaseActive, p.Status.Message); err != nil {
		return reconcile.Result{}, err
	}
	operations, err := r.operations(ctx, p.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	if slices.ContainsFunc(operations, func(o api.PackageRepositoryOperation) bool { return !completed(&o) }) {
		return reconcile.Result{}, nil // its end is an event
	}
	if err := r.prune(ctx, operations); err != nil {
		return reconcile.Result{}, err
	}
	if n := nextScan(p, r.clock.Now(), r.timing); n.in > 0 {
		return reconcile.Result{RequeueAfter: n.in}, nil
	}
	return r.scan(ctx, p.Name)
}

// next is when a repository is to be scanned, and how.
type next struct {
	in   time.Duration
	full bool
}

// nextScan decides. A repository that is new, or whose registry is reached in another
// way than before, is scanned as a whole at once. After a failure the pauses are as
// long as it has failed already.
func nextScan(p *api.PackageRepository, now time.Time, timing Timing) next {
	full := !p.Status.PartialScanAvailable
	if p.Annotations[api.AnnotationRegistryChecksum] != checksumOf(p.Spec.Registry) || p.Status.LastScanTime == nil {
		return next{full: true}
	}
	wait := intervalOf(p)
	if c := meta.FindStatusCondition(p.Status.Conditions, api.ConditionLastScanSucceeded); c != nil && c.Status == metav1.ConditionFalse {
		failing := p.Status.LastScanTime.Sub(c.LastTransitionTime.Time)
		wait = min(wait, max(failing, timing.RetryMin), timing.RetryMax)
	}
	return next{in: max(0, p.Status.LastScanTime.Add(wait).Sub(now)), full: full}
}

func intervalOf(p *api.PackageRepository) time.Duration {
	if p.Spec.ScanInterval != nil && p.Spec.ScanInterval.Duration > 0 {
		return p.Spec.ScanInterval.Duration
	}
	interval, err := time.ParseDuration(api.DefaultScanInterval)
	if err != nil {
		return time.Hour // a constant that a test reads
	}
	return interval
}

// checksumOf names how a registry is reached, without telling it.
func checksumOf(r api.RegistrySpec) string {
	data, err := json.Marshal(r)
	if err != nil {
		return "" // it holds only texts
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// scan begins a scan that is due, if it is: the cache may not have seen the end of the
// last one, so the server is asked.
func (r *repositories) scan(ctx context.Context, name string) (reconcile.Result, error) {
	p := &api.PackageRepository{}
	if err := r.reader.Get(ctx, types.NamespacedName{Name: name}, p); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	list := &api.PackageRepositoryOperationList{}
	if err := r.reader.List(ctx, list); err != nil {
		return reconcile.Result{}, fmt.Errorf("list the operations of PackageRepository %s: %w", name, err)
	}
	for i := range list.Items {
		if o := &list.Items[i]; o.Spec.PackageRepositoryName == name && !completed(o) {
			return reconcile.Result{}, nil
		}
	}
	n := nextScan(p, r.clock.Now(), r.timing)
	if n.in > 0 {
		return reconcile.Result{RequeueAfter: n.in}, nil
	}
	return reconcile.Result{}, r.begin(ctx, p, n.full)
}

func (r *repositories) begin(ctx context.Context, p *api.PackageRepository, full bool) error {
	o := &api.PackageRepositoryOperation{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.Name + "-" + strconv.FormatInt(r.clock.Now().UnixMilli(), 36),
			Labels: map[string]string{
				api.LabelRepository: p.Name, api.LabelOperationType: strings.ToLower(api.OperationUpdate), api.LabelOperationTrigger: api.TriggerAuto,
			},
			OwnerReferences: []metav1.OwnerReference{ownerOf(p)},
		},
		Spec: api.PackageRepositoryOperationSpec{
			PackageRepositoryName: p.Name, Type: api.OperationUpdate, Update: &api.OperationOptions{FullScan: full},
		},
	}
	if err := r.client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("begin a scan of PackageRepository %s: %w", p.Name, err)
	}
	return nil
}

func ownerOf(p *api.PackageRepository) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: api.GroupVersion().String(), Kind: api.KindPackageRepository, Name: p.Name, UID: p.UID}
}

// operations lists those of a repository, the newest first.
func (r *repositories) operations(ctx context.Context, name string) ([]api.PackageRepositoryOperation, error) {
	list := &api.PackageRepositoryOperationList{}
	if err := r.client.List(ctx, list, client.MatchingFields{repositoryIndex: name}); err != nil {
		return nil, fmt.Errorf("list the operations of PackageRepository %s: %w", name, err)
	}
	slices.SortFunc(list.Items, func(a, b api.PackageRepositoryOperation) int {
		if c := b.CreationTimestamp.Compare(a.CreationTimestamp.Time); c != 0 {
			return c
		}
		return cmp.Compare(b.Name, a.Name)
	})
	return list.Items, nil
}

// prune deletes operations that are long done.
func (r *repositories) prune(ctx context.Context, newestFirst []api.PackageRepositoryOperation) error {
	for i := keptOperations; i < len(newestFirst); i++ {
		if err := r.client.Delete(ctx, &newestFirst[i]); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete the old operation %s: %w", newestFirst[i].Name, err)
		}
	}
	return nil
}

func (r *repositories) phase(ctx context.Context, p *api.PackageRepository, phase api.Phase, message string) error {
	base := p.DeepCopy()
	p.Status.Phase, p.Status.Message = phase, message
	if equality.Semantic.DeepEqual(base.Status, p.Status) {
		return nil
	}
	if err := r.client.Status().Patch(ctx, p, client.MergeFrom(base)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of PackageRepository %s: %w", p.Name, err)
	}
	return nil
}

// remove deletes the versions of a repository, and lets it go once they are gone.
func (r *repositories) remove(ctx context.Context, p *api.PackageRepository) error {
	list := &api.ApplicationPackageVersionList{}
	if err := r.client.List(ctx, list, client.MatchingLabels{api.LabelRepository: p.Name}); err != nil {
		return fmt.Errorf("list the versions of PackageRepository %s: %w", p.Name, err)
	}
	var used []string
	for i := range list.Items {
		v := &list.Items[i]
		if v.DeletionTimestamp.IsZero() {
			if err := r.client.Delete(ctx, v); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("delete ApplicationPackageVersion %s: %w", v.Name, err)
			}
		}
		for _, u := range v.Status.UsedBy {
			used = append(used, u.Namespace+"/"+u.Name)
		}
	}
	if len(list.Items) == 0 {
		base := p.DeepCopy()
		if !controllerutil.RemoveFinalizer(p, api.FinalizerRepository) {
			return nil
		}
		err := r.client.Patch(ctx, p, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
		return client.IgnoreNotFound(err)
	}
	message := fmt.Sprintf("its %d versions are being deleted", len(list.Items))
	if len(used) > 0 {
		slices.Sort(used)
		message = fmt.Sprintf("versions of it are used by Applications: %s", listed(slices.Compact(used)))
	}
	return r.phase(ctx, p, api.PhaseTerminating, message)
}

// listed names the first few of many.
func listed(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
