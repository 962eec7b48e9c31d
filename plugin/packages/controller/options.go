package controller

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/catalog"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/queue"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/status"
)

// Options are what a Manager needs.
type Options struct {
	Config *rest.Config
	// Runtime runs the applications, and reports to a Store that was made with
	// Changes.Changed.
	Runtime Runtime
	Store   *status.Store
	Changes *Changes
	// Queues tells what is to be done for applications, for the metrics; nil: nothing is
	// told.
	Queues func() queue.Dump
	// Open reaches repositories: catalog.Open.
	Open func(api.RegistrySpec) (catalog.Catalog, error)
	// ForgetKinds has who asks which kinds the cluster serves find out anew: they may
	// have changed. It is called now and then; nil: nobody needs it.
	ForgetKinds func(context.Context)
	// Namespaces are those whose Applications are looked after; none: all.
	Namespaces []string
	// PlatformVersion is what requirements on the platform are held against; empty:
	// none of them is met.
	PlatformVersion string
	// SystemNamespace has the Lease of the leader and the ConfigMap platform.
	SystemNamespace string
	// Version is that of the program, which the leader's Lease tells; may be empty.
	Version string
	// Pod is the name of the Pod that this process runs in, in SystemNamespace, which the
	// leader's Lease tells; empty where it runs in none.
	Pod string
	// LeaderElection lets several controllers stand by.
	LeaderElection bool
	// InstallDefinitions writes our CustomResourceDefinitions before anything else.
	InstallDefinitions bool
	// MetricsAddress and HealthAddress are HOST:PORT or :PORT; empty: none.
	MetricsAddress, HealthAddress string
	Clock                         clock.WithTicker
	Log                           *slog.Logger
	Timing                        Timing
}

// Timing has how long things take; zero fields take those of DefaultTiming.
type Timing struct {
	// RetryMin and RetryMax bound the pause before something that failed is tried
	// again; it doubles.
	RetryMin, RetryMax time.Duration
	// StatusPause is the least time between two writes of an Application's status.
	StatusPause time.Duration
	// ScanTimeout ends a scan that doesn't say when it ends.
	ScanTimeout time.Duration
	// Youth is for how long a package that nobody offers is left alone: its versions may
	// only not have been seen yet.
	Youth time.Duration
	// Look is how often is asked for what no watch tells: the version of Kubernetes.
	Look time.Duration
	// Shutdown is how long work that goes on may take to end.
	Shutdown time.Duration
	// Lease, Renew and RetryLease are those of the leader election.
	Lease, Renew, RetryLease time.Duration
}

// DefaultTiming is the timing of the platform: 15 s to 2 h between tries.
func DefaultTiming() Timing {
	return Timing{
		RetryMin: 15 * time.Second, RetryMax: 2 * time.Hour,
		StatusPause: 300 * time.Millisecond, ScanTimeout: 5 * time.Minute, Youth: 10 * time.Second,
		Look: 4 * time.Minute, Shutdown: 30 * time.Second,
		Lease: 15 * time.Second, Renew: 10 * time.Second, RetryLease: 2 * time.Second,
	}
}

// DefaultSystemNamespace has what belongs to the controller itself.
const DefaultSystemNamespace = "tazuna-system"

// LeaseName is the Lease of the leader.
const LeaseName = "packages-controller"

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Config == nil, o.Runtime == nil, o.Store == nil, o.Changes == nil, o.Open == nil, o.Log == nil:
		return o, errors.New("controller: Config, Runtime, Store, Changes, Open and Log are needed")
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.SystemNamespace == "" {
		o.SystemNamespace = DefaultSystemNamespace
	}
	o.Timing = o.Timing.withDefaults()
	return o, nil
}

func (t Timing) withDefaults() Timing {
	d := DefaultTiming()
	for _, field := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{
		{&t.RetryMin, d.RetryMin},
		{&t.RetryMax, d.RetryMax},
		{&t.StatusPause, d.StatusPause},
		{&t.ScanTimeout, d.ScanTimeout},
		{&t.Youth, d.Youth},
		{&t.Look, d.Look},
		{&t.Shutdown, d.Shutdown},
		{&t.Lease, d.Lease},
		{&t.Renew, d.Renew},
		{&t.RetryLease, d.RetryLease},
	} {
		if *field.value == 0 {
			*field.value = field.fallback
		}
	}
	return t
}
