package command

import (
	"bytes"
	"fmt"
	"strings"

	"k8s.io/client-go/plugin/pkg/client/auth/exec"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/kubectl/pkg/kuberc"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/cluster"
)

// credentialPlugins is what the user's kuberc says of the programs that a kubeconfig
// names for credentials. kubectl holds its own commands to that file and reads it for no
// plugin; who allows some programs only, means it for all that use his kubeconfig. The
// rest of the file, defaults and aliases, is about kubectl's own commands.
//
// The file is found as kubectl finds it: $KUBERC, which may be "off", else ~/.kube/kuberc;
// KUBECTL_KUBERC=false turns it off. As there, a file that nobody named and that can't be
// read is a warning.
func (e *Env) credentialPlugins() (clientcmdapi.PluginPolicy, error) {
	if e.Getenv("KUBECTL_KUBERC") == "false" {
		return clientcmdapi.PluginPolicy{}, nil
	}
	var warnings bytes.Buffer
	preferences, err := kuberc.DefaultGetPreferences("", &warnings)
	if text := strings.TrimSpace(warnings.String()); text != "" {
		e.warn(text)
	}
	if err != nil || preferences == nil {
		return clientcmdapi.PluginPolicy{}, err
	}
	policy := clientcmdapi.PluginPolicy{PolicyType: clientcmdapi.PolicyType(preferences.CredentialPluginPolicy)}
	for _, entry := range preferences.CredentialPluginAllowlist {
		policy.Allowlist = append(policy.Allowlist, clientcmdapi.AllowlistEntry(entry))
	}
	if err := exec.ValidatePluginPolicy(policy); err != nil {
		return clientcmdapi.PluginPolicy{}, fmt.Errorf("kuberc: %w", err)
	}
	return policy, nil
}

// restConfig is that of the selected context, for libraries that make a client of their
// own.
func (e *Env) restConfig() (*rest.Config, error) {
	policy, err := e.credentialPlugins()
	if err != nil {
		return nil, err
	}
	cfg, err := e.flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	return cluster.Restrict(cfg, policy), nil
}
