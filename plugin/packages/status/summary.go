package status

import (
	"fmt"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

// summary says how it is, why, and what to do.
func (j *judge) summary() api.Summary {
	if j.why == nil && j.phase == PhaseReconcile {
		return api.Summary{State: api.StateReady}
	}
	why := j.why
	if why == nil {
		why = &finding{reason: ExternalReconciling, message: "its state is not known yet"}
	}
	state := stateOf(j.phase, why)
	return api.Summary{State: state, Message: j.message(state, why), Tip: tipOf(j.phase, why)}
}

// stateOf is the table of states: phase × reason.
func stateOf(phase Phase, f *finding) api.State {
	switch phase {
	case PhaseDeleting:
		return api.StateDeleting
	case PhaseSuspended:
		return api.StateSuspended
	case PhaseInstall:
		if f.failed && f.reason != ExternalRequirementsUnmet {
			return api.StateFailed
		}
		return api.StatePending
	case PhaseUpdate:
		switch f.reason {
		case ExternalHookFailed, ExternalHookInitializationFailed, ExternalManifestsApplyFailed:
			return api.StateFailed
		}
		return api.StateUpdating
	case PhaseReconcile:
		if f.reason == ExternalApplyingManifests {
			return api.StateUpdating // work, and no fault
		}
		if f.internal == IsReady && !f.failed {
			return api.StateUpdating
		}
	}
	return api.StateDegraded
}

func (j *judge) message(state api.State, f *finding) string {
	head := headOf(j.phase, state, f)
	if j.phase == PhaseUpdate {
		head = fmt.Sprintf("Version %s is not installed yet: %s", j.told.WantedVersion, head)
		if state == api.StateUpdating && j.told.CurrentVersion != "" {
			head += fmt.Sprintf(" (version %s goes on)", j.told.CurrentVersion)
		}
	}
	text := f.message
	if text == "" && headOf("", "", f) == unknownHead {
		text = f.reason
	}
	if text == "" {
		return head
	}
	return head + ": " + shorten(text)
}

// headOf is the beginning of a message: what is going on.
func headOf(phase Phase, state api.State, f *finding) string {
	switch f.reason {
	case ExternalPending:
		return "It waits"
	case ExternalRequirementsUnmet:
		if phase == PhaseSuspended {
			return "Its requirements are no longer met, so it is uninstalled"
		}
		return "Its requirements are not met"
	case ExternalDownloadFailed:
		return "The package could not be downloaded"
	case ExternalLoadFromFilesystemFailed:
		return "The package could not be loaded"
	case ExternalSettingsInvalid:
		return "The settings are not valid"
	case ExternalHookInitializationFailed:
		return "Its hooks could not be started"
	case ExternalHookFailed:
		return "A hook failed"
	case ExternalApplyingManifests:
		return "Its objects are being applied"
	case ExternalManifestsApplyFailed:
		return "Its objects could not be applied"
	case ExternalDegraded:
		return "Its workloads are not well"
	case ExternalDeleting:
		return "It is being removed"
	case ExternalReconciling:
		if f.internal == IsReady && f.failed {
			return "It says itself that it is not ready"
		}
		if state == api.StateDegraded {
			return "Its workloads are not all available"
		}
		return "Work is in progress"
	}
	return unknownHead
}

// unknownHead is that of reasons that nobody here knows.
const unknownHead = "It is not ready"

// tipOf is what a person can do.
func tipOf(phase Phase, f *finding) string {
	switch f.reason {
	case ExternalPending:
		return "Check spec.packageName, packageVersion and packageRepositoryName: kubectl get applicationpackageversions lists what there is."
	case ExternalRequirementsUnmet:
		if phase == PhaseSuspended {
			return "Meet the requirements again, and it is installed with the same settings; its orphan resources and kept volumes are still there."
		}
		return "Meet the requirements: enable the modules or update the cluster, or choose another version of the package."
	case ExternalDownloadFailed:
		return "Check that the registry can be reached and has this version: kubectl describe packagerepository."
	case ExternalLoadFromFilesystemFailed:
		return "The package itself is at fault: try kubectl tazuna packages lint on it, or choose another version."
	case ExternalSettingsInvalid:
		return "Correct spec.settings; kubectl get applicationpackageversion -o yaml has the schema."
	case ExternalHookInitializationFailed, ExternalHookFailed:
		return "Mend what the hook says; kubectl tazuna packages snapshots shows what it sees. It is tried again."
	case ExternalApplyingManifests:
		return "Wait; kubectl tazuna packages status tells how far it has come and what it waits for."
	case ExternalManifestsApplyFailed:
		return "Look at the objects that are named, and at kubectl tazuna packages status; it is tried again."
	case ExternalDegraded:
		return "Look at the Deployments and StatefulSets that are named, and at their Pods and events."
	case ExternalDeleting:
		if f.failed {
			return "Mend what the error names; it is tried again, and kubectl tazuna packages queue dump tells when."
		}
		return "Wait; kubectl tazuna packages queue dump tells what it is at."
	case ExternalReconciling:
		if f.internal == IsReady && f.failed {
			return "Mend what its program says; it is asked again and again."
		}
		return "Wait; if it stays like this, look at kubectl tazuna packages dump."
	}
	return "Look at kubectl tazuna packages dump and at the log of the controller."
}
