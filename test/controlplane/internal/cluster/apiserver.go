package cluster

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/pki"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

const (
	serviceRange   = "10.96.0.0/16"
	serviceAddress = "10.96.0.1"
)

// runnable is a configured API server.
type runnable interface {
	Run(ctx context.Context) error
}

// prepareAPIServer follows the steps of the component's own Run, except that it
// listens by itself and puts the gate around the outermost handler chain.
func prepareAPIServer(ctx context.Context, opts Options, store *pki.Store, ports home.Ports, gate *traffic.Gate) (runnable, error) {
	completed, err := apiServerOptions(ctx, opts, store, ports, gate)
	if err != nil {
		return nil, err
	}
	// The name is the component's; it is the only way to a resolver of one's own.
	restore := app.SetServiceResolverForTests(newServices(opts.Home.ComponentKubeconfig(traffic.Supervisor), home.State{Ports: ports}.APIURL()))
	defer restore()
	config, err := app.NewConfig(completed)
	if err != nil {
		return nil, fmt.Errorf("configure kube-apiserver: %w", err)
	}
	wrapHandlerChain(config, gate)
	completedConfig, err := config.Complete()
	if err != nil {
		return nil, fmt.Errorf("complete kube-apiserver: %w", err)
	}
	server, err := app.CreateServerChain(completedConfig)
	if err != nil {
		return nil, fmt.Errorf("create kube-apiserver: %w", err)
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return nil, fmt.Errorf("prepare kube-apiserver: %w", err)
	}
	return prepared, nil
}

// wrapHandlerChain changes the aggregator only: it is the last of the three
// chained servers, and requests pass the handler chain of the last one alone.
func wrapHandlerChain(config *app.Config, gate *traffic.Gate) {
	generic := &config.Aggregator.GenericConfig.Config
	build := generic.BuildHandlerChainFunc
	generic.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return gate.Wrap(build(handler, c))
	}
}

func apiServerOptions(ctx context.Context, opts Options, store *pki.Store, ports home.Ports, gate *traffic.Gate) (options.CompletedOptions, error) {
	var none options.CompletedOptions
	server := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	sets := server.Flags()
	for _, set := range sets.FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(apiServerFlags(opts, store, ports)); err != nil {
		return none, fmt.Errorf("parse flags of kube-apiserver: %w", err)
	}
	if err := server.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return none, fmt.Errorf("set feature gates: %w", err)
	}
	informers, err := cache.NewInformerName("kube-apiserver")
	if err != nil {
		return none, fmt.Errorf("name informers of kube-apiserver: %w", err)
	}
	server.InformerName = informers
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(ports.API)))
	if err != nil {
		return none, fmt.Errorf("listen for kube-apiserver: %w", err)
	}
	server.SecureServing.Listener = gate.Listen(listener)
	completed, err := server.Complete(ctx)
	if err != nil {
		return none, fmt.Errorf("complete options of kube-apiserver: %w", err)
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return none, fmt.Errorf("options of kube-apiserver: %w", utilerrors.NewAggregate(errs))
	}
	return completed, nil
}

func apiServerFlags(opts Options, store *pki.Store, ports home.Ports) []string {
	servingCert, servingKey := store.APIServer()
	kubeletCert, kubeletKey := store.ToKubelet()
	etcd := loopbackURL(ports.EtcdClient)
	flags := []string{
		"--etcd-servers=" + etcd.String(),
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(ports.API),
		// An Endpoints object may not hold a loopback address.
		"--endpoint-reconciler-type=none",
		"--tls-cert-file=" + servingCert,
		"--tls-private-key-file=" + servingKey,
		"--client-ca-file=" + store.AuthorityCert(),
		"--kubelet-client-certificate=" + kubeletCert,
		"--kubelet-client-key=" + kubeletKey,
		"--kubelet-certificate-authority=" + store.AuthorityCert(),
		"--kubelet-preferred-address-types=InternalIP",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + store.ServiceAccountKey(),
		"--service-account-signing-key-file=" + store.ServiceAccountKey(),
		"--service-cluster-ip-range=" + serviceRange,
		"--authorization-mode=Node,RBAC",
		"--allow-privileged=true",
		"--profiling=false",
	}
	if opts.WithoutControllers {
		// Nobody would make the default service account that it asks for.
		flags = append(flags, "--disable-admission-plugins=ServiceAccount")
	}
	return overrideFlags(flags, opts.APIServerFlags)
}

// overrideFlags puts the given flags after ours and drops ours of the same
// name, as list flags would otherwise hold both values.
func overrideFlags(flags, overrides []string) []string {
	replaced := map[string]bool{}
	for _, flag := range overrides {
		replaced[flagName(flag)] = true
	}
	// This one is a list of ours and theirs together.
	delete(replaced, "disable-admission-plugins")

	kept := slices.DeleteFunc(flags, func(flag string) bool { return replaced[flagName(flag)] })
	for _, flag := range overrides {
		kept = append(kept, "--"+strings.TrimLeft(flag, "-"))
	}
	return kept
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return name
}
