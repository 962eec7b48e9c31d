package command

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
)

func TestTracing(t *testing.T) {
	var sent []byte
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ = io.ReadAll(r.Body)
		w.Header().Set("Grpc-Status", "0")
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	run := func(args ...string) (code int, message, warned string) {
		var out, errOut bytes.Buffer
		env := &Env{
			IOStreams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut},
			Getenv:    func(string) string { return "" }, Clock: clock.RealClock{}, Version: "1.2.3", Name: "kubectl tazuna", Exit: func(int) {},
		}
		code, message = Execute(env, args)
		return code, message, errOut.String()
	}
	endpoint := strings.TrimPrefix(server.URL, "http://")

	_, _, _ = run("config", "defaults")
	require.Empty(t, sent, "off")
	code, message, warned := run("config", "defaults", "--otlp-endpoint", endpoint)
	require.Zero(t, code, message)
	require.Empty(t, warned)
	require.Contains(t, string(sent), "tazuna.ConfigDefaults")
	code, message, _ = run("check", "-f", "absent.yaml", "--otlp-endpoint="+endpoint)
	require.Equal(t, ExitFailed, code)
	require.Contains(t, message, "absent.yaml")
	require.Contains(t, string(sent), "tazuna.Check")
	require.Contains(t, string(sent), message, "the failure is told")
	code, _, warned = run("config", "defaults", "--otlp-endpoint", "127.0.0.1:1")
	require.Zero(t, code)
	require.Contains(t, warned, "Warning: send the trace to 127.0.0.1:1: ")
}
