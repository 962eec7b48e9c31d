package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	crlog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// Indices by which objects are found in the cache.
const (
	versionIndex    = "tazuna/version"    // Applications by names of ApplicationPackageVersions
	packageIndex    = "tazuna/package"    // Applications by package
	repositoryIndex = "tazuna/repository" // Applications and operations by repository
)

// Run looks after the applications of a cluster until the context ends, or the
// leadership is lost. ready is called once, when this process works: when it leads.
func Run(ctx context.Context, o Options, ready func()) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	scheme, err := newScheme()
	if err != nil {
		return err
	}
	direct, err := prepare(ctx, o, scheme)
	if err != nil {
		return err
	}
	// Parts of the library log without asking anybody; without this they complain.
	crlog.SetLogger(libraryLog(o.Log))
	k := &keeper{client: direct, write: o.InstallDefinitions, log: o.Log, wake: make(chan struct{}, 1)}
	m, err := newManager(o, scheme, k)
	if err != nil {
		return fmt.Errorf("make the controller: %w", err)
	}
	if err := index(ctx, m); err != nil {
		return err
	}
	o.Log.Info("the controller begins", "namespaces", o.Namespaces, "leaderElection", o.LeaderElection)
	l := &leader{options: o, client: m.GetClient(), ready: ready}
	if err := errors.Join(addReconcilers(m, o, l), m.Add(l), m.Add(k)); err != nil {
		return err
	}
	if err := m.Start(ctx); err != nil {
		return fmt.Errorf("the controller ends: %w", err)
	}
	return nil
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	api.AddToScheme(scheme)
	return scheme, nil
}

