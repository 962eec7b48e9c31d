package controlplane_test

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const extensions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: names}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}
  validations: [{expression: "object.metadata.name != 'banned'", message: banned by policy}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: names}
spec: {policyName: names, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: secrets}
webhooks:
- name: secrets.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {url: "%s", caBundle: "%s"}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [secrets]}]
`

func TestExtensions(t *testing.T) {
	p := newPlane(t, "--without-controllers")
	webhook := refusingWebhook(t)
	authority := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw})
	p.apply(fmt.Sprintf(extensions, webhook.URL, base64.StdEncoding.EncodeToString(authority)))

	p.kubectl("wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=30s")
	p.apply(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1}}`)
	p.eventually("size", "explain", "widget.spec")
	p.eventually("banned by policy", "create", "configmap", "banned", "--dry-run=server")
	p.eventually("refused by webhook", "create", "secret", "generic", "s", "--dry-run=server")
}

// refusingWebhook refuses everything.
func refusingWebhook(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Request    struct {
				UID string `json:"uid"`
			} `json:"request"`
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"apiVersion": review.APIVersion, "kind": review.Kind,
			"response": map[string]any{
				"uid": review.Request.UID, "allowed": false, "status": map[string]any{"message": "refused by webhook"},
			},
		})
	}))
	t.Cleanup(server.Close)
	if !strings.HasPrefix(server.URL, "https://127.0.0.1:") {
		t.Fatalf("the webhook is at %s", server.URL)
	}
	return server
}
