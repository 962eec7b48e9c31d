package status

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// External conditions: those of Application.status.conditions.
const (
	// ExternalInstalled: it was installed, and not uninstalled since.
	ExternalInstalled = "Installed"
	// ExternalUpdateInstalled: the last change of version is through.
	ExternalUpdateInstalled = "UpdateInstalled"
	// ExternalConfigurationApplied: the settings have reached the cluster.
	ExternalConfigurationApplied = "ConfigurationApplied"
	// ExternalScaled: its workloads are as they should be.
	ExternalScaled = "Scaled"
	// ExternalManaged: the controller has it in hand.
	ExternalManaged = "Managed"
	// ExternalReady: it can be used.
	ExternalReady = "Ready"
)

// Reasons of external conditions; that of one that is True is its type.
const (
	ExternalPending                  = "Pending"
	ExternalRequirementsUnmet        = "RequirementsUnmet"
	ExternalDownloadFailed           = "DownloadFailed"
	ExternalLoadFromFilesystemFailed = "LoadFromFilesystemFailed"
	ExternalSettingsInvalid          = "SettingsInvalid"
	ExternalHookInitializationFailed = "HookInitializationFailed"
	ExternalHookFailed               = "HookFailed"
	ExternalApplyingManifests        = "ApplyingManifests"
	ExternalManifestsApplyFailed     = "ManifestsApplyFailed"
	ExternalReconciling              = "Reconciling"
	ExternalDegraded                 = "Degraded"
	ExternalDeleting                 = "Deleting"
)

// Told is what an Application says already, and what is wanted of it.
type Told struct {
	Conditions []metav1.Condition
	// WantedVersion is spec.packageVersion; CurrentVersion is that of
	// status.currentVersion, after what is committed now: "" if nothing ever was.
	WantedVersion, CurrentVersion string
	// Deleting is whether the Application is being removed.
	Deleting bool
	// Generation is that of the Application, Now the time of a condition that changes.
	Generation int64
	Now        time.Time
}

// Phase is what an instance is in the middle of.
type Phase string

// Phases of instances.
const (
	PhaseInstall   Phase = "install"
	PhaseUpdate    Phase = "update"
	PhaseReconcile Phase = "reconcile"
	PhaseSuspended Phase = "suspended"
	PhaseDeleting  Phase = "deleting"
)

// Verdict is what people are told.
type Verdict struct {
	Phase      Phase
	Conditions []metav1.Condition
	Summary    api.Summary
}

// Judge says what people are told of an instance.
func Judge(in Internal, told Told) Verdict {
	j := &judge{in: in, told: told, phase: phaseOf(in, told)}
	switch j.phase {
	case PhaseDeleting:
		j.deleting()
	case PhaseSuspended:
		j.suspended()
	case PhaseInstall:
		j.install()
	case PhaseUpdate, PhaseReconcile:
		j.installed()
	}
	return Verdict{Phase: j.phase, Conditions: j.conditions(), Summary: j.summary()}
}

// phaseOf tells what an instance is in the middle of. Whether it was ever installed
// tell its condition and its version: the condition alone is False again once it was
// suspended.
func phaseOf(in Internal, told Told) Phase {
	installed := told.is(ExternalInstalled)
	switch {
	case told.Deleting:
		return PhaseDeleting
	case in.Failed(RequirementsMet) && (installed || told.CurrentVersion != ""):
		return PhaseSuspended
	case !installed:
		return PhaseInstall
	case told.WantedVersion != told.CurrentVersion:
		return PhaseUpdate
	}
	return PhaseReconcile
}

func (t Told) get(external string) *metav1.Condition {
	for i := range t.Conditions {
		if t.Conditions[i].Type == external {
			return &t.Conditions[i]
		}
	}
	return nil
}

func (t Told) is(external string) bool {
	c := t.get(external)
	return c != nil && c.Status == metav1.ConditionTrue
}

// order is that in which conditions are listed.
func order() []string {
	return []string{
		ExternalInstalled, ExternalUpdateInstalled, ExternalConfigurationApplied, ExternalScaled, ExternalManaged, ExternalReady,
	}
}
