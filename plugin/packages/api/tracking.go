package api

// Tracking is the report of one apply: which operations there are, how far each has
// come, and what it waits for. Its shape is read by programs: a test holds it.
type Tracking struct {
	// Completed and Remaining count operations.
	Completed int            `json:"completed"`
	Remaining int            `json:"remaining"`
	Report    TrackingReport `json:"report"`
}

// TrackingReport lists the operations of an apply.
type TrackingReport struct {
	Operations []Operation `json:"operations"`
}

// OperationCategory is what an operation is about.
type OperationCategory string

// Categories of operations.
const (
	// CategoryResource writes an object, CategoryTrack waits for one.
	CategoryResource OperationCategory = "resource"
	CategoryTrack    OperationCategory = "track"
	// CategoryRelease writes the record of the release, CategoryMeta is about no
	// object at all.
	CategoryRelease OperationCategory = "release"
	CategoryMeta    OperationCategory = "meta"
)

// OperationStatus is how far an operation has come.
type OperationStatus string

// How far an operation has come.
const (
	OperationPending     OperationStatus = "Pending"
	OperationProgressing OperationStatus = "Progressing"
	OperationCompleted   OperationStatus = "Completed"
	OperationFailed      OperationStatus = "Failed"
	OperationCanceled    OperationStatus = "Canceled"
)

// Operation is one step of an apply.
type Operation struct {
	// The object that it is about; all are empty for one that is about none.
	Group     string `json:"group"`
	Version   string `json:"version"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	// Type is what is done: "create", "update", "delete", "track-readiness", …
	Type string `json:"type"`
	// Iteration counts operations of one Type on one object, from 0.
	Iteration int `json:"iteration"`
	// ID names the operation within the report.
	ID       string            `json:"id"`
	Category OperationCategory `json:"category"`
	Status   OperationStatus   `json:"status"`
	// DependsOn are IDs of operations that have to be completed before.
	DependsOn []string `json:"dependsOn"`
}
