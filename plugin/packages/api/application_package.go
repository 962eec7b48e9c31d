package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ApplicationPackage is a package that at least one repository offers. It is named as
// the package.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ApplicationPackage struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status ApplicationPackageStatus `json:"status,omitempty"`
}

// ApplicationPackageList is a list of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ApplicationPackageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ApplicationPackage `json:"items"`
}

// ApplicationPackageStatus is what was found.
type ApplicationPackageStatus struct {
	// AvailableRepositories are the repositories that offer it, sorted.
	AvailableRepositories []string `json:"availableRepositories,omitempty"`
	// ReleaseChannels are, by repository and channel, versions.
	ReleaseChannels map[string]map[string]string `json:"releaseChannels,omitempty"`
	// UsedBy are the Applications of each namespace; UsedByCount is how many in all.
	UsedBy      []NamespaceUsage `json:"usedBy,omitempty"`
	UsedByCount int              `json:"usedByCount"`
}

// NamespaceUsage says which Applications of a namespace use a package.
type NamespaceUsage struct {
	Namespace string   `json:"namespace"`
	Instances []string `json:"instances"`
}
