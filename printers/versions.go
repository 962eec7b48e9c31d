package printers

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// VersionsKind is the kind of the result of version.
const VersionsKind = "Versions"

// ClientVersion is what this program is.
type ClientVersion struct {
	// Version is the release, "dev" for a build without one.
	Version string `json:"version"`
	Go      string `json:"go"`
	// Platform is the operating system and the processor: linux/amd64.
	Platform string `json:"platform"`
	// Kubernetes is the version that the client libraries belong to; empty where the
	// build doesn't say.
	Kubernetes string `json:"kubernetes,omitempty"`
}

// ServerVersion is what an API server says of itself.
type ServerVersion struct {
	// Version is Kubernetes', with what the vendor puts behind it.
	Version  string `json:"version"`
	Platform string `json:"platform,omitempty"`
}

// ControllerVersion is the controller of packages, where one works in the cluster.
type ControllerVersion struct {
	// Version is that of its program; empty where it doesn't tell.
	Version string `json:"version,omitempty"`
	// Namespace has its Lease, and is where it runs unless that is outside of the
	// cluster.
	Namespace string `json:"namespace"`
	// Holder is its name: the host or Pod, and a random part.
	Holder string `json:"holder"`
	// Renewed is when it last said that it is there, RFC 3339.
	Renewed string `json:"renewed,omitempty"`
}

// Versions is the result of version: every part that has to do with a run.
type Versions struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Client     ClientVersion `json:"client"`
	// Server is nil where none was asked or none answered.
	Server *ServerVersion `json:"server,omitempty"`
	// Controller is nil where none was found, or the user may not look.
	Controller *ControllerVersion `json:"controller,omitempty"`
	// Skew says that client and server are further apart than is supported.
	Skew string `json:"skew,omitempty"`
}

// NewVersions begins a result with the client's part.
func NewVersions(client ClientVersion) *Versions {
	return &Versions{APIVersion: plan.APIVersion, Kind: VersionsKind, Client: client}
}

// Print writes a line for each part.
func (v *Versions) Print(o Options) error {
	p := newPrinter(o)
	kubernetes := ""
	if v.Client.Kubernetes != "" {
		kubernetes = ", for Kubernetes " + v.Client.Kubernetes
	}
	p.line(fmt.Sprintf("kubectl-tazuna %s (%s, %s%s)", v.Client.Version, v.Client.Go, v.Client.Platform, kubernetes))
	if v.Server != nil {
		platform := ""
		if v.Server.Platform != "" {
			platform = " (" + v.Server.Platform + ")"
		}
		p.line("server " + cleanCell(v.Server.Version+platform))
	}
	if c := v.Controller; c != nil {
		version := c.Version
		if version == "" {
			version = "of an unknown version"
		}
		p.line("controller of packages " + cleanCell(fmt.Sprintf("%s (namespace %s, %s, last seen %s)", version, c.Namespace, c.Holder, c.Renewed)))
	}
	return p.flush()
}
