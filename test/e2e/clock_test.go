package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// cmdSkewedClock writes a kubeconfig through which a program meets the control plane
// as one would whose clock is ahead of the server's, or with a negative duration
// behind it: a proxy moves all times of what goes by, the Date of each answer too, so
// that the server's own clock looks wrong by as much.
func cmdSkewedClock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: skewed-clock FILE DURATION")
	}
	ahead, err := time.ParseDuration(args[1])
	ts.Check(err)
	from := ts.Getenv("KUBECONFIG")
	config, err := clientcmd.BuildConfigFromFlags("", from)
	ts.Check(err)
	proxy, err := skewingProxy(config, ahead)
	ts.Check(err)
	server := httptest.NewServer(proxy)
	ts.Defer(func() {
		server.CloseClientConnections() // watches would go on
		server.Close()
	})
	kubeconfig, err := clientcmd.LoadFromFile(from)
	ts.Check(err)
	for _, c := range kubeconfig.Clusters {
		*c = api.Cluster{Server: server.URL}
	}
	for _, u := range kubeconfig.AuthInfos {
		*u = api.AuthInfo{} // the proxy has them
	}
	ts.Check(clientcmd.WriteToFile(*kubeconfig, ts.MkAbs(args[0])))
}

// skewingProxy forwards to a cluster, to a client whose clock is ahead of it.
func skewingProxy(config *rest.Config, ahead time.Duration) (http.Handler, error) {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		return nil, err
	}
	return &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1, // watches
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Set("Accept-Encoding", "identity")
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				body = nil // the server refuses it
			}
			body = shiftTimes(body, ahead)
			r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		},
		ModifyResponse: func(r *http.Response) error {
			if date, err := http.ParseTime(r.Header.Get("Date")); err == nil {
				r.Header.Set("Date", date.Add(-ahead).UTC().Format(http.TimeFormat))
			}
			r.Header.Del("Content-Length")
			r.ContentLength = -1
			r.Body = &shiftedBody{lines: bufio.NewReader(r.Body), inner: r.Body, by: -ahead}
			return nil
		},
	}, nil
}

// timestamps are those of Kubernetes: with or without fractions, always UTC.
var timestamps = regexp.MustCompile(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// shiftTimes moves all times in a text, in the form they have.
func shiftTimes(text []byte, by time.Duration) []byte {
	return timestamps.ReplaceAllFunc(text, func(found []byte) []byte {
		at, err := time.Parse(time.RFC3339Nano, string(found))
		if err != nil {
			return found
		}
		layout := "2006-01-02T15:04:05"
		if _, fraction, ok := strings.Cut(strings.TrimSuffix(string(found), "Z"), "."); ok {
			layout += "." + strings.Repeat("0", len(fraction))
		}
		return []byte(at.Add(by).UTC().Format(layout + "Z"))
	})
}

// shiftedBody moves the times of an answer line by line, so that an event of a watch
// is passed on when it is there.
type shiftedBody struct {
	lines *bufio.Reader
	inner io.Closer
	by    time.Duration
	ready []byte
}

// Read gives what is left of a line, or the next.
func (b *shiftedBody) Read(p []byte) (int, error) {
	if len(b.ready) == 0 {
		line, err := b.lines.ReadBytes('\n')
		if len(line) == 0 {
			return 0, err
		}
		b.ready = shiftTimes(line, b.by)
	}
	n := copy(p, b.ready)
	b.ready = b.ready[n:]
	return n, nil
}

// Close ends the answer.
func (b *shiftedBody) Close() error { return b.inner.Close() }

func TestShiftTimes(t *testing.T) {
	for text, want := range map[string]string{
		`{"time":"2026-11-30T00:30:00Z"}`:                 `{"time":"2026-11-29T23:30:00Z"}`,
		"renewTime: \"2026-11-30T00:30:00.000001Z\"":      "renewTime: \"2026-11-29T23:30:00.000001Z\"",
		`a 2026-11-30T01:00:00.50Z 2001-01-01T00:00:00Z.`: `a 2026-11-30T00:00:00.50Z 2000-12-31T23:00:00Z.`,
		`no time 2026-11-30 2026-13-45T00:00:00Z`:         `no time 2026-11-30 2026-13-45T00:00:00Z`,
	} {
		assert.Equal(t, want, string(shiftTimes([]byte(text), -time.Hour)))
		body := &shiftedBody{lines: bufio.NewReader(strings.NewReader(text + "\n" + text)), inner: io.NopCloser(nil), by: -time.Hour}
		all, err := io.ReadAll(body)
		assert.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%s\n%s", want, want), string(all))
	}
}
