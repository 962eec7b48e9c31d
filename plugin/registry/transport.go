package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"oras.land/oras-go/v2/registry/remote/retry"
)

// answerTimeout is for how long a server may think before it answers.
const answerTimeout = time.Minute

// newTransport repeats requests that fail in a way that may pass.
func newTransport(o Options) (http.RoundTripper, error) {
	base := o.Transport
	if base == nil {
		var err error
		if base, err = newBase(o); err != nil {
			return nil, err
		}
	}
	policy := &retry.GenericPolicy{
		Retryable: retry.DefaultPredicate,
		Backoff:   retry.ExponentialBackoff(o.Retry.MinWait, 2, 0.1),
		MinWait:   o.Retry.MinWait,
		MaxWait:   o.Retry.MaxWait,
		MaxRetry:  o.Retry.Attempts - 1,
	}
	return &retry.Transport{Base: base, Policy: func() retry.Policy { return policy }}, nil
}

// newBase is the standard transport with our certificates and a bound on how
// long a server thinks.
func newBase(o Options) (http.RoundTripper, error) {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return nil, errors.New("registry: the standard transport was replaced; set Options.Transport")
	}
	base := standard.Clone()
	base.ResponseHeaderTimeout = answerTimeout
	base.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.Insecure}
	if o.CAFile == "" && len(o.CA) == 0 {
		return base, nil
	}
	pool, err := certificates(o.CAFile, o.CA)
	if err != nil {
		return nil, err
	}
	base.TLSClientConfig.RootCAs = pool
	return base, nil
}

// certificates are those of the system, those of a file ("" for none) and those given
// (nil for none).
func certificates(file string, given []byte) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without any
	}
	if file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read CA file: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("CA file %s: wanted certificates in PEM, found none", file)
		}
	}
	if len(given) > 0 && !pool.AppendCertsFromPEM(given) {
		return nil, errors.New("CA: wanted certificates in PEM, found none")
	}
	return pool, nil
}
