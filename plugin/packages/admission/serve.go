package admission

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// shutdown is how long answers may take to end.
const shutdown = 10 * time.Second

// Serve answers reviews over TLS on a listener until the context ends. register is
// called once it answers, and after each renewal of the certificate: it writes the
// webhook's configuration. That it fails at first is an error, later it is told to
// failed and tried again.
func Serve(ctx context.Context, l net.Listener, f Facts, c *Certificates, register func(context.Context) error, failed func(error)) error {
	if err := c.Renew(); err != nil {
		return errors.Join(err, l.Close())
	}
	s := &http.Server{
		Handler: Handler(f), ReadHeaderTimeout: Timeout, ReadTimeout: 2 * Timeout, WriteTimeout: 2 * Timeout, IdleTimeout: time.Minute,
		ErrorLog: log.New(io.Discard, "", 0), // handshakes of strangers are their matter
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(tls.NewListener(l, tlsConfig(c))) }()
	keeping, stop := context.WithCancel(ctx)
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		c.Keep(keeping, register, failed)
	}()
	err := register(ctx)
	if err == nil {
		select {
		case err = <-ended:
		case <-ctx.Done():
		}
	}
	stop()
	<-kept
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
	defer cancel()
	if closeErr := s.Shutdown(closing); err == nil {
		err = closeErr
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("webhook: %w", err)
	}
	return nil
}

func tlsConfig(c *Certificates) *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.Get, NextProtos: []string{"http/1.1"}}
}
