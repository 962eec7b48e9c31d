package admission

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/utils/clock"
)

// CertificateAge is how long a certificate is good for. It is replaced after half of
// that.
const CertificateAge = 90 * 24 * time.Hour

// Certificates hold the certificate of the webhook, signed by an authority that lives
// in this process alone: nobody else can sign for it, and nothing is stored. Whoever
// serves writes Bundle into the webhook's configuration.
type Certificates struct {
	// Host is the name or the address under which the API server asks.
	Host string
	// Names are further names of it.
	Names []string
	// Clock is the real one if nil.
	Clock clock.Clock

	mu      sync.Mutex
	current *tls.Certificate
	bundle  []byte
	until   time.Time
}

// Get gives the certificate for a connection; it is that of tls.Config.
func (c *Certificates) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current, nil
}

// Bundle gives the authority in PEM, as a configuration has it.
func (c *Certificates) Bundle() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bundle
}

// Renew makes a new certificate and a new authority.
func (c *Certificates) Renew() error {
	var addresses []net.IP
	if ip := net.ParseIP(c.Host); ip != nil {
		addresses = append(addresses, ip)
	}
	bundle, key, err := certutil.GenerateSelfSignedCertKeyWithOptions(certutil.SelfSignedCertKeyOptions{
		Host: c.Host, AlternateIPs: addresses, AlternateDNS: c.Names, MaxAge: CertificateAge,
	})
	if err != nil {
		return fmt.Errorf("certificate of the webhook: %w", err)
	}
	made, err := tls.X509KeyPair(bundle, key)
	if err != nil {
		return fmt.Errorf("certificate of the webhook: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.current, c.bundle, c.until = &made, bundle, c.clock().Now().Add(CertificateAge/2)
	return nil
}

func (c *Certificates) clock() clock.Clock {
	if c.Clock == nil {
		return clock.RealClock{}
	}
	return c.Clock
}

// Keep renews the certificate when its time has come, until the context ends. renewed
// is called after each renewal, and again, a minute later, while it fails.
func (c *Certificates) Keep(ctx context.Context, renewed func(context.Context) error, failed func(error)) {
	for told := true; ; {
		c.mu.Lock()
		wait := c.until.Sub(c.clock().Now())
		c.mu.Unlock()
		if !told {
			wait = min(wait, time.Minute)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.clock().After(wait):
		}
		err := c.renewDue()
		if err == nil {
			err = renewed(ctx)
		}
		if told = err == nil; err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// renewDue renews a certificate whose time has come.
func (c *Certificates) renewDue() error {
	c.mu.Lock()
	due := !c.clock().Now().Before(c.until)
	c.mu.Unlock()
	if !due {
		return nil
	}
	return c.Renew()
}
