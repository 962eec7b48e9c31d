package cluster

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// live connects to the control plane that the environment names; without one the
// test is skipped.
func live(t *testing.T, change ...func(*Options)) *Client {
	t.Helper()
	file := kubeconfig(t)
	flags := Flags()
	cache := t.TempDir()
	flags.KubeConfig, flags.CacheDir = &file, &cache
	o := Options{Getter: flags, UserAgent: "kubectl-tazuna/test (cluster)", FieldManager: "tazuna", CacheDir: cache}
	for _, c := range change {
		c(&o)
	}
	c, err := Connect(o)
	require.NoError(t, err)
	return c
}

func kubeconfig(t *testing.T) string {
	t.Helper()
	file := os.Getenv("TAZUNA_TEST_KUBECONFIG")
	if file == "" {
		t.Skip("TAZUNA_TEST_KUBECONFIG names no control plane")
	}
	return file
}

// namespace makes one for this test and removes it afterwards, without waiting.
func namespace(t *testing.T, c *Client) string {
	t.Helper()
	name := fmt.Sprintf("cluster-%x", time.Now().UnixNano())
	_, err := c.Create(t.Context(), namespaceMapping, map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}, WriteOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { remove(t, namespaceMapping, "", name) })
	return name
}

// remove deletes with a client of its own: the test's may be broken by then, and
// its context is over.
func remove(t *testing.T, m Mapping, namespace, name string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	if err := live(t).Delete(ctx, m, namespace, name, DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Errorf("clean up: %v", err)
	}
}

// gateway stands between a client and the control plane and can misbehave.
type gateway struct {
	address string

	mu       sync.Mutex
	arrived  int
	requests []string // "VERB path?query" of those that were disturbed or got an answer
	disturb  func(n int, r *http.Request) fault
}

// fault is what happens to one request.
type fault struct {
	instead  http.HandlerFunc // answers in place of the server
	cutAfter bool             // performs the request and loses the answer
}

// viaGateway connects through a gateway. disturb sees each request with its
// number, from 1; nil lets all pass.
func viaGateway(t *testing.T, disturb func(n int, r *http.Request) fault, change ...func(*Options)) (*Client, *gateway) {
	t.Helper()
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig(t))
	require.NoError(t, err)
	target, err := url.Parse(cfg.Host)
	require.NoError(t, err)
	transport, err := rest.TransportFor(cfg)
	require.NoError(t, err)
	g := &gateway{disturb: disturb}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = transport
	proxy.FlushInterval = -1
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	server := httptest.NewServer(g.handler(proxy))
	t.Cleanup(server.Close)
	g.address = server.URL

	empty := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	through := func(o *Options) { flagsOf(o).KubeConfig, flagsOf(o).APIServer = &empty, &g.address }
	return live(t, append([]func(*Options){through}, change...)...), g
}

func (g *gateway) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.arrived++
		n, disturb := g.arrived, g.disturb
		g.mu.Unlock()
		request := r.Method + " " + r.RequestURI
		var f fault
		if disturb != nil {
			f = disturb(n, r)
		}
		switch {
		case f.instead != nil:
			g.note(request)
			readAll(r)
			f.instead(w, r)
		case f.cutAfter:
			g.note(request)
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		default:
			next.ServeHTTP(&answerNoter{ResponseWriter: w, note: func() { g.note(request) }}, r)
		}
	})
}

func (g *gateway) note(request string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.requests = append(g.requests, request)
}

// answerNoter notes a request when its answer begins. A refusal of a server that
// others keep busy as well is none: the request comes again, and is one request
// to whoever counts them.
type answerNoter struct {
	http.ResponseWriter

	note func()
}

func (w *answerNoter) WriteHeader(status int) {
	if status < http.StatusInternalServerError && status != http.StatusTooManyRequests {
		w.note()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerNoter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// take gives the requests since the last call.
func (g *gateway) take() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := g.requests
	g.requests, g.arrived = nil, 0
	return all
}

func (g *gateway) setDisturb(f func(n int, r *http.Request) fault) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.disturb = f
}

// once disturbs the first request for which when is true.
func once(when func(*http.Request) bool, f fault) func(int, *http.Request) fault {
	var done sync.Once
	return func(_ int, r *http.Request) (found fault) {
		if when(r) {
			done.Do(func() { found = f })
		}
		return found
	}
}

// writes tells real writes from reads and dry-runs.
func writes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.URL.Query().Get("dryRun") == ""
}

// installGadgets puts the CRD of testdata in and waits until the kind can be
// mapped; its group is this test's own, so that tests don't meet.
func installGadgets(t *testing.T, c *Client) Mapping {
	t.Helper()
	group := fmt.Sprintf("t%x.demo.example", time.Now().UnixNano())
	crd := gadgetCRD(t, group)
	crds := mustMap(t, c, "apiextensions.k8s.io", "CustomResourceDefinition", "v1")
	_, err := c.Apply(t.Context(), crds, crd, ApplyOptions{Validation: ValidateStrict})
	require.NoError(t, err)
	t.Cleanup(func() { remove(t, crds, "", "gadgets."+group) })
	var m Mapping
	require.Eventually(t, func() bool {
		c.InvalidateDiscovery()
		m, err = c.Mapping(t.Context(), groupKind(group, "Gadget"), "v1")
		return err == nil
	}, 20*time.Second, 100*time.Millisecond, "%v", err)
	// Discovery can be ahead of the handler by a moment.
	require.Eventually(t, func() bool {
		_, err := c.List(t.Context(), m, ListOptions{})
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
	return m
}

func gadgetCRD(t *testing.T, group string) map[string]any {
	t.Helper()
	data, err := os.ReadFile("testdata/gadget-crd.yaml")
	require.NoError(t, err)
	return fromYAML(t, strings.ReplaceAll(string(data), "schema.demo.example", group))
}

func isGone(err error) bool { return apierrors.IsNotFound(err) }
