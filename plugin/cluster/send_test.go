package cluster

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestRequestsAsSent(t *testing.T) {
	body := configMap("a", map[string]any{"big": json.Number("9007199254740993")})
	tests := []struct {
		name        string
		call        func(context.Context, *Client) error
		method, uri string
		contentType string
		body        string
	}{
		{
			"get", func(ctx context.Context, c *Client) error {
				_, err := c.Get(ctx, configMaps, "default", "a")
				return err
			},
			"GET", "/api/v1/namespaces/default/configmaps/a", "", "",
		},
		{
			"get of a cluster-scoped kind drops the namespace", func(ctx context.Context, c *Client) error {
				_, err := c.Get(ctx, widgets, "default", "a")
				return err
			},
			"GET", "/apis/demo.example/v1/widgets/a", "", "",
		},
		{
			"get of a name with a colon", func(ctx context.Context, c *Client) error {
				_, err := c.Get(ctx, widgets, "", "system:admin")
				return err
			},
			"GET", "/apis/demo.example/v1/widgets/system:admin", "", "",
		},
		{
			"apply", func(ctx context.Context, c *Client) error {
				_, err := c.Apply(ctx, configMaps, body, ApplyOptions{Force: true, DryRun: true, Validation: ValidateStrict})
				return err
			},
			"PATCH", "/api/v1/namespaces/default/configmaps/a?dryRun=All&fieldManager=tazuna&fieldValidation=Strict&force=true",
			"application/apply-patch+yaml",
			`{"apiVersion":"v1","data":{"big":9007199254740993},"kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}}`,
		},
		{
			"apply of a subresource as another manager", func(ctx context.Context, c *Client) error {
				_, err := c.Apply(ctx, configMaps, body, ApplyOptions{Subresource: "status", Manager: "other"})
				return err
			},
			"PATCH", "/api/v1/namespaces/default/configmaps/a/status?fieldManager=other", "application/apply-patch+yaml", "",
		},
		{
			"create", func(ctx context.Context, c *Client) error {
				_, err := c.Create(ctx, configMaps, body, WriteOptions{})
				return err
			},
			"POST", "/api/v1/namespaces/default/configmaps?fieldManager=tazuna", "application/json", "",
		},
		{
			"update", func(ctx context.Context, c *Client) error {
				_, err := c.Update(ctx, configMaps, body, WriteOptions{DryRun: true})
				return err
			},
			"PUT", "/api/v1/namespaces/default/configmaps/a?dryRun=All&fieldManager=tazuna", "application/json", "",
		},
		{
			"patch", func(ctx context.Context, c *Client) error {
				_, err := c.Patch(ctx, configMaps, "default", "a", types.MergePatchType, []byte(`{"data":null}`), WriteOptions{Subresource: "status"})
				return err
			},
			"PATCH", "/api/v1/namespaces/default/configmaps/a/status?fieldManager=tazuna", "application/merge-patch+json", `{"data":null}`,
		},
		{
			"delete", func(ctx context.Context, c *Client) error {
				return c.Delete(ctx, configMaps, "default", "a", DeleteOptions{UID: "u", ResourceVersion: "7", Propagation: metav1.DeletePropagationForeground, DryRun: true})
			},
			"DELETE", "/api/v1/namespaces/default/configmaps/a?dryRun=All", "application/json",
			`{"apiVersion":"v1","dryRun":["All"],"kind":"DeleteOptions","preconditions":{"resourceVersion":"7","uid":"u"},"propagationPolicy":"Foreground"}`,
		},
		{
			"delete without conditions", func(ctx context.Context, c *Client) error {
				return c.Delete(ctx, configMaps, "default", "a", DeleteOptions{})
			},
			"DELETE", "/api/v1/namespaces/default/configmaps/a", "application/json", `{"apiVersion":"v1","kind":"DeleteOptions"}`,
		},
		{
			"list", func(ctx context.Context, c *Client) error {
				_, err := c.List(ctx, configMaps, ListOptions{LabelSelector: "a=b,c", FieldSelector: "metadata.name=x"})
				return err
			},
			"GET", "/api/v1/configmaps?fieldSelector=metadata.name%3Dx&labelSelector=a%3Db%2Cc&limit=500", "", "",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := play(answer(200, okConfigMap))
			require.NoError(t, tt.call(t.Context(), connectTo(t, server)))
			require.Equal(t, 1, server.count())
			got := server.seen[0]
			assert.Equal(t, tt.method, got.Method)
			assert.Equal(t, tt.uri, got.RequestURI)
			assert.Equal(t, tt.contentType, got.Header.Get("Content-Type"))
			assert.Equal(t, "kubectl-tazuna/test", got.Header.Get("User-Agent"))
			if tt.body != "" {
				assert.Equal(t, tt.body, string(server.body[0]))
			}
		})
	}
}

