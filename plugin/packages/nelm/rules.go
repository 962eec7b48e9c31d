package nelm

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Action is what is done to a release.
type Action string

// The actions. Rollback is never done here; objects may name it all the same.
const (
	Install   Action = "install"
	Upgrade   Action = "upgrade"
	Rollback  Action = "rollback"
	Uninstall Action = "uninstall"
)

// Stage is a part of an action. All of an earlier one is done before a later one
// begins.
type Stage string

// The stages, in their order.
const (
	Before Stage = "pre"
	Main   Stage = "main"
	After  Stage = "post"
)

// Stages returns the stages in their order.
func Stages() []Stage { return []Stage{Before, Main, After} }

// Moment is a stage of an action at which an object is deployed.
type Moment struct {
	Action Action
	Stage  Stage
}

// Ownership says whether an object belongs to the release.
type Ownership string

// Owners of objects. What is Anyone's is deployed and never deleted with a release.
const (
	Release Ownership = "release"
	Anyone  Ownership = "anyone"
)

// DeletePolicy says when an object of a release is deleted, besides with the release.
type DeletePolicy string

// The delete policies.
const (
	BeforeCreation            DeletePolicy = "before-creation"
	BeforeCreationIfImmutable DeletePolicy = "before-creation-if-immutable"
	Succeeded                 DeletePolicy = "succeeded"
	Failed                    DeletePolicy = "failed"
)

// ResourcePolicy leaves something out that would be done to an object.
type ResourcePolicy string

// The resource policies. Keep is SkipDelete in Helm's word.
const (
	SkipCreate   ResourcePolicy = "skip-create"
	SkipUpdate   ResourcePolicy = "skip-update"
	SkipRecreate ResourcePolicy = "skip-recreate"
	SkipDelete   ResourcePolicy = "skip-delete"
	Keep         ResourcePolicy = "keep"
)

// FailMode says what the failure of an object means for the rest.
type FailMode string

// The fail modes.
const (
	// FailAtOnce ends the whole run.
	FailAtOnce FailMode = "FailWholeDeployProcessImmediately"
	// Ignore lets the run go on and succeed.
	Ignore FailMode = "IgnoreAndContinueDeployProcess"
	// FailAtEnd lets the run go on; it fails in the end.
	FailAtEnd FailMode = "HopeUntilEndOfDeployProcess"
)

// Rules is what the annotations of one object say. The zero value is no valid one: see
// Read.
type Rules struct {
	// On are the moments at which the object is deployed.
	On        []Moment
	Ownership Ownership
	// Weight orders objects of one stage, lower ones first.
	Weight int
	// DeployAfter are objects of the release that come before, DeleteAfter those that
	// have to be gone before it is deleted, External foreign objects that have to be
	// ready.
	DeployAfter, DeleteAfter []Dependency
	External                 []External
	DeletePolicies           []DeletePolicy
	ResourcePolicies         []ResourcePolicy
	// Propagation of its deletion; Foreground if the annotation is absent.
	Propagation metav1.DeletionPropagation
	// NonBlocking: nobody waits for it.
	NonBlocking bool
	FailMode    FailMode
	// FailuresAllowed for each replica; nil where the annotation is absent.
	FailuresAllowed *int
	// Idle is the longest time without any change; 0 where the annotation is absent.
	Idle time.Duration
	// ReplicasOnCreation is nil where the annotation is absent.
	ReplicasOnCreation *int64
	// Hook: Helm calls the object a hook.
	Hook bool
	// Warnings are annotations without any effect that look as if they had one.
	Warnings []string
}

// At reports whether the object is deployed at a stage of an action.
func (r Rules) At(a Action, s Stage) bool { return slices.Contains(r.On, Moment{a, s}) }

// During reports whether the object is deployed at any stage of an action.
func (r Rules) During(a Action) bool {
	return slices.ContainsFunc(r.On, func(m Moment) bool { return m.Action == a })
}

// Deletes reports whether a delete policy is asked for.
func (r Rules) Deletes(p DeletePolicy) bool { return slices.Contains(r.DeletePolicies, p) }

// Has reports whether a resource policy is asked for.
func (r Rules) Has(p ResourcePolicy) bool { return slices.Contains(r.ResourcePolicies, p) }

// Protected says why the object stays when its release goes, or leaves it behind; empty
// if it doesn't stay.
func (r Rules) Protected() string {
	switch {
	case r.Hook:
		return "it is a hook"
	case r.Ownership == Anyone:
		return "its annotation " + OwnershipAnnotation + " is " + string(Anyone)
	case r.Has(Keep), r.Has(SkipDelete):
		return "its resource policy says so"
	default:
		return ""
	}
}

// Passing reports whether the object isn't meant to stay after it was deployed.
func (r Rules) Passing() bool { return r.Deletes(Succeeded) || r.Deletes(Failed) }
