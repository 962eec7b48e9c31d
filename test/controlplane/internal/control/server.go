package control

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"k8s.io/klog/v2"

	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/home"
	"github.com/kubectl-tazuna/kubectl-tazuna/test/controlplane/internal/traffic"
)

// bodyLimit bounds what a call may send.
const bodyLimit = 1 << 20

// Endpoint is the running endpoint.
type Endpoint struct {
	server *http.Server
}

// Listen serves the endpoint on the control port of the state.
func Listen(state home.State, gate *traffic.Gate, phase *Phase) (*Endpoint, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", state.Ports.Control))
	if err != nil {
		return nil, fmt.Errorf("listen for control: %w", err)
	}
	handler := &handler{gate: gate, phase: phase}
	server := &http.Server{
		Handler:           guard(state.Token, handler.routes()),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       time.Minute,
	}
	go func() {
		if err := server.Serve(listener); err != nil && err != http.ErrServerClosed {
			klog.ErrorS(err, "The control endpoint ended")
		}
	}()
	return &Endpoint{server: server}, nil
}

// Close ends the endpoint.
func (e *Endpoint) Close() {
	_ = e.server.Close() // the process is about to end
}

func guard(token string, next http.Handler) http.Handler {
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "the token of the control plane's directory is needed", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, bodyLimit)
		next.ServeHTTP(w, r)
	})
}

type handler struct {
	gate  *traffic.Gate
	phase *Phase
}

func (h *handler) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, Status{PID: os.Getpid(), Phase: h.phase.Get()})
	})
	mux.HandleFunc("GET /requests", func(w http.ResponseWriter, r *http.Request) { h.requests(w, r, false) })
	mux.HandleFunc("DELETE /requests", func(w http.ResponseWriter, r *http.Request) { h.requests(w, r, true) })
	mux.HandleFunc("GET /rules", func(w http.ResponseWriter, _ *http.Request) { reply(w, h.gate.Rules()) })
	mux.HandleFunc("POST /rules", h.addRule)
	mux.HandleFunc("DELETE /rules", func(w http.ResponseWriter, _ *http.Request) {
		h.gate.ClearRules()
		reply(w, h.gate.Rules())
	})
	mux.HandleFunc("GET /latencies", func(w http.ResponseWriter, _ *http.Request) { reply(w, h.gate.Latencies()) })
	mux.HandleFunc("POST /latencies", h.setLatency)
	return mux
}

func (h *handler) requests(w http.ResponseWriter, r *http.Request, reset bool) {
	reply(w, h.gate.Requests(traffic.ParseFilter(r.URL.Query()), reset))
}

func (h *handler) addRule(w http.ResponseWriter, r *http.Request) {
	var rule traffic.Rule
	if !decode(w, r, &rule) {
		return
	}
	state, err := h.gate.AddRule(rule)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply(w, state)
}

func (h *handler) setLatency(w http.ResponseWriter, r *http.Request) {
	var latency traffic.Latency
	if !decode(w, r, &latency) {
		return
	}
	if err := h.gate.SetLatency(latency); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply(w, h.gate.Latencies())
}

func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		klog.ErrorS(err, "A reply of the control endpoint was not sent")
	}
}
