package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// extension is an API server behind the aggregator as there are some: it takes whole
// objects and no patch, and knows no watch. Its kinds are Parcel, whose updates take
// dry-runs, and Crate, which never heard of them and would write.
type extension struct {
	group string

	mu      sync.Mutex
	version int
	objects map[string]*unstructured.Unstructured // by plural/namespace/name
}

// extensionKinds are the kinds by plural.
func extensionKinds() map[string]string {
	return map[string]string{"parcels": "Parcel", "crates": "Crate"}
}

// cmdExtensionServer serves a group through the aggregator of the control plane. An
// APIService whose server is gone would disturb others: only for an own one.
func cmdExtensionServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: extension-server GROUP")
	}
	server := httptest.NewTLSServer(&extension{group: args[0], objects: map[string]*unstructured.Unstructured{}})
	ts.Defer(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	ts.Check(err)
	run := of(ts)
	file := ts.MkAbs("extension.yaml")
	ts.Check(os.WriteFile(file, fmt.Appendf(nil, extensionService, run.id, port, args[0]), 0o600))
	ts.Check(ts.Exec("kubectl", "apply", "-f", file))
	cmdWaitfor(ts, false, []string{"kubectl", "get", "--raw", "/apis/" + args[0] + "/v1"})
	// The aggregator reads discovery and schemas at its own pace.
	cmdWaitfor(ts, false, []string{"-m", args[0] + "/v1", "kubectl", "get", "--raw", "/openapi/v3"})
	cmdWaitfor(ts, false, []string{"-m", "parcels", "kubectl", "api-resources", "--cached=false", "--api-group=" + args[0]})
}

const extensionService = `apiVersion: v1
kind: Service
metadata: {name: extension, namespace: %[1]s}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.%[3]s}
spec:
  group: %[3]s
  version: v1
  groupPriorityMinimum: 10
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: {name: extension, namespace: %[1]s, port: %[2]s}
`

// ServeHTTP answers discovery, schemas and requests for objects.
func (e *extension) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/apis/"+e.group+"/v1":
		answer(w, http.StatusOK, e.resources())
	case r.URL.Path == "/openapi/v3":
		answer(w, http.StatusOK, map[string]any{"paths": map[string]any{"apis/" + e.group + "/v1": map[string]any{
			"serverRelativeURL": "/openapi/v3/apis/" + e.group + "/v1?hash=1",
		}}})
	case strings.HasPrefix(r.URL.Path, "/openapi/v3/"):
		answer(w, http.StatusOK, e.schemas())
	case len(parts) >= 4 && parts[1] == e.group:
		e.serveObjects(w, r, parts[3:])
	default:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "no such path")
	}
}

func (e *extension) resources() metav1.APIResourceList {
	out := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: e.group + "/v1"}
	for _, plural := range slices.Sorted(maps.Keys(extensionKinds())) {
		out.APIResources = append(out.APIResources, metav1.APIResource{
			Name: plural, SingularName: strings.TrimSuffix(plural, "s"), Namespaced: true, Kind: extensionKinds()[plural],
			Verbs: metav1.Verbs{"create", "delete", "get", "list", "update"},
		})
	}
	return out
}

// schemas says of Parcels that they take dry-runs.
func (e *extension) schemas() map[string]any {
	paths, schemas := map[string]any{}, map[string]any{}
	for plural, kind := range extensionKinds() {
		gvk := map[string]any{"group": e.group, "version": "v1", "kind": kind}
		put := map[string]any{"x-kubernetes-group-version-kind": gvk, "responses": map[string]any{"200": map[string]any{"description": "OK"}}}
		if kind == "Parcel" {
			put["parameters"] = []any{map[string]any{"name": "dryRun", "in": "query", "schema": map[string]any{"type": "string"}}}
		}
		paths["/apis/"+e.group+"/v1/namespaces/{namespace}/"+plural+"/{name}"] = map[string]any{"put": put}
		schemas["example."+kind] = map[string]any{
			"type": "object", "x-kubernetes-group-version-kind": []any{gvk},
			"properties": map[string]any{
				"metadata": map[string]any{"type": "object"},
				"spec": map[string]any{"type": "object", "properties": map[string]any{
					"size": map[string]any{"type": "string"}, "weight": map[string]any{"type": "integer"},
					"stamps": map[string]any{
						"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"},
						"items": map[string]any{"type": "object", "properties": map[string]any{
							"name": map[string]any{"type": "string"}, "value": map[string]any{"type": "integer"},
						}},
					},
				}},
			},
		}
	}
	return map[string]any{
		"openapi": "3.0.0", "info": map[string]any{"title": "extension", "version": "v1"},
		"paths": paths, "components": map[string]any{"schemas": schemas},
	}
}

