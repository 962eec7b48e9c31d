package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
)

const credentialProgram = `#!/bin/sh
touch STARTED
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"t0ken"}}'
`

const pluginKubeconfig = `apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: SERVER, insecure-skip-tls-verify: true}}]
users:
- name: u
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: "PROGRAM", interactiveMode: Never}}
`

// The programs that a kubeconfig names for credentials are started only where the
// user's kuberc lets kubectl start them.
func TestCredentialPlugins(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer t0ken" || r.URL.Path != "/version" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"gitVersion":"v1.37.0"}`))
	}))
	t.Cleanup(server.Close)

	const head = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"
	tests := map[string]struct {
		kuberc  string
		env     map[string]string
		started bool
		want    string
	}{
		"nothing is said":        {kuberc: head, started: true},
		"all":                    {kuberc: head + "credentialPluginPolicy: AllowAll\n", started: true},
		"this one":               {kuberc: head + "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{name: \"PROGRAM\"}]\n", started: true},
		"others":                 {kuberc: head + "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{name: aws}]\n", want: "is not permitted by the credential plugin allowlist"},
		"none":                   {kuberc: head + "credentialPluginPolicy: DenyAll\n", want: `not allowed: policy set to "DenyAll"`},
		"none, and it is off":    {kuberc: head + "credentialPluginPolicy: DenyAll\n", env: map[string]string{"KUBECTL_KUBERC": "false"}, started: true},
		"a list that isn't one":  {kuberc: head + "credentialPluginPolicy: Allowlist\n", want: "kuberc: credential plugin policy set to"},
		"a file that isn't read": {kuberc: "{", want: "kuberc: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() // of its own: what a program once said is kept for the process
			started, program := filepath.Join(dir, "started"), filepath.Join(dir, "credentials")
			fill := strings.NewReplacer("SERVER", server.URL, "PROGRAM", program, "STARTED", started)
			write := func(name, text string, mode os.FileMode) string {
				file := filepath.Join(dir, name)
				require.NoError(t, os.WriteFile(file, []byte(fill.Replace(text)), mode))
				return file
			}
			write("credentials", credentialProgram, 0o700)
			kubeconfig := write("kubeconfig", pluginKubeconfig, 0o600)
			t.Setenv("KUBERC", write("kuberc", test.kuberc, 0o600))
			var out, errOut bytes.Buffer
			root := NewRoot(&Env{
				Name: "kubectl tazuna", Version: "v0.1.0", IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &errOut},
				Getenv: func(name string) string { return test.env[name] }, Clock: clock.RealClock{},
			})
			root.SetArgs([]string{"version", "--kubeconfig", kubeconfig, "--request-timeout=20s"})
			err := root.ExecuteContext(t.Context())
			if test.want == "" {
				require.NoError(t, err)
				assert.Contains(t, out.String(), "server v1.37.0")
			} else {
				require.ErrorContains(t, err, test.want)
			}
			if test.started {
				assert.FileExists(t, started)
			} else {
				assert.NoFileExists(t, started)
			}
		})
	}
}
