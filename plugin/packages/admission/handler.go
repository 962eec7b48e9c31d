package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
)

const (
	// Path is where the API server asks.
	Path = "/admission/applications"
	// Timeout is how long an answer may take: the API server waits a second longer.
	Timeout = 9 * time.Second
	// mostReview bounds a review, in bytes: twice an object of etcd's limit.
	mostReview = 7 << 20
)

// Handler answers the reviews of an API server.
func Handler(f Facts) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Path, func(w http.ResponseWriter, r *http.Request) {
		review, err := read(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), Timeout)
		defer cancel()
		review.Response = answer(ctx, f, review.Request)
		review.Request = nil
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // whoever asked may have gone
	})
	return mux
}

func read(body io.Reader) (*admissionv1.AdmissionReview, error) {
	data, err := io.ReadAll(io.LimitReader(body, mostReview+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the review: %w", err)
	case len(data) > mostReview:
		return nil, fmt.Errorf("review: wanted at most %d bytes", mostReview)
	}
	review := &admissionv1.AdmissionReview{}
	if err := json.Unmarshal(data, review); err != nil {
		return nil, errors.New("review: wanted an AdmissionReview, found something else")
	}
	if review.Request == nil {
		return nil, errors.New("review: wanted a request in it, found none")
	}
	return review, nil
}

// answer judges one request.
func answer(ctx context.Context, f Facts, r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	response := &admissionv1.AdmissionResponse{UID: r.UID}
	verdict, err := judgeReview(ctx, f, r)
	switch {
	case err != nil:
		response.Result = status(http.StatusInternalServerError, metav1.StatusReasonInternalError, err.Error())
	case verdict.Refused != "":
		response.Result = status(http.StatusForbidden, metav1.StatusReasonForbidden, verdict.Refused)
	default:
		response.Allowed = true
	}
	response.Warnings = verdict.Warnings
	return response
}

func status(code int32, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}
}

// judgeReview judges creations and updates of Applications; what isn't one isn't ours.
func judgeReview(ctx context.Context, f Facts, r *admissionv1.AdmissionRequest) (Verdict, error) {
	if r.Kind.Group != api.Group || r.Kind.Kind != api.KindApplication || r.SubResource != "" {
		return Verdict{}, nil
	}
	var request Request
	var err error
	switch r.Operation {
	case admissionv1.Create:
	case admissionv1.Update:
		if request.Old, err = application(r.OldObject); err != nil {
			return Verdict{}, err
		}
	default:
		return Verdict{}, nil
	}
	if request.New, err = application(r.Object); err != nil {
		return Verdict{}, err
	}
	if request.New.Namespace == "" {
		request.New.Namespace = r.Namespace
	}
	return Judge(ctx, f, request)
}

func application(raw runtime.RawExtension) (*api.Application, error) {
	a := &api.Application{}
	if err := json.Unmarshal(raw.Raw, a); err != nil {
		return nil, errors.New("wanted an Application, found what can't be read as one")
	}
	return a, nil
}
