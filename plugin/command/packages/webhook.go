package packages

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/admission"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/serve"
)

// webhookOptions say how the API server asks the controller before it stores
// Applications.
type webhookOptions struct {
	address, url, service string
	protect               bool
}

func (o *webhookOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.address, "webhook-bind-address", "", "Where the API server may ask about Applications before it stores them, HOST:PORT or :PORT (default nowhere)")
	f.StringVar(&o.url, "webhook-url", "", "Under which URL the API server finds that, https://HOST:PORT (default that of the bind address)")
	f.StringVar(&o.service, "webhook-service", "", "Behind which Service the API server finds that: NAMESPACE/NAME")
	f.BoolVar(&o.protect, "protect", false, "Write the policies that keep everybody but the controller from changing objects of applications")
}

func (o *webhookOptions) admission() (serve.Admission, error) {
	a := serve.Admission{Address: o.address, Protect: o.protect}
	switch {
	case o.address == "" && o.url == "" && o.service == "":
		return a, nil
	case o.address == "":
		return a, errors.New("--webhook-url and --webhook-service need --webhook-bind-address")
	case o.url != "" && o.service != "":
		return a, errors.New("--webhook-url and --webhook-service: wanted one of them, found both")
	case o.url == "" && o.service == "" && net.ParseIP(hostOf(o.address)) == nil:
		return a, fmt.Errorf("--webhook-bind-address %q: without --webhook-url and --webhook-service it needs the IP address under which the API server finds it", o.address)
	case o.url == "" && o.service == "":
		return a, nil
	case o.url != "":
		u, err := url.Parse(o.url)
		if err != nil || u.Scheme != "https" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
			return a, fmt.Errorf("--webhook-url: wanted https://HOST:PORT, found %q", o.url)
		}
		a.Target = admission.Target{URL: o.url}
		return a, nil
	}
	namespace, name, ok := strings.Cut(o.service, "/")
	if !ok || !isLabel(namespace) || !isLabel(name) {
		return a, fmt.Errorf("--webhook-service: wanted NAMESPACE/NAME, found %q", o.service)
	}
	a.Target = admission.Target{Namespace: namespace, Service: name}
	return a, nil
}

// hostOf is the host of HOST:PORT; "" if there is none.
func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return ""
	}
	return host
}
