package traffic

import (
	"net/http"
	"strings"
)

// Names of the components, as they stand in user agents and field managers.
const (
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kubelet           = "kubelet"
	Supervisor        = "controlplane"

	apiServer = "kube-apiserver"
)

const userPrefix = "system:"

// Components lists the components that have a client certificate.
func Components() []string {
	return []string{ControllerManager, Scheduler, Kubelet, Supervisor}
}

// UserOf is the user a component's certificate names.
func UserOf(component string) string { return userPrefix + component }

// identity tells the components apart. They share one process and so one
// default user agent, though managedFields and tests want each one's own.
type identity struct {
	// ownAgent is the default user agent of this process.
	ownAgent string
}

// claim returns the user of the request, as far as its certificate tells, and
// whether it comes from the control plane itself; if so, its User-Agent header
// is rewritten to what the component would send from a process of its own.
func (i identity) claim(r *http.Request) (user string, own bool) {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		user = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	agent := r.UserAgent()
	if !strings.HasPrefix(agent, i.ownAgent) {
		return user, false
	}
	r.Header.Set("User-Agent", i.rename(agent, componentOf(user)))
	return user, true
}

// rename replaces the program in front of the first slash.
func (i identity) rename(agent, component string) string {
	_, rest, found := strings.Cut(agent, "/")
	if !found {
		return component
	}
	return component + "/" + rest
}

func componentOf(user string) string {
	for _, component := range Components() {
		if user == UserOf(component) {
			return component
		}
	}
	// The API server's calls to itself carry a token, not a certificate.
	return apiServer
}
