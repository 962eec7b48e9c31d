package apply

import (
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/plan"
)

// maxHiccups bounds how often an object is tried when the server is at fault
// without saying why.
const maxHiccups = 4

// failure is what a refused request means for the object.
type failure int

const (
	failureFinal    failure = iota
	failurePassing          // goes away by itself, mostly by what the run brings up
	failureConflict         // another manager owns a field
)

// classify sorts an error. What the cluster client repeats by itself (429, lost
// connections, changes of leader) has been repeated enough when it comes here.
func (a attempt) classify(o *plan.Object, err error) failure {
	_, ownKind := a.definitions[o.Ref.GroupKind()]
	switch {
	case isFieldConflict(err):
		return failureConflict
	case isWebhookFailure(err), isQuotaConflict(err):
		return failurePassing
	case ownKind && (isUnserved(err) || isUnavailable(err)):
		return failurePassing
	case a.namespaces[o.Ref.Namespace] && isFreshNamespace(err):
		return failurePassing
	case plan.IsTooLarge(err):
		return failureFinal
	case statusOf(err).Code >= 500 && a.tries < maxHiccups:
		return failurePassing
	default:
		return failureFinal
	}
}

// backoff is the pause before the next attempt: short at first, since a new kind
// or namespace is there within moments.
func backoff(tries int) time.Duration {
	return min(100*time.Millisecond<<min(tries-1, 10), 5*time.Second)
}

// isWebhookFailure knows calls that got no verdict. A webhook's denial is none.
func isWebhookFailure(err error) bool {
	text := err.Error()
	return strings.Contains(text, "failed calling webhook") ||
		strings.Contains(text, "conversion webhook for") && strings.Contains(text, "failed")
}

// isQuotaConflict knows the conflict that is about the quota and not about the
// object.
func isQuotaConflict(err error) bool {
	return apierrors.IsConflict(err) && strings.Contains(err.Error(), "Operation cannot be fulfilled on resourcequotas")
}

// isUnserved tells that the server does not know the kind (yet).
func isUnserved(err error) bool {
	if meta.IsNoMatchError(err) || isNoKind(err) {
		return true
	}
	return apierrors.IsNotFound(err) && strings.Contains(err.Error(), "the server could not find the requested resource")
}

// isFreshNamespace knows the refusals in a namespace that is a moment old: the
// admission plugins' caches have not seen it, or its default ServiceAccount is
// still to be made.
func isFreshNamespace(err error) bool {
	status := statusOf(err)
	if apierrors.IsNotFound(err) {
		return status.Details != nil && status.Details.Kind == "namespaces"
	}
	if !apierrors.IsForbidden(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "namespace") && strings.Contains(text, "not found") ||
		strings.Contains(text, "error looking up service account")
}

// isFieldConflict tells a conflict over ownership from one over versions.
func isFieldConflict(err error) bool {
	return apierrors.IsConflict(err) && apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
}

// statusOf gives the server's answer, empty for other errors.
func statusOf(err error) metav1.Status {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status()
	}
	return metav1.Status{}
}
