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

// Versions is the result of version: every part that has to do with a run.
type Versions struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Client     ClientVersion `json:"client"`
	// Server is nil where none was asked or none answered.
	Server *ServerVersion `json:"server,omitempty"`
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
	return p.flush()
}
