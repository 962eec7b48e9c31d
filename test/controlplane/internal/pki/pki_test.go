package pki

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

func TestEnsureKeepsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	first, err := Ensure(dir, "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	cert, _ := first.APIServer()
	before, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Ensure(dir, "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(cert)
	if err != nil || string(before) != string(after) {
		t.Errorf("the certificate was replaced, %v", err)
	}
	if string(first.Authority().Cert) != string(second.Authority().Cert) {
		t.Error("the authority was replaced")
	}
}

func TestServerCertificates(t *testing.T) {
	store, err := Ensure(t.TempDir(), "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(store.Authority().Cert)
	cert, key := store.APIServer()
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "10.0.0.1", "localhost", "kubernetes.default.svc"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestKubeconfig(t *testing.T) {
	store, err := Ensure(t.TempDir(), "10.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	for name, expired := range map[string]bool{"valid": false, "expired": true} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "users", "kubeconfig")
			client := Client{Name: "alice", Groups: []string{"a", "b"}, Expired: expired}
			if err := WriteKubeconfig(store, "https://127.0.0.1:1", path, client); err != nil {
				t.Fatal(err)
			}
			config, err := clientcmd.BuildConfigFromFlags("", path)
			if err != nil {
				t.Fatal(err)
			}
			pair, err := tls.X509KeyPair(config.CertData, config.KeyData)
			if err != nil {
				t.Fatal(err)
			}
			leaf := pair.Leaf
			if leaf.Subject.CommonName != "alice" || !slices.Equal(leaf.Subject.Organization, client.Groups) {
				t.Errorf("got %v", leaf.Subject)
			}
			if leaf.NotAfter.Before(time.Now()) != expired || !leaf.NotBefore.Before(leaf.NotAfter) {
				t.Errorf("valid from %s to %s", leaf.NotBefore, leaf.NotAfter)
			}
		})
	}
}

func TestOpenNeedsAnAuthority(t *testing.T) {
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("an empty directory was opened")
	}
	if _, err := ParseAuthority(Pair{Cert: []byte("x"), Key: []byte("y")}); err == nil {
		t.Error("nonsense was parsed")
	}
}
