package home

import (
	"fmt"
	"os"
	"path/filepath"
)

// Home is the directory of one control plane.
type Home struct {
	root string
}

// Open returns the home at dir and makes the directory when it is missing.
func Open(dir string) (Home, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return Home{}, fmt.Errorf("resolve directory: %w", err)
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return Home{}, fmt.Errorf("make directory: %w", err)
	}
	return Home{root: root}, nil
}

// Root is the absolute path of the directory.
func (h Home) Root() string { return h.root }

// Kubeconfig is the administrator's kubeconfig.
func (h Home) Kubeconfig() string { return filepath.Join(h.root, "kubeconfig") }

// UserKubeconfig is the kubeconfig of a user made on request.
func (h Home) UserKubeconfig(name string) string {
	return filepath.Join(h.root, "users", name+".kubeconfig")
}

// ComponentKubeconfig is the kubeconfig of a part of the control plane itself.
func (h Home) ComponentKubeconfig(name string) string {
	return filepath.Join(h.root, "components", name+".kubeconfig")
}

// PKI is the directory of certificates and keys.
func (h Home) PKI() string { return filepath.Join(h.root, "pki") }

// Log is the file that takes the output of a background process.
func (h Home) Log() string { return filepath.Join(h.root, "log") }

// EtcdLog is the file that takes the log of etcd.
func (h Home) EtcdLog() string { return filepath.Join(h.root, "etcd.log") }

// EtcdData is the directory of etcd's data.
func (h Home) EtcdData() string { return filepath.Join(h.root, "etcd") }

// Scratch is the parent of the temporary directories of stand-in containers.
func (h Home) Scratch() string { return filepath.Join(h.root, "scratch") }

func (h Home) stateFile() string { return filepath.Join(h.root, "state.json") }
func (h Home) lockFile() string  { return filepath.Join(h.root, "lock") }
