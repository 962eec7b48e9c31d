package trace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Patience bounds an export: a collector that is away doesn't hold a command up. It is
// the original tool's.
const Patience = 5 * time.Second

// exportPath is the method of OpenTelemetry's TraceService.
const exportPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// Collector is where spans are sent.
type Collector struct {
	// Endpoint is HOST:PORT, or a URL with http or https.
	Endpoint string
	// Insecure sends without TLS; a URL decides by its scheme.
	Insecure bool
	// Headers are those of OTEL_EXPORTER_OTLP_HEADERS: KEY=VALUE, separated by commas,
	// values with % escapes. They hold credentials, and are in no message.
	Headers string
	// Version is that of this program.
	Version string
}

// Export sends the spans that have ended. It gives up after Patience.
func (r *Recorder) Export(ctx context.Context, c Collector) error {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	if err := c.send(ctx, r.encode(c.Version)); err != nil {
		return fmt.Errorf("send the trace to %s: %w", c.name(), err)
	}
	return nil
}

// name is the endpoint as messages have it: without a password in it.
func (c Collector) name() string {
	if at := strings.LastIndex(c.Endpoint, "@"); at >= 0 {
		return c.Endpoint[at+1:]
	}
	return c.Endpoint
}

func (c Collector) send(ctx context.Context, message []byte) error {
	request, err := c.request(ctx, message)
	if err != nil {
		return err
	}
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &protocols, Proxy: http.ProxyFromEnvironment}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL, which is named already
		}
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // the trailers come behind it
	if err != nil {
		return err
	}
	return verdict(response)
}

// request is a unary gRPC call: the message behind a byte that says it isn't compressed
// and its length.
func (c Collector) request(ctx context.Context, message []byte) (*http.Request, error) {
	endpoint := c.Endpoint
	if !strings.Contains(endpoint, "://") {
		scheme := "https://"
		if c.Insecure {
			scheme = "http://"
		}
		endpoint = scheme + endpoint
	}
	where, err := url.Parse(endpoint)
	if err != nil || where.Host == "" || where.Scheme != "http" && where.Scheme != "https" {
		return nil, errors.New("wanted HOST:PORT, or a URL with http or https")
	}
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))) //nolint:gosec // spans are bounded
	body := strings.NewReader(string(frame) + string(message))
	to := url.URL{Scheme: where.Scheme, Host: where.Host, Path: exportPath}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), body)
	if err != nil {
		return nil, err
	}
	for pair := range strings.SplitSeq(c.Headers, ",") {
		key, value, found := strings.Cut(pair, "=")
		if value, err := url.PathUnescape(strings.TrimSpace(value)); found && err == nil {
			request.Header.Set(strings.TrimSpace(key), value)
		}
	}
	request.Header.Set("Content-Type", "application/grpc")
	request.Header.Set("Te", "trailers")
	request.Header.Set("User-Agent", "kubectl-tazuna/"+c.Version)
	return request, nil
}

// verdict reads gRPC's status, which is in the trailers, or in the headers of an answer
// without a body.
func verdict(r *http.Response) error {
	status, message := r.Trailer.Get("Grpc-Status"), r.Trailer.Get("Grpc-Message")
	if status == "" {
		status, message = r.Header.Get("Grpc-Status"), r.Header.Get("Grpc-Message")
	}
	switch {
	case r.StatusCode != http.StatusOK:
		return fmt.Errorf("wanted an OTLP/gRPC collector, found an answer with HTTP status %s", r.Status)
	case status == "":
		return errors.New("wanted an OTLP/gRPC collector, found an answer without a gRPC status")
	case status != "0":
		return fmt.Errorf("the collector refused it: gRPC status %s: %s", status, message)
	}
	return nil
}
