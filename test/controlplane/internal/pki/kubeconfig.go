package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

const clusterName = "controlplane"

// WriteKubeconfig writes a kubeconfig for a new client certificate to path.
func WriteKubeconfig(store *Store, server, path string, client Client) error {
	pair, err := store.Authority().IssueClient(client)
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[clusterName] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: store.Authority().Cert}
	config.AuthInfos[client.Name] = &clientcmdapi.AuthInfo{ClientCertificateData: pair.Cert, ClientKeyData: pair.Key}
	config.Contexts[clusterName] = &clientcmdapi.Context{Cluster: clusterName, AuthInfo: client.Name}
	config.CurrentContext = clusterName
	raw, err := clientcmd.Write(*config)
	if err != nil {
		return fmt.Errorf("encode kubeconfig: %w", err)
	}
	return home.WriteFile(path, raw)
}

// EnsureKubeconfig writes the kubeconfig only when path does not exist yet.
func EnsureKubeconfig(store *Store, server, path string, client Client) error {
	_, err := os.Stat(path)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for kubeconfig: %w", err)
	}
	return WriteKubeconfig(store, server, path, client)
}
