package standin

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Options tells how to play nodes.
type Options struct {
	// Kubeconfig is of a user who may do everything.
	Kubeconfig string
	// Nodes is the number of nodes.
	Nodes int
	// Port is where the kubelet's endpoint of all nodes listens.
	Port int
	// CertFile and KeyFile are what the endpoint serves with.
	CertFile, KeyFile string
	// ClientCA signed the certificate the API server shows to the endpoint.
	ClientCA string
	// Scratch is the parent of the working directories of local processes.
	Scratch string
	// ServerURL and AuthorityCA let local processes reach the API server.
	ServerURL   string
	AuthorityCA []byte
}

// Run plays the nodes until ctx ends.
func Run(ctx context.Context, opts Options) error {
	client, err := newClient(opts.Kubeconfig)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	nodes := newNodes(client, opts)
	if err := nodes.register(ctx); err != nil {
		return err
	}
	processes := newProcesses(opts, client)
	defer processes.stopAll()
	pods := newPods(client, nodes.names(), processes)
	volumes := newVolumes(client)
	kubelet := newKubelet(opts, pods, processes)

	failed := make(chan error, 4)
	for _, run := range []func(context.Context) error{nodes.renewLeases, pods.run, volumes.run, kubelet.serve} {
		go func() { failed <- run(ctx) }()
	}
	select {
	case err := <-failed:
		if err == nil && ctx.Err() == nil {
			err = errors.New("a part of the nodes ended")
		}
		return err
	case <-ctx.Done():
		return nil
	}
}

func newClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("load kubeconfig: %w", err)
	}
	// The server has its own limits, and tests wait for us.
	config.QPS = -1
	config.ContentType = runtime.ContentTypeProtobuf
	rest.AddUserAgent(config, "standin")
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return client, nil
}
