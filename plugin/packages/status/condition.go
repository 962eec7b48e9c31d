package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Type is what an internal condition is about.
type Type string

// Internal conditions, in the order of the pipeline.
const (
	// Pending True: the instance waits for something outside; Reason says for what.
	Pending Type = "Pending"
	// RequirementsMet: the scheduler lets it run.
	RequirementsMet Type = "RequirementsMet"
	// ReadyOnFilesystem: the bundle has been downloaded.
	ReadyOnFilesystem Type = "ReadyOnFilesystem"
	// Loaded: definition, schemas and hooks have been read.
	Loaded Type = "Loaded"
	// Configured: the settings are valid.
	Configured Type = "Configured"
	// HooksProcessed: the hooks of the run went well.
	HooksProcessed Type = "HooksProcessed"
	// ManifestsApplied: the objects are in the cluster, and were ready.
	ManifestsApplied Type = "ManifestsApplied"
	// Scaled: Deployments and StatefulSets are as they should be.
	Scaled Type = "Scaled"
	// IsReady: the package's own programs (module-sdk's readiness) say that the instance
	// is ready. Only packages that have such programs have it.
	IsReady Type = "IsReady"
	// MaintenanceMode is the one that is True when something is unusual.
	MaintenanceMode Type = "MaintenanceMode"
)

// Types returns all types, in the order of the pipeline.
func Types() []Type {
	return []Type{
		Pending, RequirementsMet, ReadyOnFilesystem, Loaded, Configured, HooksProcessed, ManifestsApplied, Scaled,
		IsReady, MaintenanceMode,
	}
}

// Reasons of internal conditions that are False.
const (
	ReasonDownloadFailed           = "DownloadFailed"
	ReasonLoadFailed               = "LoadFailed"
	ReasonDependencyCycle          = "DependencyCycle"
	ReasonSettingsInvalid          = "SettingsInvalid"
	ReasonHookInitializationFailed = "HookInitializationFailed"
	ReasonSyncHookFailed           = "SyncHookFailed"
	ReasonStartupHookFailed        = "StartupHookFailed"
	ReasonEventHookFailed          = "EventHookFailed"
	ReasonHookFailed               = "HookFailed"
	ReasonRenderFailed             = "RenderFailed"
	ReasonCheckReleaseFailed       = "CheckReleaseFailed"
	ReasonApplyManifestsFailed     = "ApplyManifestsFailed"
	// ReasonApplyingManifests of ManifestsApplied is no failure: an apply goes on.
	ReasonApplyingManifests = "ApplyingManifests"
	// ReasonUninstalling of ManifestsApplied is no failure either: objects are going,
	// and the message names those that take their time.
	ReasonUninstalling = "Uninstalling"
	// Reasons of IsReady: a program says no, or was not asked yet.
	ReasonReadinessProbeFailed = "ReadinessProbeFailed"
	ReasonNotAsked             = "NotAsked"
	// Reasons of RequirementsMet.
	ReasonRequirementsKubernetes    = "RequirementsKubernetes"
	ReasonRequirementsDeckhouse     = "RequirementsDeckhouse"
	ReasonRequirementsBootstrap     = "RequirementsBootstrap"
	ReasonDependencyNotEnabled      = "DependencyNotEnabled"
	ReasonDependencyVersionMismatch = "DependencyVersionMismatch"
	// Reasons of Scaled, which are also those of the external condition.
	ReasonReconciling = "Reconciling"
	ReasonDegraded    = "Degraded"
)

// Reasons of Pending.
const (
	ReasonPackageNotFound   = "PackageNotFound"
	ReasonVersionNotFound   = "PackageVersionNotFound"
	ReasonVersionDraft      = "PackageVersionIsDraft"
	ReasonRepositoryUnknown = "PackageRepositoryNotFound"
)

// Condition is one fact about an instance. Its shape is that of dumps.
type Condition struct {
	Type   Type                   `json:"type"`
	Status metav1.ConditionStatus `json:"status"`
	Reason string                 `json:"reason,omitempty"`
	// Message is for people; it holds no secret.
	Message string `json:"message,omitempty"`
	// LastTransitionTime is when Status last changed; a Store sets it.
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

// True says that something holds.
func True(t Type) Condition { return Condition{Type: t, Status: metav1.ConditionTrue} }

// TrueBecause says that something holds, and why: for Pending and MaintenanceMode.
func TrueBecause(t Type, reason, message string) Condition {
	return Condition{Type: t, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

// False says that something doesn't hold, and why.
func False(t Type, reason, message string) Condition {
	return Condition{Type: t, Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

// Unknown says that it isn't known whether something holds.
func Unknown(t Type, reason, message string) Condition {
	return Condition{Type: t, Status: metav1.ConditionUnknown, Reason: reason, Message: message}
}

// Applying is ManifestsApplied while an apply goes on.
func Applying() Condition {
	return False(ManifestsApplied, ReasonApplyingManifests, "")
}

// IsApplying tells whether a condition is that of an apply that goes on.
func (c Condition) IsApplying() bool {
	return c.Type == ManifestsApplied && c.Status == metav1.ConditionFalse && c.Reason == ReasonApplyingManifests
}

// InProgress tells whether a condition that is False is no failure: objects come or go.
func (c Condition) InProgress() bool {
	return c.IsApplying() || c.Type == ManifestsApplied && c.Status == metav1.ConditionFalse && c.Reason == ReasonUninstalling
}

// Abnormal tells whether a person should look at it: it isn't True, or it is one of
// those that are True only when something is unusual.
func (c Condition) Abnormal() bool {
	if c.Type == MaintenanceMode || c.Type == Pending {
		return c.Status == metav1.ConditionTrue
	}
	return c.Status != metav1.ConditionTrue
}
