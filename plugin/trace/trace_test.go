package trace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// call is what a collector got.
type call struct {
	path, contentType, key string
	proto                  int
	message                []byte
}

// collector is a server that speaks gRPC as far as a unary call does: HTTP/2 without
// TLS, a frame in the body, the status in the trailers.
func collector(t *testing.T, status string) (endpoint string, got *call) {
	t.Helper()
	got = &call{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(body) < 5 || int(binary.BigEndian.Uint32(body[1:])) != len(body)-5 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		*got = call{r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Api-Key"), r.ProtoMajor, body[5:]}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
		_, _ = w.Write([]byte{0, 0, 0, 0, 0})
		w.Header().Set("Grpc-Status", status)
		w.Header().Set("Grpc-Message", "because")
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), got
}

// field is one of a message, with its value: a number, or bytes.
type field struct {
	number protowire.Number
	value  uint64
	bytes  []byte
}

func fields(t *testing.T, message []byte) []field {
	t.Helper()
	var all []field
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		require.Positive(t, n)
		message = message[n:]
		f := field{number: number}
		switch kind {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			t.Fatalf("field %d has the type %d", number, kind)
		}
		require.Positive(t, n)
		message = message[n:]
		all = append(all, f)
	}
	return all
}

// within follows numbers of fields down, and gives all messages that are there.
func within(t *testing.T, message []byte, path ...protowire.Number) [][]byte {
	t.Helper()
	found := [][]byte{message}
	for _, number := range path {
		var next [][]byte
		for _, m := range found {
			for _, f := range fields(t, m) {
				if f.number == number {
					next = append(next, f.bytes)
				}
			}
		}
		found = next
	}
	return found
}

// pairs reads attributes.
func pairs(t *testing.T, attributes [][]byte) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, a := range attributes {
		value := fields(t, within(t, a, 2)[0])[0]
		text := string(value.bytes)
		if value.number != 1 {
			text = fmt.Sprint(value.number, "=", value.value)
		}
		all[string(within(t, a, 1)[0])] = text
	}
	return all
}

// The numbers are those of opentelemetry/proto's trace.proto, common.proto and
// resource.proto, written a second time.
func TestExport(t *testing.T) {
	now := time.Unix(100, 5)
	r := NewRecorder(func() time.Time { now = now.Add(time.Second); return now })
	ctx, run := Start(With(t.Context(), r), "tazuna.Apply", Attribute{"apply.sync", true})
	_, build := Start(ctx, "Kustomize.Build", Attribute{"manifest.name", "web"})
	build.Set(Attribute{"manifest.objects", 3})
	build.End(errors.New("no such file"))
	build.End(nil)
	Current(ctx).Set(Attribute{"manifests.count", 1})
	run.End(nil)

	endpoint, got := collector(t, "0")
	require.NoError(t, r.Export(t.Context(), Collector{Endpoint: endpoint, Insecure: true, Headers: "api-key=a%2Bb, x=y", Version: "1.2.3"}))
	assert.Equal(t, "/opentelemetry.proto.collector.trace.v1.TraceService/Export", got.path)
	assert.Equal(t, "application/grpc", got.contentType)
	assert.Equal(t, "a+b", got.key)
	assert.Equal(t, 2, got.proto)

	assert.Equal(t, map[string]string{"service.name": "tazuna", "service.version": "1.2.3"}, pairs(t, within(t, got.message, 1, 1, 1)))
	assert.Equal(t, "tazuna/runner", string(within(t, got.message, 1, 2, 1, 1)[0]))
	spans := within(t, got.message, 1, 2, 2)
	require.Len(t, spans, 2)
	inner, outer := spans[0], spans[1]
	assert.Equal(t, "Kustomize.Build", string(within(t, inner, 5)[0]))
	assert.Equal(t, "tazuna.Apply", string(within(t, outer, 5)[0]))
	assert.Len(t, within(t, inner, 1)[0], 16)
	assert.Equal(t, within(t, outer, 1), within(t, inner, 1), "one trace")
	assert.Equal(t, within(t, outer, 2), within(t, inner, 4), "one is the parent of the other")
	assert.Empty(t, within(t, outer, 4))
	assert.Equal(t, map[string]string{"manifest.name": "web", "manifest.objects": "3=3"}, pairs(t, within(t, inner, 9)))
	assert.Equal(t, map[string]string{"apply.sync": "2=1", "manifests.count": "3=1"}, pairs(t, within(t, outer, 9)))
	assert.Equal(t, "no such file", string(within(t, inner, 15, 2)[0]))
	assert.Equal(t, map[string]string{"exception.message": "no such file"}, pairs(t, within(t, inner, 11, 3)))
	assert.Empty(t, within(t, outer, 15))
	times := map[protowire.Number]uint64{}
	for _, f := range fields(t, inner) {
		times[f.number] = f.value
	}
	assert.Equal(t, uint64(102*time.Second+5), times[7])
	assert.Equal(t, uint64(103*time.Second+5), times[8])
	assert.Equal(t, uint64(1), times[6])
}

func TestExportThatFails(t *testing.T) {
	refusing, _ := collector(t, "16")
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	r := NewRecorder(time.Now)
	for name, test := range map[string]struct {
		c    Collector
		want string
	}{
		"refused":         {Collector{Endpoint: refusing, Insecure: true}, "gRPC status 16: because"},
		"not a collector": {Collector{Endpoint: plain.URL}, "send the trace to " + plain.URL},
		"no endpoint":     {Collector{Endpoint: "ftp://a"}, "wanted HOST:PORT, or a URL with http or https"},
		"with TLS":        {Collector{Endpoint: refusing}, "send the trace to " + refusing},
		"nobody there":    {Collector{Endpoint: "me:hunter2@127.0.0.1:1", Insecure: true}, "send the trace to 127.0.0.1:1: "},
	} {
		test.c.Headers = "api-key=hunter2"
		err := r.Export(t.Context(), test.c)
		require.ErrorContains(t, err, test.want, name)
		require.NotContains(t, err.Error(), "hunter2", name)
	}
}

func TestExportGivesUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	endpoint, got := collector(t, "0")
	require.ErrorIs(t, NewRecorder(time.Now).Export(ctx, Collector{Endpoint: endpoint, Insecure: true}), context.Canceled)
	require.Empty(t, got.message)
}

func TestNothingIsKeptWithoutARecorder(t *testing.T) {
	ctx, span := Start(t.Context(), "a")
	require.Nil(t, span)
	require.Equal(t, t.Context(), ctx)
	span.Set(Attribute{"a", 1})
	span.End(errors.New("x"))
	require.Nil(t, Current(ctx))
}

func TestSpansAreBounded(t *testing.T) {
	r := NewRecorder(time.Now)
	ctx, run := Start(With(t.Context(), r), "run")
	for range maxSpans + 3 {
		_, s := Start(ctx, "part")
		s.End(nil)
	}
	run.End(nil)
	message := r.encode("v")
	require.Len(t, within(t, message, 1, 2, 2), maxSpans+1, "the outermost is always kept")
	require.Equal(t, "3=3", pairs(t, within(t, message, 1, 1, 1))["tazuna.spans.dropped"])
}
