package api

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Application is an instance of a package in a namespace.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type Application struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ApplicationSpec   `json:"spec"`
	Status ApplicationStatus `json:"status,omitempty"`
}

// ApplicationList is a list of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ApplicationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Application `json:"items"`
}

// Maintenance is how an application is looked after.
type Maintenance string

// NoResourceReconciliation leaves the objects of an application to its people. The
// empty Maintenance is the usual care.
const NoResourceReconciliation Maintenance = "NoResourceReconciliation"

// ApplicationSpec is what is wanted.
type ApplicationSpec struct {
	PackageName    string `json:"packageName"`
	PackageVersion string `json:"packageVersion"`
	// PackageRepositoryName is empty for the DefaultRepository.
	PackageRepositoryName string `json:"packageRepositoryName,omitempty"`
	// ReleaseChannel only tells where the version came from.
	ReleaseChannel string `json:"releaseChannel,omitempty"`
	// Settings is an object that the package's schema judges; nil: none are given.
	Settings    *runtime.RawExtension `json:"settings,omitempty"`
	Maintenance Maintenance           `json:"maintenance,omitempty"`
}

// Repository is the name of the PackageRepository that the package comes from.
func (s *ApplicationSpec) Repository() string {
	if s.PackageRepositoryName == "" {
		return DefaultRepository
	}
	return s.PackageRepositoryName
}

// State is the state of an application in one word.
type State string

// States of applications.
const (
	StatePending   State = "Pending"
	StateUpdating  State = "Updating"
	StateReady     State = "Ready"
	StateDegraded  State = "Degraded"
	StateFailed    State = "Failed"
	StateSuspended State = "Suspended"
	StateDeleting  State = "Deleting"
)

// ApplicationStatus is what was found.
type ApplicationStatus struct {
	Summary    *Summary           `json:"summary,omitempty"`
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// CurrentVersion, URLs and LastAppliedConfiguration are those of the last run
	// whose objects were applied.
	CurrentVersion *CurrentVersion `json:"currentVersion,omitempty"`
	URLs           []URL           `json:"urls,omitempty"`
	// Tracking is the report of the apply that goes on, or of the last one.
	Tracking *Tracking `json:"tracking,omitempty"`
	// LastAppliedConfiguration is an object: the effective settings.
	LastAppliedConfiguration *runtime.RawExtension `json:"lastAppliedConfiguration,omitempty"`
}

// Summary tells a person how it is, why, and what can be done.
type Summary struct {
	State   State  `json:"state"`
	Message string `json:"message,omitempty"`
	Tip     string `json:"tip,omitempty"`
}

// CurrentVersion is what is installed.
type CurrentVersion struct {
	Version string `json:"version"`
	Channel string `json:"channel,omitempty"`
}

// URL is an endpoint of an application.
type URL struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}
