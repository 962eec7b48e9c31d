package cluster

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// Failures as they reach the policy.
var (
	anyResource = schema.GroupResource{Group: "apps", Resource: "deployments"}

	errSentEOF     = &connectionError{sent: true, err: &url.Error{Op: "Patch", URL: "https://x", Err: io.EOF}}
	errRefused     = &connectionError{err: &url.Error{Op: "Get", URL: "https://x", Err: &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}}}
	errReset       = &connectionError{sent: true, err: &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}}
	errGoAway      = &connectionError{sent: true, err: errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=5")}
	errLostHTTP2   = &connectionError{sent: true, err: errors.New("http2: client connection lost")}
	errStream      = &connectionError{sent: true, err: errors.New("stream error: stream ID 7; INTERNAL_ERROR; received from peer")}
	errNoHost      = &connectionError{err: &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}}
	errNameServer  = &connectionError{err: &net.DNSError{Err: "server misbehaving", Name: "x", IsTemporary: true}}
	errCertificate = &connectionError{err: x509.UnknownAuthorityError{}}
	errPlugin      = &connectionError{err: errors.New("getting credentials: exec: executable aws not found")}
	errTimedOut    = &connectionError{sent: true, err: errRequestTimeout}
	errCancelled   = &connectionError{sent: true, err: context.Canceled}
)

func status(code int, reason metav1.StatusReason, message string, seconds int) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
		Details: &metav1.StatusDetails{RetryAfterSeconds: int32(seconds)},
	}}
}

func page(code int, text string) error {
	return apierrors.NewGenericServerResponse(code, "GET", anyResource, "web", text, 0, true)
}

func TestRetryable(t *testing.T) {
	const never, always = "", "get list watch discover apply create update patch patchOnce delete"
	const repeatable = "get list watch discover apply create update patch delete"
	tests := []struct {
		name  string
		err   error
		verbs string // that are repeated
		delay time.Duration
	}{
		{"429 with a wish", status(429, metav1.StatusReasonTooManyRequests, "", 3), always, 3 * time.Second},
		{"429 without", status(429, metav1.StatusReasonTooManyRequests, "", 0), always, 0},
		{"server timeout, refused at the door", status(500, metav1.StatusReasonServerTimeout, "", 2), always, 2 * time.Second},
		{"503 of a server that shuts down", status(503, metav1.StatusReasonServiceUnavailable, "apiserver is shutting down", 1), repeatable, time.Second},
		{"503 of the aggregator", page(503, "service unavailable"), never, 0},
		{"502 of a load balancer", page(502, "<html>Bad Gateway</html>"), repeatable, 0},
		{"504", status(504, metav1.StatusReasonTimeout, "request did not complete", 0), repeatable, 0},
		{"leader changed", status(500, metav1.StatusReasonInternalError, "etcdserver: leader changed", 0), repeatable, 0},
		{"etcd timed out", status(500, "", "etcdserver: request timed out", 0), repeatable, 0},
		{"etcd without a leader", status(500, "", "etcdserver: no leader", 0), repeatable, 0},
		{"etcd not reached", status(500, metav1.StatusReasonInternalError, "rpc error: code = Unavailable desc = transport is closing", 0), repeatable, 0},
		{"500 that asks to come back", status(500, metav1.StatusReasonInternalError, "busy", 1), repeatable, time.Second},
		{"500 for another reason", status(500, metav1.StatusReasonInternalError, "nil pointer", 0), "get list discover", 0},
		{"webhook down", status(500, metav1.StatusReasonInternalError, `failed calling webhook "x": etcdserver: leader changed`, 0), never, 0},
		{"conflict", status(409, metav1.StatusReasonConflict, "", 0), never, 0},
		{"exists", status(409, metav1.StatusReasonAlreadyExists, "", 0), never, 0},
		{"not found", status(404, metav1.StatusReasonNotFound, "", 0), never, 0},
		{"invalid", status(422, metav1.StatusReasonInvalid, "", 0), never, 0},
		{"forbidden", status(403, metav1.StatusReasonForbidden, "", 0), never, 0},
		{"unauthorized, renewed elsewhere", status(401, metav1.StatusReasonUnauthorized, "", 0), never, 0},
		{"cut after it was sent", errSentEOF, repeatable, 0},
		{"reset", errReset, repeatable, 0},
		{"refused before it was sent", errRefused, always, 0},
		{"GOAWAY", errGoAway, repeatable, 0},
		{"HTTP/2 connection lost", errLostHTTP2, repeatable, 0},
		{"HTTP/2 connection closed under way", &connectionError{sent: true, err: errors.New("read the answer: http2: client connection force closed via ClientConn.Close")}, repeatable, 0},
		{"HTTP/2 that can't be repeated below", &connectionError{sent: true, err: errors.New("http2: Transport: cannot retry err [stream error] after Request.Body was written")}, repeatable, 0},
		{"HTTP/2 stream error", errStream, repeatable, 0},
		{"no such host", errNoHost, never, 0},
		{"name server busy", errNameServer, always, 0},
		{"wrong certificate", errCertificate, never, 0},
		{"credential plugin", errPlugin, never, 0},
		{"request timeout", errTimedOut, never, 0},
		{"cancelled", errCancelled, never, 0},
		{"discovery's own client", &url.Error{Op: "Get", URL: "https://x/api", Err: io.EOF}, repeatable, 0},
	}
	verbs := map[string]verb{
		"get": verbGet, "list": verbList, "watch": verbWatch, "discover": verbDiscover, "apply": verbApply,
		"create": verbCreate, "update": verbUpdate, "patch": verbPatch, "patchOnce": verbPatchOnce, "delete": verbDelete,
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, v := range verbs {
				delay, again := retryable(tt.err, v)
				assert.Equal(t, hasWord(tt.verbs, name), again, name)
				if again {
					assert.Equal(t, tt.delay, delay, name)
				}
				wrapped, _ := retryable(fmt.Errorf("while: %w", tt.err), v)
				assert.Equal(t, delay, wrapped, "wrapping must not hide it")
			}
		})
	}
}