// prepare does what has to be done before our kinds can be watched. What it returns asks
// the server itself.
func prepare(ctx context.Context, o Options, scheme *runtime.Scheme) (client.Client, error) {
	c, err := client.New(o.Config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	if err := refuse(ctx, c); err != nil {
		return nil, err
	}
	if err := establish(ctx, c, o.InstallDefinitions); err != nil {
		return nil, err
	}
	kinds, err := newDiscovery(o)
	if err != nil {
		return nil, err
	}
	if err := discovered(ctx, kinds); err != nil {
		return nil, err
	}
	if !o.LeaderElection {
		return c, nil
	}
	return c, ensureNamespace(ctx, c, o.SystemNamespace)
}

func newManager(o Options, scheme *runtime.Scheme, k *keeper) (manager.Manager, error) {
	off := func(address string) string {
		if address == "" {
			return "0"
		}
		return address
	}
	m, err := manager.New(o.Config, manager.Options{
		Scheme: scheme, Logger: libraryLog(o.Log),
		Cache:                         newCache(o, k),
		LeaderElection:                o.LeaderElection,
		LeaderElectionNamespace:       o.SystemNamespace,
		LeaderElectionID:              LeaseName,
		LeaderElectionLabels:          leaseLabels(o.Version, o.Pod),
		LeaderElectionReleaseOnCancel: true, // main ends after Run
		LeaseDuration:                 &o.Timing.Lease, RenewDeadline: &o.Timing.Renew, RetryPeriod: &o.Timing.RetryLease,
		Metrics:                 metricsserver.Options{BindAddress: off(o.MetricsAddress)},
		HealthProbeBindAddress:  off(o.HealthAddress),
		GracefulShutdownTimeout: &o.Timing.Shutdown,
	})
	if err != nil {
		return nil, err
	}
	synced := func(r *http.Request) error {
		if !m.GetCache().WaitForCacheSync(r.Context()) {
			return errors.New("the watches are not in sync yet")
		}
		return nil
	}
	return m, errors.Join(m.AddHealthzCheck("ping", healthz.Ping), m.AddReadyzCheck("watches", synced))
}

// newCache says what is watched, and what of it is kept: never more than is read.
func newCache(o Options, k *keeper) cache.Options {
	named := func(namespace, name string) cache.ByObject {
		return cache.ByObject{Namespaces: map[string]cache.Config{
			namespace: {FieldSelector: fields.OneTermEqualSelector("metadata.name", name)},
		}}
	}
	service := kubernetesService()
	of := map[client.Object]cache.ByObject{
		&api.ApplicationPackageVersion{}: {Transform: withoutSchemas},
		&corev1.ConfigMap{}:              named(o.SystemNamespace, PlatformConfigMap),
		&corev1.Service{}:                named(service.Namespace, service.Name),
	}
	if len(o.Namespaces) > 0 {
		namespaces := map[string]cache.Config{}
		for _, name := range o.Namespaces {
			namespaces[name] = cache.Config{}
		}
		of[&api.Application{}] = cache.ByObject{Namespaces: namespaces}
	}
	return cache.Options{ByObject: of, DefaultTransform: cache.TransformStripManagedFields(), DefaultWatchErrorHandler: k.watchFailed}
}

// withoutSchemas leaves out of the cache what is large and read by nobody here.
func withoutSchemas(o any) (any, error) {
	if v, ok := o.(*api.ApplicationPackageVersion); ok {
		v.Status.PackageSchemas = nil
		v.ManagedFields = nil
		if v.Status.PackageMetadata != nil {
			v.Status.PackageMetadata.Changelog = nil
		}
	}
	return o, nil
}

func index(ctx context.Context, m manager.Manager) error {
	indexer := m.GetFieldIndexer()
	application := func(field string, of func(*api.Application) []string) error {
		return indexer.IndexField(ctx, &api.Application{}, field, func(o client.Object) []string {
			if app, ok := o.(*api.Application); ok {
				return of(app)
			}
			return nil
		})
	}
	err := errors.Join(
		application(versionIndex, versionsOf),
		application(packageIndex, func(a *api.Application) []string { return []string{a.Spec.PackageName} }),
		application(repositoryIndex, func(a *api.Application) []string { return []string{a.Spec.Repository()} }),
		indexer.IndexField(ctx, &api.PackageRepositoryOperation{}, repositoryIndex, func(o client.Object) []string {
			if operation, ok := o.(*api.PackageRepositoryOperation); ok {
				return []string{operation.Spec.PackageRepositoryName}
			}
			return nil
		}),
	)
	if err != nil {
		return fmt.Errorf("index the cache: %w", err)
	}
	return nil
}

// versionsOf are the versions that an Application uses: the one that it asks for, and
// the one that is installed meanwhile.
func versionsOf(a *api.Application) []string {
	s := a.Spec
	names := []string{api.VersionName(s.Repository(), s.PackageName, s.PackageVersion)}
	if c := a.Status.CurrentVersion; c != nil && c.Version != s.PackageVersion {
		names = append(names, api.VersionName(s.Repository(), s.PackageName, c.Version))
	}
	return names
}

// leader runs the Runtime while this process leads.
type leader struct {
	options Options
	client  client.Client
	facts   *facts
	apps    *applications
	ready   func()
}

// NeedLeaderElection is true: only one Runtime may work.
func (l *leader) NeedLeaderElection() bool { return true }

// Start works until the context ends.
func (l *leader) Start(ctx context.Context) error {
	if err := l.facts.tell(ctx); err != nil {
		return err
	}
	list := &api.ApplicationList{}
	if err := l.client.List(ctx, list); err != nil {
		return fmt.Errorf("list the Applications: %w", err)
	}
	all := make([]Desired, 0, len(list.Items))
	for i := range list.Items {
		d, _, err := l.apps.desired(ctx, &list.Items[i])
		if err != nil {
			l.options.Log.Error("an Application can't be submitted", "application", d.InstanceName(), "error", err)
		}
		all = append(all, d)
	}
	l.options.Log.Info("this controller leads", "applications", len(all))
	if l.ready != nil {
		l.ready()
	}
	return l.options.Runtime.Run(ctx, all)
}

func newDiscovery(o Options) (*discovery.DiscoveryClient, error) {
	c, err := discovery.NewDiscoveryClientForConfig(o.Config)
	if err != nil {
		return nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return c, nil
}

func newGauge() (*maintenanceGauge, error) { return newMaintenanceGauge(metrics.Registry) }