func TestServerBehindAPrefix(t *testing.T) {
	server := play(answer(200, okConfigMap))
	s := httptest.NewServer(server)
	defer s.Close()
	c := connectAt(t, s.URL+"/clusters/blue/")
	_, err := c.Get(t.Context(), configMaps, "default", "a")
	require.NoError(t, err)
	assert.Equal(t, "/clusters/blue/api/v1/namespaces/default/configmaps/a", server.seen[0].RequestURI)
}

func TestRedirects(t *testing.T) {
	elsewhere := play(answer(200, okConfigMap))
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	server := func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/moved":
			answer(200, okConfigMap)(w, r)
		case strings.HasSuffix(r.URL.Path, "/here"):
			http.Redirect(w, r, "/moved", http.StatusTemporaryRedirect)
		default:
			http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
		}
	}
	c := connectTo(t, http.HandlerFunc(server))
	_, err := c.Get(t.Context(), configMaps, "default", "here")
	require.NoError(t, err)
	_, err = c.Apply(t.Context(), configMaps, configMap("there", nil), ApplyOptions{})
	require.Error(t, err)
	assert.Zero(t, elsewhere.count(), "another server gets nothing")
}

// A name is part of a path: it must not lead elsewhere.
func TestTargetsThatAreRefused(t *testing.T) {
	server := play(answer(200, okConfigMap))
	c := connectTo(t, server)
	for _, name := range []string{"", "..", ".", "a/b", "../secrets/x", "a%2fb"} {
		_, err := c.Get(t.Context(), configMaps, "default", name)
		require.Error(t, err, name)
		require.Error(t, c.Delete(t.Context(), configMaps, "default", name, DeleteOptions{}), name)
		_, err = c.Patch(t.Context(), configMaps, "default", name, types.MergePatchType, []byte("{}"), WriteOptions{})
		require.Error(t, err, name)
		_, err = c.Apply(t.Context(), configMaps, configMap(name, nil), ApplyOptions{})
		require.Error(t, err, name)
		_, err = c.Create(t.Context(), configMaps, configMap(name, nil), WriteOptions{})
		require.Error(t, err, name)
	}
	_, err := c.Get(t.Context(), configMaps, "", "a")
	require.ErrorContains(t, err, "no namespace was given")
	_, err = c.Get(t.Context(), configMaps, "..", "a")
	require.Error(t, err)
	_, err = c.List(t.Context(), configMaps, ListOptions{Namespace: "../x"})
	require.Error(t, err)
	assert.Zero(t, server.count())
}

func TestApplyNeedsAManager(t *testing.T) {
	c := connectTo(t, play(answer(200, okConfigMap)), func(o *Options) { o.FieldManager = "" })
	_, err := c.Apply(t.Context(), configMaps, configMap("a", nil), ApplyOptions{})
	require.ErrorContains(t, err, "no field manager")
}

func TestAnswersThatAreNoObjects(t *testing.T) {
	for name, body := range map[string]string{"not JSON": "<html>", "null": "null", "a list": "[]", "cut short": `{"a":`, "empty": ""} {
		t.Run(name, func(t *testing.T) {
			_, err := connectTo(t, play(answer(200, body))).Get(t.Context(), configMaps, "default", "a")
			require.ErrorContains(t, err, "get ConfigMap default/a: decode the server's answer")
		})
	}
}

func TestNumbersOfAnswers(t *testing.T) {
	c := connectTo(t, play(answer(200, `{"a":9007199254740993,"b":1.5,"c":1e3,"d":-1}`)))
	got, err := c.Get(t.Context(), configMaps, "default", "a")
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": int64(9007199254740993), "b": 1.5, "c": 1000.0, "d": int64(-1)}, got.Object)
}

func TestServersReasonStaysVisible(t *testing.T) {
	page403 := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("<html>denied by the firewall</html>"))
	}
	tests := []struct {
		name string
		step http.HandlerFunc
		is   func(error) bool
		text string
	}{
		{"status", refuse(403, metav1.StatusReasonForbidden, `configmaps "a" is forbidden`), apierrors.IsForbidden, `get ConfigMap default/a: configmaps "a" is forbidden`},
		{"missing object", refuse(404, metav1.StatusReasonNotFound, `configmaps "a" not found`), apierrors.IsNotFound, "not found"},
		{"status without a code", answer(409, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","message":"m"}`), apierrors.IsConflict, "m"},
		{"a proxy's page", page403, apierrors.IsForbidden, "get ConfigMap default/a: <html>denied by the firewall</html>"},
		{"an object with a bad code", answer(500, okConfigMap), apierrors.IsInternalError, "an error on the server"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := connectTo(t, play(tt.step)).Get(t.Context(), configMaps, "default", "a")
			require.Error(t, err)
			assert.True(t, tt.is(err), "%v", err)
			require.ErrorContains(t, err, tt.text)
		})
	}
}