func hasWord(text, word string) bool {
	return slices.Contains(strings.Fields(text), word)
}

func TestDoubtful(t *testing.T) {
	for _, err := range []error{errSentEOF, errReset, errGoAway, errTimedOut, page(502, ""), page(504, ""), status(500, "", "etcdserver: request timed out", 0)} {
		assert.True(t, doubtful(err), "%v", err)
	}
	for _, err := range []error{errRefused, errNoHost, page(503, "service unavailable"), status(429, "", "", 1), status(500, "", "failed calling webhook: etcdserver: leader changed", 0), status(409, "", "", 0)} {
		assert.False(t, doubtful(err), "%v", err)
	}
}

func TestRetriesUntilTheAnswer(t *testing.T) {
	clk := newHurry()
	server := play(
		after("2", refuse(429, metav1.StatusReasonTooManyRequests, "later")),
		refuse(500, metav1.StatusReasonInternalError, "etcdserver: leader changed"),
		cut,
		answer(200, okConfigMap),
	)
	c := connectTo(t, server, withClock(clk))
	got, err := c.Get(t.Context(), configMaps, "default", "a")
	require.NoError(t, err)
	assert.Equal(t, "a", got.GetName())
	assert.Equal(t, 4, server.count())
	// 2 s and an eighth as asked, then the back-off of 200 ms at three quarters.
	// net/http may repeat a cut GET by itself, so the last pause is not certain.
	assert.Equal(t, []time.Duration{2250 * time.Millisecond, 150 * time.Millisecond}, clk.pauses[:2])
	assert.Less(t, c.Limiter().Window(), 16, "the 429 halves the window")
}

func TestRetriesEnd(t *testing.T) {
	t.Run("broken server", func(t *testing.T) {
		clk := newHurry()
		server := play(refuse(500, metav1.StatusReasonInternalError, "etcdserver: no leader"))
		c := connectTo(t, server, withClock(clk))
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.Error(t, err)
		require.ErrorContains(t, err, "get ConfigMap default/a: etcdserver: no leader (gave up after ")
		assert.LessOrEqual(t, clk.waited(), 30*time.Second)
		assert.Greater(t, clk.waited(), 20*time.Second)
		assert.True(t, apierrors.IsInternalError(err), "the server's answer stays visible")
	})
	t.Run("a shorter bound", func(t *testing.T) {
		clk := newHurry()
		c := connectTo(t, play(cut), withClock(clk), func(o *Options) { o.RetryFor = time.Second })
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.Error(t, err)
		assert.LessOrEqual(t, clk.waited(), time.Second)
	})
	t.Run("busy server gets more patience", func(t *testing.T) {
		clk := newHurry()
		c := connectTo(t, play(after("1", refuse(429, metav1.StatusReasonTooManyRequests, "later"))), withClock(clk))
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.True(t, apierrors.IsTooManyRequests(err))
		assert.Greater(t, clk.waited(), 110*time.Second)
		assert.LessOrEqual(t, clk.waited(), 120*time.Second)
	})
	t.Run("a wish beyond the bound", func(t *testing.T) {
		clk := newHurry()
		server := play(after("3600", refuse(429, metav1.StatusReasonTooManyRequests, "later")))
		c := connectTo(t, server, withClock(clk))
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.ErrorContains(t, err, "the server asked to wait 1h0m0s")
		assert.Equal(t, 1, server.count())
	})
	t.Run("nobody at the address", func(t *testing.T) {
		clk := newHurry()
		c := connectAt(t, "http://127.0.0.1:1", withClock(clk))
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		require.ErrorContains(t, err, "connection refused")
		assert.Zero(t, clk.waited(), "a wrong address is reported at once")
	})
}

