package cluster

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/cache"
	cliflag "k8s.io/component-base/cli/flag"
	kcmapp "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	kcmoptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
	schedapp "k8s.io/kubernetes/cmd/kube-scheduler/app"
	schedoptions "k8s.io/kubernetes/cmd/kube-scheduler/app/options"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/pki"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// Clients of the managers are not throttled: tests wait for what they do.
const managerQPS = "--kube-api-qps=2000"

const managerBurst = "--kube-api-burst=4000"

func runControllerManager(ctx context.Context, opts Options, store *pki.Store) error {
	manager, err := kcmoptions.NewKubeControllerManagerOptions()
	if err != nil {
		return fmt.Errorf("options of kube-controller-manager: %w", err)
	}
	known, disabled, aliases := kcmapp.KnownControllers(), kcmapp.ControllersDisabledByDefault(), kcmapp.ControllerAliases()
	sets := manager.Flags(known, disabled, aliases)
	if err := parseInto(sets, controllerManagerFlags(opts, store)); err != nil {
		return fmt.Errorf("parse flags of kube-controller-manager: %w", err)
	}
	if err := manager.ComponentGlobalsRegistry.Set(); err != nil {
		return fmt.Errorf("set feature gates: %w", err)
	}
	config, err := manager.Config(ctx, known, disabled, aliases)
	if err != nil {
		return fmt.Errorf("configure kube-controller-manager: %w", err)
	}
	return kcmapp.Run(ctx, config.Complete())
}

func controllerManagerFlags(opts Options, store *pki.Store) []string {
	return []string{
		"--kubeconfig=" + opts.Home.ComponentKubeconfig(traffic.ControllerManager),
		// No listener: several instances would fight for its port.
		"--secure-port=0",
		"--leader-elect=false",
		// The manager's own certificate may do all, so that it need not wait
		// for roles and for a service account of each controller.
		"--use-service-account-credentials=false",
		"--service-account-private-key-file=" + store.ServiceAccountKey(),
		"--root-ca-file=" + store.AuthorityCert(),
		"--cluster-signing-cert-file=" + store.AuthorityCert(),
		"--cluster-signing-key-file=" + store.AuthorityKey(),
		"--controllers=*,-node-ipam-controller",
		managerQPS, managerBurst,
	}
}

func runScheduler(ctx context.Context, opts Options) error {
	scheduler := schedoptions.NewOptions()
	flags := []string{
		"--kubeconfig=" + opts.Home.ComponentKubeconfig(traffic.Scheduler),
		"--secure-port=0",
		"--leader-elect=false",
		managerQPS, managerBurst,
	}
	if err := parseInto(*scheduler.Flags, flags); err != nil {
		return fmt.Errorf("parse flags of kube-scheduler: %w", err)
	}
	if err := scheduler.ComponentGlobalsRegistry.Set(); err != nil {
		return fmt.Errorf("set feature gates: %w", err)
	}
	informers, err := cache.NewInformerName("kube-scheduler")
	if err != nil {
		return fmt.Errorf("name informers of kube-scheduler: %w", err)
	}
	scheduler.InformerName = informers
	config, sched, err := schedapp.Setup(ctx, scheduler)
	if err != nil {
		return fmt.Errorf("set up kube-scheduler: %w", err)
	}
	return schedapp.Run(ctx, config, sched)
}

func parseInto(sets cliflag.NamedFlagSets, args []string) error {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	return all.Parse(args)
}
