package status

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Pipelines: internal conditions in the order in which they come true.
func installPipeline() []Type {
	return []Type{RequirementsMet, ReadyOnFilesystem, Loaded, Configured, HooksProcessed, ManifestsApplied}
}

func updatePipeline() []Type { return installPipeline()[1:] }

func configPipeline() []Type { return []Type{Configured, HooksProcessed, ManifestsApplied} }

// reconcileChain is what has to go on holding, in the order in which a summary names
// what doesn't.
func reconcileChain() []Type {
	return []Type{ReadyOnFilesystem, Loaded, HooksProcessed, ManifestsApplied}
}

// finding is why an external condition isn't True.
type finding struct {
	reason, message string
	// internal is what it comes from, "" for none.
	internal Type
	// failed tells a fault from work in progress.
	failed bool
}

// blocker is the first condition of a pipeline that is False, Pending before all; nil:
// there is none. An apply that goes on is no blocker.
func blocker(in Internal, pipeline []Type) *finding {
	if c := in.Get(Pending); c.Status == metav1.ConditionTrue {
		return &finding{reason: ExternalPending, message: messageOf(c), internal: Pending}
	}
	for _, t := range pipeline {
		if in.Failed(t) {
			return found(in.Get(t))
		}
	}
	return nil
}

// found names a condition that is False.
func found(c Condition) *finding {
	return &finding{reason: externalReason(c), message: messageOf(c), internal: c.Type, failed: true}
}

// progress is what a pipeline without a blocker is still at; nil: it is through.
func progress(in Internal, pipeline []Type) *finding {
	if c := in.Get(ManifestsApplied); c.IsApplying() {
		return &finding{reason: ExternalApplyingManifests, message: c.Message, internal: ManifestsApplied}
	}
	for _, t := range pipeline {
		if !in.Is(t) {
			return &finding{reason: ExternalReconciling, message: "not yet there: " + string(t), internal: t}
		}
	}
	return nil
}

// workloads is why Scaled isn't True; nil: it is.
func workloads(in Internal) *finding {
	c := in.Get(Scaled)
	switch c.Status {
	case metav1.ConditionTrue:
		return nil
	case metav1.ConditionFalse:
		return &finding{reason: externalReason(c), message: messageOf(c), internal: Scaled, failed: c.Reason == ReasonDegraded}
	case metav1.ConditionUnknown:
	}
	message := messageOf(c)
	if message == "" {
		message = "nothing is known of its Deployments and StatefulSets yet"
	}
	return &finding{reason: ExternalReconciling, message: message, internal: Scaled}
}

// readiness is why the programs of a package don't say that it is ready; nil: they do, or
// it has none.
func readiness(in Internal) *finding {
	c := in.Get(IsReady)
	if c.Status == metav1.ConditionTrue || c.Reason == "" {
		return nil
	}
	return &finding{reason: ExternalReconciling, message: c.Message, internal: IsReady, failed: c.Status == metav1.ConditionFalse}
}

// leaving is what an uninstallation waits for; "" for nothing.
func leaving(in Internal) string {
	if c := in.Get(ManifestsApplied); c.Reason == ReasonUninstalling {
		return c.Message
	}
	return ""
}

func externalReason(c Condition) string {
	switch c.Type {
	case Pending:
		return ExternalPending
	case RequirementsMet:
		return ExternalRequirementsUnmet
	case ReadyOnFilesystem:
		return ExternalDownloadFailed
	case Loaded:
		return ExternalLoadFromFilesystemFailed
	case Configured:
		return ExternalSettingsInvalid
	case HooksProcessed:
		if c.Reason == ReasonHookInitializationFailed {
			return ExternalHookInitializationFailed
		}
		return ExternalHookFailed
	case ManifestsApplied:
		if c.IsApplying() {
			return ExternalApplyingManifests
		}
		return ExternalManifestsApplyFailed
	case Scaled:
		if c.Reason == ReasonDegraded {
			return ExternalDegraded
		}
		return ExternalReconciling
	case IsReady:
		return ExternalReconciling
	case MaintenanceMode:
	}
	return string(c.Type)
}

// messageOf is the message, after the internal reason where that says more.
func messageOf(c Condition) string {
	switch {
	case c.Message == "":
		return c.Reason
	case c.Reason == "" || c.Reason == externalReason(c):
		return c.Message
	}
	return c.Reason + ": " + c.Message
}
