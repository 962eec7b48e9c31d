package admission

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clocktesting "k8s.io/utils/clock/testing"
)

// get asks the server and trusts nobody but the bundle.
func get(ctx context.Context, t *testing.T, address string, bundle []byte) error {
	t.Helper()
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(bundle))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+address+Path, http.NoBody)
	require.NoError(t, err)
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func TestServeRenewsItsCertificate(t *testing.T) {
	clk := clocktesting.NewFakeClock(time.Now())
	c := &Certificates{Host: "127.0.0.1", Clock: clk}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	registered, failures := make(chan []byte, 10), make(chan error, 10)
	var fails atomic.Bool
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, l, facts(), c, func(context.Context) error {
			if fails.CompareAndSwap(true, false) {
				return errors.New("the API server doesn't answer")
			}
			registered <- c.Bundle()
			return nil
		}, func(err error) { failures <- err })
	}()
	first := <-registered
	require.NoError(t, get(ctx, t, l.Addr().String(), first))

	require.Eventually(t, clk.HasWaiters, time.Minute, time.Millisecond)
	fails.Store(true)
	clk.Step(CertificateAge/2 + time.Second)
	require.ErrorContains(t, <-failures, "doesn't answer")
	require.Eventually(t, clk.HasWaiters, time.Minute, time.Millisecond)
	clk.Step(time.Minute)
	second := <-registered
	assert.NotEqual(t, first, second)
	require.NoError(t, get(ctx, t, l.Addr().String(), second))
	require.Error(t, get(ctx, t, l.Addr().String(), first), "the former authority signs for nobody any more")
	cancel()
	require.NoError(t, <-ended)
}

func TestServeThatCannotRegisterIsAnError(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	err = Serve(t.Context(), l, facts(), &Certificates{Host: "127.0.0.1"}, func(context.Context) error { return errors.New("forbidden") }, func(error) {})
	require.ErrorContains(t, err, "forbidden")
}
