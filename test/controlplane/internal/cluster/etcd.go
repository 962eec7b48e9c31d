package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

const etcdQuota = 2 << 30

// startEtcd starts a single-member etcd and waits until it serves.
func startEtcd(ctx context.Context, opts Options, ports home.Ports) (*embed.Etcd, error) {
	server, err := embed.StartEtcd(etcdConfig(opts, ports))
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-server.Server.ReadyNotify():
		return server, nil
	case err := <-server.Err():
		server.Close()
		return nil, fmt.Errorf("start etcd: %w", err)
	case <-ctx.Done():
		server.Close()
		return nil, fmt.Errorf("wait for etcd: %w", context.Cause(ctx))
	}
}

func etcdConfig(opts Options, ports home.Ports) *embed.Config {
	client, peer := loopbackURL(ports.EtcdClient), loopbackURL(ports.EtcdPeer)
	config := embed.NewConfig()
	config.Name = "controlplane"
	config.Dir = opts.Home.EtcdData()
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.UnsafeNoFsync = !opts.Fsync
	config.QuotaBackendBytes = etcdQuota
	// A single member votes for itself: waiting as long as a real cluster
	// would only delay the start.
	config.TickMs, config.ElectionMs = 10, 100
	config.LogLevel = "warn"
	config.LogOutputs = []string{opts.Home.EtcdLog()}
	return config
}

func loopbackURL(port int) url.URL {
	return url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}
}

// watchEtcd reports the first failure of a running etcd.
func watchEtcd(ctx context.Context, server *embed.Etcd) error {
	select {
	case err, open := <-server.Err():
		if open {
			return err
		}
		return errors.New("etcd stopped serving")
	case <-ctx.Done():
		return nil
	}
}
