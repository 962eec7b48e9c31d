package readiness

import (
	"fmt"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// jobReadiness: a Job is ready when it is complete. kstatus calls a running one
// current. FailureTarget announces a failure while Pods still end.
func jobReadiness(u *unstructured.Unstructured) Verdict {
	if c := conditionOf(u.Object, "Failed"); c.Status == "True" {
		return failed(c.Text())
	}
	if conditionOf(u.Object, "Complete").Status == "True" {
		return Verdict{State: Ready}
	}
	if suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend"); suspended {
		return Verdict{State: Ready, Note: "it is suspended and will not run until somebody resumes it"}
	}
	count := func(field string) int64 { n, _, _ := unstructured.NestedInt64(u.Object, "status", field); return n }
	return waiting(fmt.Sprintf("not complete: %d active, %d succeeded, %d failed", count("active"), count("succeeded"), count("failed")))
}

// CleansUp tells a Job that is deleted some time after it has finished.
func CleansUp(u *unstructured.Unstructured) bool {
	_, found, _ := unstructured.NestedFieldNoCopy(u.Object, "spec", "ttlSecondsAfterFinished")
	return found && u.GetKind() == "Job"
}

// daemonSetReadiness: with OnDelete nobody replaces Pods, so the existing ones
// being ready is all there is to wait for. kstatus waits for them to be new.
func daemonSetReadiness(u *unstructured.Unstructured) Verdict {
	if !onDelete(u) {
		return byStatus(u)
	}
	if reason := unobserved(u); reason != "" {
		return waiting(reason)
	}
	count := countsOf(u)
	desired, current := count("desiredNumberScheduled"), count("currentNumberScheduled")
	switch ready := min(count("numberReady"), count("numberAvailable")); {
	case current < desired:
		return waiting(fmt.Sprintf("%d of %d Pods scheduled", current, desired))
	case ready < desired:
		return waiting(fmt.Sprintf("%d of %d Pods ready", ready, desired))
	}
	return readyOnDelete(desired - count("updatedNumberScheduled"))
}

// statefulSetReadiness: as above; kstatus asks nothing at all with OnDelete.
func statefulSetReadiness(u *unstructured.Unstructured) Verdict {
	if !onDelete(u) {
		return observedFirst(u)
	}
	if reason := unobserved(u); reason != "" {
		return waiting(reason)
	}
	count := countsOf(u)
	wanted, found, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
	if !found {
		wanted = 1
	}
	switch have, ready := count("replicas"), count("readyReplicas"); {
	case have != wanted:
		return waiting(fmt.Sprintf("%d of %d Pods there", have, wanted))
	case ready < wanted:
		return waiting(fmt.Sprintf("%d of %d Pods ready", ready, wanted))
	}
	return readyOnDelete(wanted - count("updatedReplicas"))
}

func onDelete(u *unstructured.Unstructured) bool {
	strategy, _, _ := unstructured.NestedString(u.Object, "spec", "updateStrategy", "type")
	return strategy == "OnDelete"
}

func countsOf(u *unstructured.Unstructured) func(field string) int64 {
	return func(field string) int64 {
		n, _, _ := unstructured.NestedInt64(u.Object, "status", field)
		return n
	}
}

// readyOnDelete notes how many Pods are still of an older version.
func readyOnDelete(old int64) Verdict {
	r := Verdict{State: Ready}
	if old > 0 {
		r.Note = fmt.Sprintf("its update strategy is OnDelete: %d Pods are of an older version until somebody deletes them", old)
	}
	return r
}

// deploymentReadiness adds why Pods can't be made, which kstatus leaves out.
func deploymentReadiness(u *unstructured.Unstructured) Verdict {
	r := byStatus(u)
	if c := conditionOf(u.Object, "ReplicaFailure"); r.State == Waiting && c.Status == "True" {
		r.Reason += "; " + c.Text()
	}
	if c := conditionOf(u.Object, "Progressing"); r.State == Failed && c.Status == "False" {
		r.Reason = c.Text()
	}
	return r
}

// podReadiness: a bare Pod that has failed is not ready, which kstatus says, and
// one that can't be scheduled may get its node later, which kstatus denies.
func podReadiness(u *unstructured.Unstructured) Verdict {
	if phase, _, _ := unstructured.NestedString(u.Object, "status", "phase"); phase == "Failed" {
		return failed("the Pod has failed" + podSuffix(u))
	}
	result, err := status.Compute(u)
	if err != nil {
		return waiting("its phase is not known")
	}
	switch {
	case result.Status == status.CurrentStatus:
		return Verdict{State: Ready}
	case result.Status == status.FailedStatus && conditionOf(u.Object, "PodScheduled").Status != "False":
		return failed(result.Message + podSuffix(u))
	default:
		return waiting(result.Message + podSuffix(u))
	}
}

func podSuffix(u *unstructured.Unstructured) string {
	if t := TroubleOf(u); t.Reason != "" {
		return ": " + t.Reason
	}
	return ""
}

// apiServiceReadiness: kstatus does not know the condition Available.
func apiServiceReadiness(u *unstructured.Unstructured) Verdict {
	c := conditionOf(u.Object, "Available")
	if c.Status == "True" {
		return Verdict{State: Ready}
	}
	if c.Type == "" {
		return waiting("not looked at yet")
	}
	return waiting(c.Text())
}

// carvelReadiness: kapp-controller has failures of its own names, and sets no Ready.
func carvelReadiness(u *unstructured.Unstructured) Verdict {
	if reason := unobserved(u); reason != "" {
		return waiting(reason)
	}
	for _, kind := range []string{"ReconcileFailed", "DeleteFailed"} {
		if c := conditionOf(u.Object, kind); c.Status == "True" {
			if text, _, _ := unstructured.NestedString(u.Object, "status", "usefulErrorMessage"); text != "" {
				return failed(text)
			}
			return failed(kind + ": " + c.Text())
		}
	}
	if conditionOf(u.Object, "ReconcileSucceeded").Status == "True" {
		return Verdict{State: Ready}
	}
	return waiting("it is being reconciled")
}