// The answer is a plain page for an unknown group version, and a Status without
// details for an unknown resource of a known one.
func TestKindThatIsNotServed(t *testing.T) {
	for name, step := range map[string]http.HandlerFunc{
		"group version": http.NotFound,
		"resource":      answer(404, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`),
	} {
		t.Run(name, func(t *testing.T) {
			c := connectTo(t, step)
			_, err := c.Get(t.Context(), widgets, "", "a")
			var noKind *ErrNoKind
			require.ErrorAs(t, err, &noKind)
			assert.False(t, apierrors.IsNotFound(err), "an absent kind must not look like an absent object")
			_, err = c.List(t.Context(), widgets, ListOptions{})
			require.ErrorAs(t, err, &noKind)
			err = c.Delete(t.Context(), widgets, "", "a", DeleteOptions{})
			require.ErrorAs(t, err, &noKind)
		})
	}
}

func TestBrokenAggregatedAPI(t *testing.T) {
	server := play(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "service unavailable", http.StatusServiceUnavailable)
	})
	_, err := connectTo(t, server, withClock(newHurry())).List(t.Context(), widgets, ListOptions{})
	var broken *ErrUnavailable
	require.ErrorAs(t, err, &broken)
	assert.Equal(t, "demo.example/v1", broken.GroupVersion.String())
	assert.Equal(t, 1, server.count(), "the aggregator knows it, so there is no point in asking again")
}

// hang answers when the client has gone.
func hang(_ http.ResponseWriter, r *http.Request) {
	readAll(r) // until then the server does not watch the connection
	select {
	case <-r.Context().Done():
	case <-time.After(10 * time.Second):
	}
}

func TestRequestTimeout(t *testing.T) {
	timeout := "50ms"
	c := connectTo(t, http.HandlerFunc(hang), func(o *Options) { flagsOf(o).Timeout = &timeout })
	start := time.Now()
	_, err := c.Get(t.Context(), configMaps, "default", "a")
	require.ErrorIs(t, err, errRequestTimeout)
	require.ErrorContains(t, err, "get ConfigMap default/a: no answer within the request timeout")

	_, err = c.Create(t.Context(), configMaps, configMap("a", nil), WriteOptions{})
	var unknown *ErrOutcomeUnknown
	require.ErrorAs(t, err, &unknown)
	assert.Less(t, time.Since(start), 5*time.Second)
}

// Ctrl-C while a write is on its way: the write is finished, the next is not
// begun.
func TestWriteInFlightIsFinished(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := play(func(w http.ResponseWriter, r *http.Request) {
		cancel()
		time.Sleep(50 * time.Millisecond)
		answer(200, okConfigMap)(w, r)
	})
	c := connectTo(t, server)
	_, err := c.Apply(ctx, configMaps, configMap("a", nil), ApplyOptions{})
	require.NoError(t, err)
	_, err = c.Get(ctx, configMaps, "default", "a")
	require.ErrorIs(t, err, context.Canceled)
	_, err = c.Apply(ctx, configMaps, configMap("a", nil), ApplyOptions{})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, server.count())
}

func TestReadInFlightIsDropped(t *testing.T) {
	for name, call := range map[string]func(context.Context, *Client) error{
		"get": func(ctx context.Context, c *Client) error { _, err := c.Get(ctx, configMaps, "d", "a"); return err },
		"dry-run": func(ctx context.Context, c *Client) error {
			_, err := c.Apply(ctx, configMaps, configMap("a", nil), ApplyOptions{DryRun: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(30*time.Millisecond, cancel)
			start := time.Now()
			require.ErrorIs(t, call(ctx, connectTo(t, http.HandlerFunc(hang))), context.Canceled)
			assert.Less(t, time.Since(start), 5*time.Second)
		})
	}
}

func TestDeadlineEndsAWrite(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := connectTo(t, http.HandlerFunc(hang)).Apply(ctx, configMaps, configMap("a", nil), ApplyOptions{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	var unknown *ErrOutcomeUnknown
	require.ErrorAs(t, err, &unknown)
}

// All sixteen are in the server's hands at once, over HTTP/2 and over HTTP/1.1.
func TestSixteenInParallel(t *testing.T) {
	for _, http2 := range []bool{true, false} {
		var mu sync.Mutex
		waiting, together := 0, make(chan struct{})
		protocols := map[string]bool{}
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			protocols[r.Proto] = true
			if waiting++; waiting == 16 {
				close(together)
			}
			mu.Unlock()
			select {
			case <-together:
				answer(200, okConfigMap)(w, r)
			case <-time.After(10 * time.Second):
				answer(500, "{}")(w, r)
			}
		}))
		if server.EnableHTTP2 = http2; http2 {
			server.StartTLS()
		} else {
			server.Start()
		}
		defer server.Close()
		insecure := true
		c := connectAt(t, server.URL, func(o *Options) { flagsOf(o).Insecure = &insecure })

		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				_, err := c.Get(t.Context(), configMaps, "default", "a")
				assert.NoError(t, err)
			})
		}
		wg.Wait()
		want := map[bool]string{true: "HTTP/2.0", false: "HTTP/1.1"}[http2]
		assert.Equal(t, map[string]bool{want: true}, protocols)
	}
}