// A server that is gone for good costs the bound once, not once per object.
func TestOutageIsShared(t *testing.T) {
	clk := newHurry()
	gone := atomic.Bool{}
	server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			cut(w, r)
		}
		answer(200, okConfigMap)(w, r)
	})
	c := connectTo(t, server, withClock(clk))
	get := func() error {
		_, err := c.Get(t.Context(), configMaps, "default", "a")
		return err
	}
	require.NoError(t, get())
	gone.Store(true)
	for range 10 {
		require.Error(t, get())
	}
	first := clk.waited()
	assert.LessOrEqual(t, first, 30*time.Second, "ten requests share the bound")

	clk.pass(time.Minute)
	require.Error(t, get())
	assert.Greater(t, clk.waited(), first+20*time.Second, "nobody tried for a minute: a new outage")

	gone.Store(false)
	require.NoError(t, get())
	gone.Store(true)
	before := clk.waited()
	require.Error(t, get())
	assert.Greater(t, clk.waited(), before+20*time.Second, "an answer ends an outage")
}

// A refusal is an answer: it begins no outage.
func TestRefusalsAreNoOutage(t *testing.T) {
	clk := newHurry()
	server := play(refuse(404, metav1.StatusReasonNotFound, "not found"), refuse(500, metav1.StatusReasonInternalError, "etcdserver: no leader"))
	c := connectTo(t, server, withClock(clk))
	_, err := c.Get(t.Context(), configMaps, "default", "a")
	require.True(t, apierrors.IsNotFound(err))
	clk.pass(29 * time.Second)
	_, err = c.Get(t.Context(), configMaps, "default", "a")
	require.True(t, apierrors.IsInternalError(err))
	assert.Greater(t, clk.waited(), 20*time.Second)
}

// A server that restarts: refused for a moment, then there again.
func TestServerComesBack(t *testing.T) {
	server := httptest.NewServer(answer(200, okConfigMap))
	c := connectAt(t, server.URL)
	_, err := c.Get(t.Context(), configMaps, "default", "a")
	require.NoError(t, err)
	address := server.Listener.Addr().String()
	server.Close()
	back := make(chan *http.Server, 1)
	time.AfterFunc(300*time.Millisecond, func() {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Error(err)
			return
		}
		s := &http.Server{Handler: answer(200, okConfigMap), ReadHeaderTimeout: time.Minute}
		back <- s
		_ = s.Serve(l)
	})
	_, err = c.Apply(t.Context(), configMaps, configMap("a", nil), ApplyOptions{})
	require.NoError(t, err)
	require.NoError(t, (<-back).Close())
}

func TestCancelEndsBackOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := play(func(w http.ResponseWriter, r *http.Request) {
		time.AfterFunc(50*time.Millisecond, cancel)
		after("20", refuse(429, metav1.StatusReasonTooManyRequests, "later"))(w, r)
	})
	c := connectTo(t, server)
	start := time.Now()
	_, err := c.Get(ctx, configMaps, "default", "a")
	require.ErrorIs(t, err, context.Canceled)
	assert.True(t, apierrors.IsTooManyRequests(err), "and the reason for waiting is still there")
	assert.Less(t, time.Since(start), 10*time.Second)
	assert.Equal(t, 1, server.count())
}

func TestCredentialsGetASecondChance(t *testing.T) {
	clk := newHurry()
	server := play(refuse(401, metav1.StatusReasonUnauthorized, "token expired"), answer(200, okConfigMap))
	c := connectTo(t, server, withClock(clk))
	_, err := c.Get(t.Context(), configMaps, "default", "a")
	require.NoError(t, err)

	server = play(refuse(401, metav1.StatusReasonUnauthorized, "who are you"))
	c = connectTo(t, server, withClock(clk))
	_, err = c.Get(t.Context(), configMaps, "default", "a")
	require.True(t, apierrors.IsUnauthorized(err))
	assert.Equal(t, 2, server.count(), "one second chance, not more")
}

func TestPatchThatMayNotBeRepeated(t *testing.T) {
	add := []byte(`[{"op":"add","path":"/spec/list/-","value":1}]`)
	tested := []byte(`[{"op":"test","path":"/metadata/resourceVersion","value":"7"},{"op":"add","path":"/spec/list/-","value":1}]`)
	tests := []struct {
		name     string
		kind     types.PatchType
		data     []byte
		requests int
	}{
		{"adds to a list", types.JSONPatchType, add, 1},
		{"tested", types.JSONPatchType, tested, 2},
		{"merge", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), 2},
		{"strategic merge", types.StrategicMergePatchType, []byte(`{"data":{"a":"b"}}`), 2},
		{"unreadable", types.JSONPatchType, []byte(`{`), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := play(cut, answer(200, okConfigMap))
			c := connectTo(t, server, withClock(newHurry()))
			_, err := c.Patch(t.Context(), configMaps, "default", "a", tt.kind, tt.data, WriteOptions{})
			assert.Equal(t, tt.requests, server.count())
			if tt.requests == 2 {
				require.NoError(t, err)
				return
			}
			var unknown *ErrOutcomeUnknown
			require.ErrorAs(t, err, &unknown)
			require.ErrorContains(t, err, "patch ConfigMap default/a: no answer, the change may have been made all the same")
		})
	}
}
