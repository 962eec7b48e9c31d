package control

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// listen serves the endpoint of a gate and returns a client and the state.
func listen(t *testing.T, gate *traffic.Gate, phase *Phase) (*Client, home.State) {
	t.Helper()
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state, err := h.EnsureState()
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := Listen(state, gate, phase)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(endpoint.Close)
	return NewClient(state), state
}

func TestStatus(t *testing.T) {
	phase := NewPhase()
	client, _ := listen(t, traffic.NewGate(""), phase)
	phase.Set(PhaseUp)
	status, err := client.Status(t.Context())
	if err != nil || status.Phase != PhaseUp || status.PID != os.Getpid() {
		t.Errorf("got %+v, %v", status, err)
	}
}

func TestRequests(t *testing.T) {
	gate := traffic.NewGate("own")
	client, _ := listen(t, gate, NewPhase())
	handler := gate.Wrap(http.NotFoundHandler())
	for _, agent := range []string{"tool/1", "tool/2", "other"} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/pods", nil)
		r.Header.Set("User-Agent", agent)
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	filter := traffic.Filter{UserAgent: "tool"}
	for _, want := range []int{2, 0} {
		snapshot, err := client.Requests(t.Context(), filter, true)
		if err != nil || len(snapshot.Requests) != want {
			t.Errorf("got %+v, %v, want %d", snapshot, err, want)
		}
	}
}

func TestRules(t *testing.T) {
	client, _ := listen(t, traffic.NewGate(""), NewPhase())
	rule := traffic.Rule{Match: "verb=get", Delay: metav1.Duration{Duration: time.Second}, Status: 503}
	added, err := client.AddRule(t.Context(), rule)
	if err != nil || added.ID != 1 || added.Rule != rule {
		t.Errorf("added %+v, %v", added, err)
	}
	if listed, err := client.Rules(t.Context()); err != nil || len(listed) != 1 || listed[0].Rule != rule {
		t.Errorf("listed %+v, %v", listed, err)
	}
	if _, err := client.AddRule(t.Context(), traffic.Rule{Status: 1}); err == nil || !strings.Contains(err.Error(), "status 1") {
		t.Errorf("a bad rule: %v", err)
	}
	if left, err := client.ClearRules(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("left %+v, %v", left, err)
	}
}

func TestLatencies(t *testing.T) {
	client, _ := listen(t, traffic.NewGate(""), NewPhase())
	want := traffic.Latency{UserAgent: "tool", Add: metav1.Duration{Duration: 20 * time.Millisecond}}
	if _, err := client.SetLatency(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got, err := client.Latencies(t.Context()); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTokenIsNeeded(t *testing.T) {
	client, state := listen(t, traffic.NewGate(""), NewPhase())
	if _, err := client.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	state.Token = "guessed"
	if _, err := NewClient(state).Status(t.Context()); err == nil {
		t.Error("another token was taken")
	}
}
