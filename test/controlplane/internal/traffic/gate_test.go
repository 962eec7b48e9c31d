package traffic

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
)

const cmPath = "/api/v1/namespaces/a/configmaps/c"

// served is a gate in front of a handler that counts what reaches it.
type served struct {
	gate      *Gate
	url       string
	client    *http.Client
	performed atomic.Int32
}

func serve(t *testing.T, http2 bool) *served {
	t.Helper()
	s := &served{gate: NewGate("controlplane/v1")}
	server := httptest.NewUnstartedServer(s.gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.performed.Add(1)
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, "done")
	})))
	server.Listener = s.gate.Listen(server.Listener)
	server.EnableHTTP2 = http2
	server.StartTLS()
	t.Cleanup(server.Close)
	s.url, s.client = server.URL, server.Client()
	return s
}

func (s *served) rule(t *testing.T, rule Rule) {
	t.Helper()
	if _, err := s.gate.AddRule(rule); err != nil {
		t.Fatal(err)
	}
}

func (s *served) get(t *testing.T) (*http.Response, []byte, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.url+cmPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

func TestGatePerformsAndRecords(t *testing.T) {
	s := serve(t, true)
	response, body, err := s.get(t)
	if err != nil || response.StatusCode != http.StatusCreated || string(body) != "done" || response.ProtoMajor != 2 {
		t.Fatalf("got %v %q, %v", response, body, err)
	}
	requests := s.gate.Requests(Filter{Resource: "configmaps"}, false).Requests
	if len(requests) != 1 || requests[0].Status != http.StatusCreated || requests[0].Verb != "update" {
		t.Errorf("recorded %+v", requests)
	}
}

func TestGateAnswers(t *testing.T) {
	s := serve(t, true)
	s.rule(t, Rule{Status: http.StatusTooManyRequests, RetryAfter: 7, Message: "slow down"})
	response, body, err := s.get(t)
	if err != nil {
		t.Fatal(err)
	}
	var status metav1.Status
	if err := json.Unmarshal(body, &status); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != 429 || response.Header.Get("Retry-After") != "7" ||
		status.Reason != metav1.StatusReasonTooManyRequests || status.Message != "slow down" || status.Kind != "Status" {
		t.Errorf("got %d %v %+v", response.StatusCode, response.Header, status)
	}
	if s.performed.Load() != 0 {
		t.Error("the request was performed")
	}
	if requests := s.gate.Requests(Filter{}, false).Requests; requests[0].Fault != "status 429" || requests[0].Status != 429 {
		t.Errorf("recorded %+v", requests[0])
	}
}

func TestGateCuts(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for _, when := range []When{Before, After} {
			t.Run(string(when)+" over HTTP/2 "+strconv.FormatBool(http2), func(t *testing.T) {
				s := serve(t, http2)
				s.rule(t, Rule{Cut: true, When: when, Times: 1})
				if _, _, err := s.get(t); err == nil {
					t.Fatal("there was an answer")
				}
				want := int32(0)
				if when == After {
					want = 1
				}
				if got := s.performed.Load(); got != want {
					t.Errorf("performed %d times, want %d", got, want)
				}
				if _, _, err := s.get(t); err != nil {
					t.Errorf("the next connection: %v", err)
				}
			})
		}
	}
}

func TestGateDelays(t *testing.T) {
	s := serve(t, true)
	wait := metav1.Duration{Duration: 60 * time.Millisecond}
	s.rule(t, Rule{Delay: wait})
	if err := s.gate.SetLatency(Latency{Add: wait}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, _, err := s.get(t); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*wait.Duration {
		t.Errorf("took %s", took)
	}
}

func TestGateKills(t *testing.T) {
	s := serve(t, true)
	victim := exec.CommandContext(t.Context(), "sleep", "60")
	if err := victim.Start(); err != nil {
		t.Skip("no sleep here:", err)
	}
	file := filepath.Join(t.TempDir(), "pid")
	if err := home.WriteFile(file, []byte(strconv.Itoa(victim.Process.Pid)+"\n")); err != nil {
		t.Fatal(err)
	}
	s.rule(t, Rule{Match: "nth=2", KillPIDFile: file, When: After})
	if _, _, err := s.get(t); err != nil {
		t.Fatal("the first request:", err)
	}
	if _, _, err := s.get(t); err == nil {
		t.Error("the second request was answered")
	}
	var exit *exec.ExitError
	if err := victim.Wait(); !errors.As(err, &exit) || exit.Exited() {
		t.Errorf("the process ended with %v, want a signal", err)
	}
	if got := s.performed.Load(); got != 2 {
		t.Errorf("performed %d times, want 2", got)
	}
}

func TestIdentity(t *testing.T) {
	who := identity{ownAgent: "controlplane/v1"}
	tests := map[string]struct {
		user, agent, want string
		own               bool
	}{
		"controller":       {user: UserOf(ControllerManager), agent: "controlplane/v1 (x)/job", want: "kube-controller-manager/v1 (x)/job", own: true},
		"scheduler":        {user: UserOf(Scheduler), agent: "controlplane/v1", want: "kube-scheduler/v1", own: true},
		"call to itself":   {agent: "controlplane/v1", want: "kube-apiserver/v1", own: true},
		"client":           {user: "alice", agent: "kubectl/v1", want: "kubectl/v1"},
		"other version":    {user: "alice", agent: "controlplane/v2", want: "controlplane/v2"},
		"without an agent": {user: "alice", agent: "", want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("User-Agent", test.agent)
			if test.user != "" {
				cert := &x509.Certificate{Subject: pkix.Name{CommonName: test.user}}
				r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{cert}}
			}
			user, own := who.claim(r)
			if user != test.user || own != test.own || r.UserAgent() != test.want {
				t.Errorf("got %q, %v, %q", user, own, r.UserAgent())
			}
		})
	}
}

func BenchmarkGate(b *testing.B) {
	gate := NewGate("controlplane/v1")
	handler := gate.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
	r := httptest.NewRequest(http.MethodPatch, cmPath+"?fieldManager=x&force=true", nil)
	r.Header.Set("User-Agent", "tool/1")
	b.ReportAllocs()
	for b.Loop() {
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
}
