package e2e

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"
)

// The credentials that a registry with TLS wants.
const (
	registryUser     = "robot"
	registryPassword = "c0rrect-horse"
)

// cmdRegistry starts a registry for this script: without TLS and open to all, or
// with both.
func cmdRegistry(ts *testscript.TestScript, neg bool, args []string) {
	secure := len(args) == 1 && args[0] == "secure"
	if neg || (len(args) > 0 && !secure) {
		ts.Fatalf("usage: registry [secure]")
	}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	if !secure {
		server := httptest.NewServer(inner)
		ts.Defer(server.Close)
		ts.Setenv("REGISTRY", strings.TrimPrefix(server.URL, "http://"))
		return
	}
	server := httptest.NewUnstartedServer(behindPassword(inner))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // certificates that clients refuse
	server.StartTLS()
	ts.Defer(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), certificate, 0o600))
	ts.Setenv("REGISTRY", strings.TrimPrefix(server.URL, "https://"))
}

// behindPassword asks for the credentials, and repeats wrong ones in its answer, as
// no server should.
func behindPassword(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, password, _ := r.BasicAuth()
		if name == registryUser && password == registryPassword {
			inner.ServeHTTP(w, r)
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		_ = json.NewEncoder(w).Encode(map[string]any{"errors": []map[string]string{{
			"code": "UNAUTHORIZED", "message": "not with " + password + " nor " + r.Header.Get("Authorization"),
		}}})
	})
}
