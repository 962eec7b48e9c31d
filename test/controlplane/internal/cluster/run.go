package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/rest"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/control"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/pki"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/standin"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// stopEach bounds the end of one part.
const stopEach = 4 * time.Second

// ErrMaxAge is the cause when a control plane ended because of its age.
var ErrMaxAge = errors.New("reached the maximum age")

// plane is a control plane being run.
type plane struct {
	opts  Options
	state home.State
	store *pki.Store
	gate  *traffic.Gate
	phase *control.Phase
	parts *parts
}

// Run runs a control plane until ctx ends, the maximum age is reached or a
// part fails. It returns nil when ctx ended.
func Run(ctx context.Context, opts Options) (err error) {
	lock, err := opts.Home.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	// Three components in one process each set up logging.
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	// Warnings of the API are meant for people, not for the log of a server.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})

	p, err := newPlane(opts)
	if err != nil {
		return err
	}
	ctx, cancel := limitAge(ctx, opts.MaxAge)
	defer cancel()
	endpoint, err := control.Listen(p.state, p.gate, p.phase)
	if err != nil {
		return err
	}
	defer endpoint.Close()
	return p.run(ctx)
}

func limitAge(ctx context.Context, age time.Duration) (context.Context, context.CancelFunc) {
	if age <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, age, ErrMaxAge)
}

func newPlane(opts Options) (*plane, error) {
	state, err := opts.Home.EnsureState()
	if err != nil {
		return nil, err
	}
	store, err := pki.Ensure(opts.Home.PKI(), serviceAddress)
	if err != nil {
		return nil, err
	}
	if err := writeKubeconfigs(opts.Home, store, state.APIURL()); err != nil {
		return nil, err
	}
	gate := traffic.NewGate(rest.DefaultKubernetesUserAgent())
	return &plane{opts: opts, state: state, store: store, gate: gate, phase: control.NewPhase(), parts: newParts()}, nil
}

// writeKubeconfigs gives each component a name of its own, so that the gate can
// tell them apart, and all rights, so that none waits for roles to appear.
func writeKubeconfigs(h home.Home, store *pki.Store, server string) error {
	all := []string{"system:masters"}
	errs := []error{
		pki.EnsureKubeconfig(store, server, h.Kubeconfig(), pki.Client{Name: "kubernetes-admin", Groups: all}),
	}
	for _, component := range traffic.Components() {
		client := pki.Client{Name: traffic.UserOf(component), Groups: all}
		errs = append(errs, pki.EnsureKubeconfig(store, server, h.ComponentKubeconfig(component), client))
	}
	return errors.Join(errs...)
}

// run starts the parts, waits for the end and stops the parts.
func (p *plane) run(ctx context.Context) error {
	// The parts get a context without the caller's end: they have to end in
	// order, not all at once.
	base := context.WithoutCancel(ctx)
	etcd, err := startEtcd(ctx, p.opts, p.state.Ports)
	if err != nil {
		return err
	}
	defer etcd.Close()
	defer p.parts.stop(stopEach)

	if err := p.start(ctx, base, etcd); err != nil {
		return err
	}
	p.phase.Set(control.PhaseUp)
	select {
	case err := <-p.parts.failed:
		return err
	case <-ctx.Done():
		p.phase.Set(control.PhaseStopping)
		if errors.Is(context.Cause(ctx), ErrMaxAge) {
			return ErrMaxAge
		}
		return nil
	}
}

// start brings the parts up. Waiting ends with ctx, the parts end with base.
func (p *plane) start(ctx, base context.Context, etcd *embed.Etcd) error {
	p.parts.start(base, "etcd", func(ctx context.Context) error { return watchEtcd(ctx, etcd) })

	p.phase.Set("starting kube-apiserver")
	server, err := prepareAPIServer(base, p.opts, p.store, p.state.Ports, p.gate)
	if err != nil {
		return err
	}
	p.parts.start(base, "kube-apiserver", server.Run)
	wait, err := newWaiter(p.opts.Home.ComponentKubeconfig(traffic.Supervisor), p.parts.failed)
	if err != nil {
		return err
	}
	if err := wait.forAPI(ctx); err != nil {
		return err
	}
	return p.startAroundAPI(ctx, base, wait)
}

// startAroundAPI starts what needs an API server.
func (p *plane) startAroundAPI(ctx, base context.Context, wait *waiter) error {
	p.phase.Set("starting controllers and nodes")
	if !p.opts.WithoutControllers {
		p.parts.start(base, traffic.ControllerManager, func(ctx context.Context) error {
			return runControllerManager(ctx, p.opts, p.store)
		})
		p.parts.start(base, traffic.Scheduler, func(ctx context.Context) error { return runScheduler(ctx, p.opts) })
	}
	if nodes := p.opts.nodes(); nodes > 0 {
		cert, key := p.store.Kubelet()
		kubelet := standin.Options{
			Kubeconfig:  p.opts.Home.ComponentKubeconfig(traffic.Kubelet),
			Nodes:       nodes,
			Port:        p.state.Ports.Kubelet,
			CertFile:    cert,
			KeyFile:     key,
			ClientCA:    p.store.AuthorityCert(),
			Scratch:     p.opts.Home.Scratch(),
			ServerURL:   p.state.APIURL(),
			AuthorityCA: p.store.Authority().Cert,
		}
		p.parts.start(base, traffic.Kubelet, func(ctx context.Context) error { return standin.Run(ctx, kubelet) })
	}
	if err := wait.forCluster(ctx, !p.opts.WithoutControllers, p.opts.nodes()); err != nil {
		return fmt.Errorf("wait for the cluster: %w", err)
	}
	return nil
}
