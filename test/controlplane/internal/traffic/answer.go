package traffic

import (
	"encoding/json"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// answer writes the error that a real server would send with the rule's status.
func answer(w http.ResponseWriter, request *Request, rule *Rule) {
	resource := schema.GroupResource{Group: request.Group, Resource: request.resource}
	failure := apierrors.NewGenericServerResponse(
		rule.Status, request.Verb, resource, request.Name, rule.Message, rule.RetryAfter, false)
	status := failure.ErrStatus
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	if rule.Message != "" {
		status.Message = rule.Message
	}
	raw, err := json.Marshal(status)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if rule.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(rule.RetryAfter))
	}
	w.WriteHeader(rule.Status)
	_, _ = w.Write(raw) // the client has gone
}
