package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

// Names of the pairs in a store.
const (
	pairAuthority = "ca"
	pairAPI       = "apiserver"
	pairKubelet   = "kubelet"
	pairToKubelet = "apiserver-to-kubelet"
)

// Store is a directory of certificates and keys.
type Store struct {
	dir       string
	authority *Authority
}

// Ensure opens the store at dir and first makes what is missing in it.
func Ensure(dir, serviceAddress string) (*Store, error) {
	store, err := openOrMake(dir)
	if err != nil {
		return nil, err
	}
	apiHosts := []string{
		"127.0.0.1", serviceAddress, "localhost", "kubernetes", "kubernetes.default",
		"kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}
	return store, errors.Join(
		store.ensure(pairAPI, func() (Pair, error) { return store.authority.IssueServer("kube-apiserver", apiHosts) }),
		store.ensure(pairKubelet, func() (Pair, error) { return store.authority.IssueServer("kubelet", []string{"127.0.0.1"}) }),
		store.ensure(pairToKubelet, func() (Pair, error) {
			return store.authority.IssueClient(Client{Name: "kube-apiserver", Groups: []string{"system:masters"}})
		}),
		store.ensureServiceAccountKey(),
	)
}

// Open opens an existing store.
func Open(dir string) (*Store, error) {
	store := &Store{dir: dir}
	pair, err := store.read(pairAuthority)
	if err != nil {
		return nil, err
	}
	store.authority, err = ParseAuthority(pair)
	return store, err
}

func openOrMake(dir string) (*Store, error) {
	store, err := Open(dir)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return store, err
	}
	authority, err := NewAuthority("controlplane-ca")
	if err != nil {
		return nil, err
	}
	store = &Store{dir: dir, authority: authority}
	return store, store.write(pairAuthority, authority.Pair)
}

// Authority signs further certificates.
func (s *Store) Authority() *Authority { return s.authority }

// AuthorityCert is the file of the authority's certificate.
func (s *Store) AuthorityCert() string { return s.certFile(pairAuthority) }

// AuthorityKey is the file of the authority's key.
func (s *Store) AuthorityKey() string { return s.keyFile(pairAuthority) }

// APIServer is the certificate and key file the API server serves with.
func (s *Store) APIServer() (cert, key string) { return s.certFile(pairAPI), s.keyFile(pairAPI) }

// Kubelet is the certificate and key file the stand-in kubelet serves with.
func (s *Store) Kubelet() (cert, key string) { return s.certFile(pairKubelet), s.keyFile(pairKubelet) }

// ToKubelet is the certificate and key file the API server shows to kubelets.
func (s *Store) ToKubelet() (cert, key string) {
	return s.certFile(pairToKubelet), s.keyFile(pairToKubelet)
}

// ServiceAccountKey is the file of the key that signs service account tokens.
func (s *Store) ServiceAccountKey() string { return filepath.Join(s.dir, "sa.key") }

func (s *Store) ensureServiceAccountKey() error {
	if _, err := os.Stat(s.ServiceAccountKey()); err == nil {
		return nil
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	raw, err := encodeKey(key)
	if err != nil {
		return err
	}
	return home.WriteFile(s.ServiceAccountKey(), raw)
}

func (s *Store) ensure(name string, make func() (Pair, error)) error {
	// The certificate is written last, so its presence means a whole pair.
	if _, err := os.Stat(s.certFile(name)); err == nil {
		return nil
	}
	pair, err := make()
	if err != nil {
		return err
	}
	return s.write(name, pair)
}

func (s *Store) write(name string, pair Pair) error {
	if err := home.WriteFile(s.keyFile(name), pair.Key); err != nil {
		return err
	}
	return home.WriteFile(s.certFile(name), pair.Cert)
}

func (s *Store) read(name string) (Pair, error) {
	cert, err := os.ReadFile(s.certFile(name))
	if err != nil {
		return Pair{}, fmt.Errorf("read certificate: %w", err)
	}
	key, err := os.ReadFile(s.keyFile(name))
	if err != nil {
		return Pair{}, fmt.Errorf("read key: %w", err)
	}
	return Pair{Cert: cert, Key: key}, nil
}

func (s *Store) certFile(name string) string { return filepath.Join(s.dir, name+".crt") }
func (s *Store) keyFile(name string) string  { return filepath.Join(s.dir, name+".key") }
