package printers

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestVersionsPrint(t *testing.T) {
	v := NewVersions(ClientVersion{Version: "v0.1.0", Go: "go1.26.8", Platform: "linux/amd64"})
	print := func() string {
		var out bytes.Buffer
		require.NoError(t, v.Print(testOptions(&out)))
		return out.String()
	}
	assert.Equal(t, "kubectl-tazuna v0.1.0 (go1.26.8, linux/amd64)\n", print())

	v.Client.Kubernetes = "v1.37.2"
	v.Server = &ServerVersion{Version: "v1.36.1\x1b[31m"}
	assert.Equal(t, "kubectl-tazuna v0.1.0 (go1.26.8, linux/amd64, for Kubernetes v1.37.2)\nserver v1.36.1\\x1b[31m\n", print(), "a server's text is escaped")

	v.Server = &ServerVersion{Version: "v1.36.1", Platform: "linux/arm64"}
	assert.Contains(t, print(), "\nserver v1.36.1 (linux/arm64)\n")
	v.Controller = &ControllerVersion{Namespace: "tazuna-system", Holder: "pod-1", Renewed: "2026-03-02T12:00:00Z"}
	assert.Contains(t, print(), "\ncontroller of packages of an unknown version (namespace tazuna-system, pod-1, last seen 2026-03-02T12:00:00Z)\n")
	assert.Equal(t, "v1.36.1", structured(t, "jsonpath={.server.version}", v))
	assert.Error(t, Structured(&bytes.Buffer{}, "name", v))
}
