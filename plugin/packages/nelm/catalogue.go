package nelm

import "strings"

// The annotations.
const (
	WeightAnnotation          = "werf.io/weight"
	DeployOnAnnotation        = "werf.io/deploy-on"
	OwnershipAnnotation       = "werf.io/ownership"
	DeletePolicyAnnotation    = "werf.io/delete-policy"
	ResourcePolicyAnnotation  = "werf.io/resource-policy"
	PropagationAnnotation     = "werf.io/delete-propagation"
	TerminationModeAnnotation = "werf.io/track-termination-mode"
	FailModeAnnotation        = "werf.io/fail-mode"
	FailuresAllowedAnnotation = "werf.io/failures-allowed-per-replica"
	NoActivityAnnotation      = "werf.io/no-activity-timeout"
	ReplicasAnnotation        = "werf.io/replicas-on-creation"
	SensitiveAnnotation       = "werf.io/sensitive"
	SensitivePathsAnnotation  = "werf.io/sensitive-paths"
	// HelmResourcePolicyAnnotation has one legal value, "keep".
	HelmResourcePolicyAnnotation = "helm.sh/resource-policy"

	deployDependencyPrefix = "werf.io/deploy-dependency-"
	deleteDependencyPrefix = "werf.io/delete-dependency-"
	probesPrefix           = "werf.io/ignore-readiness-probe-fails-for-"
	externalSuffix         = ".external-dependency.werf.io"
)

// Entry is an annotation of the catalogue.
type Entry struct {
	// Name is the annotation; a * stands for what the author chooses.
	Name string
	// Values says what may stand there, Effect what comes of it.
	Values, Effect string
	// Without says why it has no effect; empty if it has one.
	Without string
}

const noLogs = "logs of Pods are not collected, as on the platform"

// Catalogue lists every annotation that is known.
func Catalogue() []Entry {
	return []Entry{
		{Name: WeightAnnotation, Values: "whole number (0)", Effect: "lower ones of a stage come first; beats helm.sh/hook-weight"},
		{Name: deployDependencyPrefix + "*", Values: "state=ready|present[,name=][,namespace=][,kind=][,group=][,version=]", Effect: "objects of the release that come before, in the same stage"},
		{Name: deleteDependencyPrefix + "*", Values: "state=absent[,name=][,namespace=][,kind=][,group=][,version=]", Effect: "objects of the release that have to be gone before it is deleted"},
		{Name: "*" + externalSuffix + "/resource", Values: "KIND[.VERSION.GROUP]/NAME", Effect: "an object of somebody else that has to be ready before"},
		{Name: "*" + externalSuffix + "/namespace", Values: "namespace (that of the release)", Effect: "where that object is"},
		{Name: "*" + externalSuffix + "/name", Values: "name", Effect: "what that object is called, if /resource says only the kind"},
		{Name: OwnershipAnnotation, Values: "release, anyone", Effect: "what is anyone's is never deleted with the release"},
		{Name: DeployOnAnnotation, Values: "list of [pre-|post-]install, upgrade, rollback, uninstall (install,upgrade,rollback)", Effect: "at which actions, and in which stage of them, it is deployed"},
		{Name: DeletePolicyAnnotation, Values: "list of before-creation, before-creation-if-immutable (of Jobs), succeeded, failed", Effect: "when it is deleted; beats helm.sh/hook-delete-policy"},
		{Name: ResourcePolicyAnnotation, Values: "list of skip-create, skip-update, skip-recreate, skip-delete, keep", Effect: "what is not done to it"},
		{Name: HelmResourcePolicyAnnotation, Values: "keep", Effect: "never deleted, not as an orphan either"},
		{Name: PropagationAnnotation, Values: "Foreground, Background, Orphan (Foreground)", Effect: "what becomes of its dependants when it is deleted"},
		{Name: TerminationModeAnnotation, Values: "WaitUntilResourceReady, NonBlocking (WaitUntilResourceReady)", Effect: "whether it is waited for"},
		{Name: FailModeAnnotation, Values: "FailWholeDeployProcessImmediately, IgnoreAndContinueDeployProcess, HopeUntilEndOfDeployProcess (FailWholeDeployProcessImmediately)", Effect: "what its failure means for the rest"},
		{Name: FailuresAllowedAnnotation, Values: "whole number (no bound)", Effect: "how often containers of a replica may fail"},
		{Name: NoActivityAnnotation, Values: "duration (no bound)", Effect: "how long nothing may change on it"},
		{Name: probesPrefix + "*", Values: "duration", Without: "failures of readiness probes are never counted: an object that isn't ready is waited for"},
		{Name: ReplicasAnnotation, Values: "whole number", Effect: "spec.replicas of a new object, which is left alone later"},
		{Name: SensitiveAnnotation, Values: "true, false", Effect: "its values are hidden in what is shown"},
		{Name: SensitivePathsAnnotation, Values: "list of JSONPaths", Effect: "the values there are hidden in what is shown"},
		{Name: "helm.sh/hook", Values: "list of events", Effect: "deployed at these events, in stages of their own; anyone's"},
		{Name: "helm.sh/hook-weight", Values: "whole number (0)", Effect: "as " + WeightAnnotation},
		{Name: "helm.sh/hook-delete-policy", Values: "list of before-hook-creation, hook-succeeded, hook-failed (before-hook-creation)", Effect: "as " + DeletePolicyAnnotation},
		{Name: "werf.io/show-service-messages", Values: "true, false", Without: "events are part of what is said of a failure anyway"},
		{Name: "werf.io/log-regex", Values: "regular expression", Without: noLogs},
		{Name: "werf.io/log-regex-for-*", Values: "regular expression", Without: noLogs},
		{Name: "werf.io/log-regex-skip", Values: "regular expression", Without: noLogs},
		{Name: "werf.io/log-regex-skip-for-*", Values: "regular expression", Without: noLogs},
		{Name: "werf.io/skip-logs", Values: "true, false", Without: noLogs},
		{Name: "werf.io/skip-logs-for-containers", Values: "list of containers", Without: noLogs},
		{Name: "werf.io/show-logs-only-for-containers", Values: "list of containers", Without: noLogs},
		{Name: "werf.io/show-logs-only-for-number-of-replicas", Values: "whole number", Without: noLogs},
	}
}

// known reports whether an annotation is in the catalogue.
func known(key string) bool { _, ok := entryOf(key); return ok }

// isNelms reports whether an annotation is one that Nelm could have.
func isNelms(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return domain == "werf.io" || strings.HasSuffix(domain, ".werf.io")
}
