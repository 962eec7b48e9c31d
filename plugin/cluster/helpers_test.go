package cluster

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/utils/clock"
)

// configMaps and widgets are mappings for servers that play no discovery.
var (
	configMaps = Mapping{
		GVR:        schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		GVK:        schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"},
		Namespaced: true,
		Verbs:      sets.New("get", "list"),
	}
	secrets = Mapping{
		GVR:        schema.GroupVersionResource{Version: "v1", Resource: "secrets"},
		GVK:        schema.GroupVersionKind{Version: "v1", Kind: "Secret"},
		Namespaced: true,
	}
	widgets = Mapping{
		GVR: schema.GroupVersionResource{Group: "demo.example", Version: "v1", Resource: "widgets"},
		GVK: schema.GroupVersionKind{Group: "demo.example", Version: "v1", Kind: "Widget"},
	}
)

// connectTo makes a client of a server that a test plays.
func connectTo(t *testing.T, handler http.Handler, change ...func(*Options)) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return connectAt(t, server.URL, change...)
}

func connectAt(t *testing.T, address string, change ...func(*Options)) *Client {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	flags := Flags()
	cache := filepath.Join(t.TempDir(), "cache")
	flags.KubeConfig, flags.APIServer, flags.CacheDir = &empty, &address, &cache
	o := Options{Getter: flags, UserAgent: "kubectl-tazuna/test", FieldManager: "tazuna", CacheDir: cache}
	for _, c := range change {
		c(&o)
	}
	c, err := Connect(o)
	require.NoError(t, err)
	c.jitter = func() float64 { return 0.5 }
	return c
}

// flagsOf reaches the flags behind a client's options.
func flagsOf(o *Options) *genericclioptions.ConfigFlags {
	return o.Getter.(*genericclioptions.ConfigFlags)
}

// hurry is a clock on which every wait is over at once and remembered.
type hurry struct {
	clock.RealClock
	mu     sync.Mutex
	now    time.Time
	pauses []time.Duration
}

func newHurry() *hurry { return &hurry{now: time.Unix(1_700_000_000, 0)} }

func (h *hurry) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hurry) After(d time.Duration) <-chan time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pauses = append(h.pauses, d)
	h.now = h.now.Add(d)
	over := make(chan time.Time, 1)
	over <- h.now
	return over
}

func (h *hurry) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func (h *hurry) waited() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	var sum time.Duration
	for _, p := range h.pauses {
		sum += p
	}
	return sum
}

func withClock(c clock.WithTicker) func(*Options) {
	return func(o *Options) { o.Clock = c }
}

// script answers requests one after the other; the last answer stays.
type script struct {
	mu    sync.Mutex
	steps []http.HandlerFunc
	seen  []*http.Request
	body  [][]byte
}

func play(steps ...http.HandlerFunc) *script { return &script{steps: steps} }

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := readAll(r)
	s.mu.Lock()
	step := s.steps[min(len(s.seen), len(s.steps)-1)]
	s.seen = append(s.seen, r)
	s.body = append(s.body, body)
	s.mu.Unlock()
	step(w, r)
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

func readAll(r *http.Request) []byte {
	var raw json.RawMessage
	_ = json.NewDecoder(r.Body).Decode(&raw)
	return raw
}

// answer gives a body with a status.
func answer(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// refuse gives a Status as an API server does.
func refuse(code int, reason metav1.StatusReason, message string) http.HandlerFunc {
	body := mustJSON(metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
		Details: &metav1.StatusDetails{Name: "a"},
	})
	return answer(code, string(body))
}

func answerJSON(w http.ResponseWriter, code int, body any) {
	answer(code, string(mustJSON(body)))(w, nil)
}

func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// after adds a Retry-After header.
func after(seconds string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", seconds)
		next(w, r)
	}
}

// cut closes the connection without an answer.
func cut(http.ResponseWriter, *http.Request) {
	panic(http.ErrAbortHandler)
}

func configMap(name string, data map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": "default"},
		"data":     data,
	}
}

const okConfigMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","resourceVersion":"7"},"data":{"k":"v"}}`