// serveObjects serves namespaces/NS/PLURAL[/NAME] and PLURAL.
func (e *extension) serveObjects(w http.ResponseWriter, r *http.Request, parts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	namespace := ""
	if parts[0] == "namespaces" && len(parts) > 2 {
		namespace, parts = parts[1], parts[2:]
	}
	plural, name := parts[0], ""
	if len(parts) > 1 {
		name = parts[1]
	}
	key := plural + "/" + namespace + "/" + name
	live, dryRun := e.objects[key], r.URL.Query().Get("dryRun") == "All" && plural == "parcels"
	switch {
	case extensionKinds()[plural] == "" || len(parts) > 2:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, "no such resource")
	case r.Method == http.MethodGet && name == "":
		e.list(w, r, plural, namespace)
	case r.Method == http.MethodPost && name == "":
		e.create(w, r, plural, namespace, dryRun)
	case name != "" && live == nil:
		e.notFound(w, plural, name)
	case r.Method == http.MethodGet:
		answer(w, http.StatusOK, live.Object)
	case r.Method == http.MethodPut:
		e.update(w, r, key, live, dryRun)
	case r.Method == http.MethodDelete:
		if !dryRun {
			delete(e.objects, key)
		}
		answer(w, http.StatusOK, live.Object)
	default:
		refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "the server does not allow this method on the requested resource")
	}
}

func (e *extension) notFound(w http.ResponseWriter, plural, name string) {
	status := metav1.Status{Details: &metav1.StatusDetails{Group: e.group, Kind: plural, Name: name}}
	refuseWith(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("%s.%s %q not found", plural, e.group, name), status)
}

func (e *extension) list(w http.ResponseWriter, r *http.Request, plural, namespace string) {
	if r.URL.Query().Get("watch") != "" {
		refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "no watch here")
		return
	}
	selector, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, err.Error())
		return
	}
	items := []any{}
	for _, key := range slices.Sorted(maps.Keys(e.objects)) {
		u := e.objects[key]
		if strings.HasPrefix(key, plural+"/"+namespace) && (namespace == "" || u.GetNamespace() == namespace) && selector.Matches(labels.Set(u.GetLabels())) {
			items = append(items, u.Object)
		}
	}
	answer(w, http.StatusOK, map[string]any{
		"apiVersion": e.group + "/v1", "kind": extensionKinds()[plural] + "List",
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(e.version)}, "items": items,
	})
}

func (e *extension) create(w http.ResponseWriter, r *http.Request, plural, namespace string, dryRun bool) {
	sent, ok := read(w, r)
	if !ok {
		return
	}
	key := plural + "/" + namespace + "/" + sent.GetName()
	if e.objects[key] != nil {
		refuse(w, http.StatusConflict, metav1.StatusReasonAlreadyExists, sent.GetName()+" already exists")
		return
	}
	sent.SetUID(uuid.NewUUID())
	sent.SetNamespace(namespace)
	sent.SetCreationTimestamp(metav1.NewTime(time.Now()))
	e.store(w, http.StatusCreated, key, sent, dryRun)
}

func (e *extension) update(w http.ResponseWriter, r *http.Request, key string, live *unstructured.Unstructured, dryRun bool) {
	sent, ok := read(w, r)
	if !ok {
		return
	}
	other := sent.GetUID() != "" && sent.GetUID() != live.GetUID()
	if other || sent.GetResourceVersion() != "" && sent.GetResourceVersion() != live.GetResourceVersion() {
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
		return
	}
	sent.SetUID(live.GetUID())
	sent.SetCreationTimestamp(live.GetCreationTimestamp())
	e.store(w, http.StatusOK, key, sent, dryRun)
}

// store puts the server's default in, refuses nonsense, and keeps the object.
func (e *extension) store(w http.ResponseWriter, code int, key string, u *unstructured.Unstructured, dryRun bool) {
	if weight, _, _ := unstructured.NestedFloat64(u.Object, "spec", "weight"); weight < 0 {
		status := metav1.Status{Details: &metav1.StatusDetails{Group: e.group, Name: u.GetName(), Causes: []metav1.StatusCause{
			{Type: metav1.CauseTypeFieldValueInvalid, Field: "spec.weight", Message: "Invalid value: must be 0 or more"},
		}}}
		refuseWith(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "spec.weight: must be 0 or more", status)
		return
	}
	if _, ok, _ := unstructured.NestedString(u.Object, "spec", "size"); !ok {
		_ = unstructured.SetNestedField(u.Object, "small", "spec", "size") // spec is a map or absent
	}
	version := e.version + 1
	u.SetResourceVersion(strconv.Itoa(version))
	if !dryRun {
		e.version, e.objects[key] = version, u
	}
	answer(w, code, u.Object)
}

func read(w http.ResponseWriter, r *http.Request) (*unstructured.Unstructured, bool) {
	u := &unstructured.Unstructured{}
	if err := json.NewDecoder(r.Body).Decode(&u.Object); err != nil {
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "this server reads JSON only: "+err.Error())
		return nil, false
	}
	return u, true
}

func refuse(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string) {
	refuseWith(w, code, reason, message, metav1.Status{})
}

func refuseWith(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string, status metav1.Status) {
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	status.Status, status.Code, status.Reason, status.Message = metav1.StatusFailure, code, reason, message
	answer(w, int(code), status)
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // a client that went away
}
