package api

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// PackageRepositoryOperation is one scan of a repository.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PackageRepositoryOperation struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PackageRepositoryOperationSpec   `json:"spec"`
	Status PackageRepositoryOperationStatus `json:"status,omitempty"`
}

// PackageRepositoryOperationList is a list of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PackageRepositoryOperationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PackageRepositoryOperation `json:"items"`
}

// OperationUpdate is the type of all operations: look what is on offer.
const OperationUpdate = "Update"

// PackageRepositoryOperationSpec says what is to be done; it never changes.
type PackageRepositoryOperationSpec struct {
	PackageRepositoryName string            `json:"packageRepositoryName"`
	Type                  string            `json:"type"`
	Update                *OperationOptions `json:"update,omitempty"`
}

// OperationOptions are those of an Update.
type OperationOptions struct {
	// FullScan looks at all packages and versions, not only for what is new.
	FullScan bool `json:"fullScan,omitempty"`
	// Timeout ends a scan that takes longer; zero: five minutes.
	Timeout *metav1.Duration `json:"timeout,omitempty"`
}

// Conditions of operations: ConditionCompleted is True once nothing more is done,
// ConditionProcessed tells whether it went well.
const (
	ConditionCompleted = "Completed"
	ConditionProcessed = "Processed"
)

// Why an operation didn't go well.
const (
	ReasonRepositoryNotFound   = "PackageRepositoryNotFound"
	ReasonRegistryClientFailed = "RegistryClientCreationFailed"
	ReasonListingFailed        = "PackageListingFailed"
	ReasonPackagesFailed       = "PackagesFailed"
	ReasonTimeout              = "Timeout"
)

// PackageRepositoryOperationStatus is how it went.
type PackageRepositoryOperationStatus struct {
	Packages       *OperationPackages `json:"packages,omitempty"`
	StartTime      *metav1.Time       `json:"startTime,omitempty"`
	CompletionTime *metav1.Time       `json:"completionTime,omitempty"`
	Conditions     []metav1.Condition `json:"conditions,omitempty"`
}

// OperationPackages are the packages that a scan came across.
type OperationPackages struct {
	// Discovered are those that the repository lists.
	Discovered []PackageInfo `json:"discovered,omitempty"`
	// Processed went well, Failed didn't.
	Processed []ProcessedPackage `json:"processed,omitempty"`
	Failed    []FailedPackage    `json:"failed,omitempty"`
	// Total is how many are listed, ProcessedOverall how many were looked at,
	// NewVersionsOverall how many versions are new.
	Total              int `json:"total"`
	ProcessedOverall   int `json:"processedOverall"`
	NewVersionsOverall int `json:"newVersionsOverall"`
}

// ProcessedPackage is a package whose versions were listed.
type ProcessedPackage struct {
	Name          string `json:"name"`
	Type          string `json:"type,omitempty"`
	FoundVersions int    `json:"foundVersions"`
	NewVersions   int    `json:"newVersions"`
}

// FailedPackage is a package that something is wrong with.
type FailedPackage struct {
	Name   string         `json:"name"`
	Errors []VersionError `json:"errors"`
}

// VersionError is what is wrong with a version; an empty Version: with the package.
type VersionError struct {
	Version string `json:"version,omitempty"`
	Message string `json:"message"`
}
