package api

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PackageRepository is a registry with packages.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PackageRepository struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PackageRepositorySpec   `json:"spec"`
	Status PackageRepositoryStatus `json:"status,omitempty"`
}

// PackageRepositoryList is a list of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PackageRepositoryList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PackageRepository `json:"items"`
}

// DefaultScanInterval is how often a repository is scanned that doesn't say.
const DefaultScanInterval = "6h"

// PackageRepositorySpec says how the repository is reached.
type PackageRepositorySpec struct {
	// ScanInterval is the time between scans; zero: DefaultScanInterval.
	ScanInterval *metav1.Duration `json:"scanInterval,omitempty"`
	Registry     RegistrySpec     `json:"registry"`
}

// RegistrySpec says where a registry is and how it is talked to. It holds credentials.
type RegistrySpec struct {
	// Scheme is HTTP or HTTPS in any case; empty: HTTPS.
	Scheme string `json:"scheme,omitempty"`
	// Repo is HOST/PATH, oci:DIRECTORY or DIRECTORY.
	Repo string `json:"repo"`
	// DockerCfg is a docker configuration in base64; it counts before Login and
	// Password.
	DockerCfg string `json:"dockerCfg,omitempty"`
	Login     string `json:"login,omitempty"`
	Password  string `json:"password,omitempty"`
	// CA is a PEM certificate that the registry is trusted by besides the system's.
	CA string `json:"ca,omitempty"`
}

// PlainHTTP tells whether the registry is talked to without TLS.
func (r *RegistrySpec) PlainHTTP() bool { return strings.EqualFold(r.Scheme, "HTTP") }

// Phase is the phase of a repository.
type Phase string

// Phases of repositories.
const (
	PhaseActive      Phase = "Active"
	PhaseTerminating Phase = "Terminating"
)

// ConditionLastScanSucceeded of a PackageRepository is about its last scan.
const ConditionLastScanSucceeded = "LastScanSucceeded"

// PackageRepositoryStatus is what the last scan found.
type PackageRepositoryStatus struct {
	Phase   Phase  `json:"phase,omitempty"`
	Message string `json:"message,omitempty"`
	// Packages are those on offer, by name.
	Packages      []PackageInfo `json:"packages,omitempty"`
	PackagesCount int           `json:"packagesCount"`
	LastScanTime  *metav1.Time  `json:"lastScanTime,omitempty"`
	// LastChangeTime is when a scan last found something new: LastNewVersions of it.
	LastChangeTime  *metav1.Time `json:"lastChangeTime,omitempty"`
	LastNewVersions int          `json:"lastNewVersions,omitempty"`
	// PartialScanAvailable says that a full scan has been made, so that the next may
	// look for what is new only.
	PartialScanAvailable bool               `json:"partialScanAvailable,omitempty"`
	Conditions           []metav1.Condition `json:"conditions,omitempty"`
}

// PackageInfo is a package on offer.
type PackageInfo struct {
	Name string `json:"name"`
	// Type is "Application".
	Type string `json:"type,omitempty"`
}
