package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/api"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/bundle"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/schedule"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/packages/values"
)

// known are facts that a test states. Those of a real cluster are asked in the script
// packages-admission.
type known struct {
	packages []string
	versions map[string]*api.ApplicationPackageVersion
	cluster  schedule.Facts
	modules  map[string]string
	warnings []string
	refused  error
	asked    bool // whether the loaded package was asked
	broken   error
}

func (k *known) HasPackage(_ context.Context, name string) (bool, error) {
	for _, p := range k.packages {
		if p == name {
			return true, k.broken
		}
	}
	return false, k.broken
}

func (k *known) Version(_ context.Context, name string) (*api.ApplicationPackageVersion, error) {
	return k.versions[name], nil
}

func (k *known) Requirements(_ string, r bundle.Requirements) schedule.Decision {
	return schedule.Decide(r, k.cluster, k.modules)
}

func (k *known) Live(context.Context, string, string, map[string]any, values.Change) ([]string, bool, error) {
	k.asked = true
	return k.warnings, true, k.refused
}

// store is a version of the package store with a schema and requirements.
func store(version string) *api.ApplicationPackageVersion {
	v := &api.ApplicationPackageVersion{ObjectMeta: metav1.ObjectMeta{Name: "main-store-" + version}}
	v.Status.Conditions = []metav1.Condition{{Type: api.ConditionMetadataLoaded, Status: metav1.ConditionTrue}}
	v.Status.PackageSchemas = &api.PackageSchemas{SettingsSchema: &api.PackageSchema{OpenAPIV3Schema: &runtime.RawExtension{Raw: []byte(
		`{"type":"object","properties":{"replicas":{"type":"integer","default":1},"class":{"type":"string","x-deckhouse-immutable":true},"zone":{"type":"string","default":"a","x-deckhouse-immutable":true},"password":{"type":"string","format":"password"}},
		"x-deckhouse-validations":[{"expression":"self.replicas < 10","message":"at most 9 replicas"}]}`)}}}
	v.Status.PackageMetadata = &api.PackageMetadata{Requirements: &api.PackageRequirements{
		Kubernetes: &api.VersionConstraint{Constraint: ">= 1.30"},
		Modules:    &api.ModuleRequirements{Mandatory: []api.ModuleRequirement{{Name: "ingress", Constraint: ">= 1.2"}}},
	}}
	return v
}

func facts() *known {
	return &known{
		packages: []string{"store"},
		versions: map[string]*api.ApplicationPackageVersion{"main-store-v1.0.0": store("v1.0.0"), "main-store-v1.1.0": store("v1.1.0")},
		cluster:  schedule.Facts{Kubernetes: "v1.31.0", Bootstrapped: true}, modules: map[string]string{"ingress": "v1.2.3"},
	}
}

func shop(change ...func(*api.Application)) *api.Application {
	a := &api.Application{
		ObjectMeta: metav1.ObjectMeta{Namespace: "demo", Name: "shop"},
		Spec:       api.ApplicationSpec{PackageName: "store", PackageVersion: "v1.0.0", PackageRepositoryName: "main"},
	}
	for _, c := range change {
		c(a)
	}
	return a
}

func settings(text string) func(*api.Application) {
	return func(a *api.Application) { a.Spec.Settings = &runtime.RawExtension{Raw: []byte(text)} }
}

func applied(text string) func(*api.Application) {
	return func(a *api.Application) {
		a.Status.LastAppliedConfiguration = &runtime.RawExtension{Raw: []byte(text)}
		a.Status.CurrentVersion = &api.CurrentVersion{Version: "v1.0.0"}
	}
}

func version(v string) func(*api.Application) {
	return func(a *api.Application) { a.Spec.PackageVersion = v }
}

func TestJudge(t *testing.T) {
	long := func(a *api.Application) { a.Name = "a123456789012345678901234" }
	for _, c := range []struct {
		name   string
		facts  func(*known)
		r      Request
		want   []string // parts of the refusal; none: it is allowed
		warned bool
	}{
		{"all is well", nil, Request{New: shop(settings(`{"replicas":2}`))}, nil, false},
		{"A1 a name of 25 characters", nil, Request{New: shop(long)}, []string{"at most 24", "found 25"}, false},
		{"A2 no package", func(k *known) { k.packages = nil }, Request{New: shop()}, []string{"spec.packageName", `"store"`}, false},
		{"A2 no version", nil, Request{New: shop(version("v9.0.0"))}, []string{"spec.packageVersion", "main-store-v9.0.0"}, false},
		{"A2 a draft (complaint 23)", func(k *known) {
			k.versions["main-store-v1.0.0"].Labels = map[string]string{api.LabelDraft: ""}
			k.versions["main-store-v1.0.0"].Status.Conditions = []metav1.Condition{{Type: api.ConditionMetadataLoaded, Status: metav1.ConditionFalse, Reason: "GetImageError", Message: "no /version"}}
		}, Request{New: shop()}, []string{"is a draft", "GetImageError: no /version"}, false},
		{"A2 metadata isn't loaded", func(k *known) { k.versions["main-store-v1.0.0"].Status.Conditions = nil }, Request{New: shop()}, []string{"metadata is loaded"}, false},
		{"A3 a setting that isn't declared (complaint 20)", nil, Request{New: shop(settings(`{"replica":2}`))}, []string{"spec.settings", "replica", "forbidden"}, false},
		{"A3 a wrong type, without its value", nil, Request{New: shop(settings(`{"password":12345678}`))}, []string{"password", "wanted string"}, false},
		{"A3 a rule", nil, Request{New: shop(settings(`{"replicas":10}`))}, []string{"at most 9 replicas"}, false},
		{"A3 no object", nil, Request{New: shop(settings(`[1]`))}, []string{"spec.settings", "JSON object"}, false},
		{"A3 an immutable field (complaint 21)", nil, Request{Old: shop(applied(`{"class":"a"}`)), New: shop(settings(`{"class":"b"}`))}, []string{"class"}, false},
		{"A3 an immutable field that had its default, before the first apply", nil, Request{Old: shop(), New: shop(settings(`{"zone":"b"}`))}, []string{"zone"}, false},
		{"A3 an immutable field that has its default still", nil, Request{Old: shop(), New: shop(settings(`{"zone":"a"}`))}, nil, false},
		{"A3 an immutable field, with a new version", nil, Request{Old: shop(applied(`{"class":"a"}`)), New: shop(version("v1.1.0"), settings(`{"class":"b"}`))}, []string{"class"}, false},
		{"A3 the package itself refuses (complaint 22)", func(k *known) { k.refused = errors.New("replicas cannot be 0") }, Request{Old: shop(), New: shop(settings(`{"replicas":0}`))}, []string{"replicas cannot be 0"}, false},
		{"A3 the package itself remarks (complaint 22)", func(k *known) { k.warnings = []string{"even number"} }, Request{Old: shop(), New: shop(settings(`{"replicas":2}`))}, nil, true},
		{"A4 Kubernetes", func(k *known) { k.cluster.Kubernetes = "v1.29.1" }, Request{New: shop()}, []string{"kubernetes", ">= 1.30", "1.29.1"}, false},
		{"A4 no module", func(k *known) { k.modules = nil }, Request{New: shop()}, []string{"ingress", "not enabled"}, false},
		{"A4 a module's version", func(k *known) { k.modules["ingress"] = "v1.1.0" }, Request{New: shop()}, []string{"ingress", ">= 1.2", "1.1.0"}, false},
		{"A4 again with another version", func(k *known) { k.modules = nil }, Request{Old: shop(), New: shop(version("v1.1.0"))}, []string{"ingress"}, false},
		{"a suspended application can be changed", func(k *known) { k.modules = nil }, Request{Old: shop(), New: shop(settings(`{"replicas":2}`))}, nil, false},
		{"a change of metadata alone", func(k *known) { k.packages = nil }, Request{Old: shop(), New: shop(func(a *api.Application) { a.Finalizers = []string{"x"} })}, nil, false},
		{"one that is being deleted", func(k *known) { k.packages = nil }, Request{Old: shop(), New: shop(settings(`{}`), func(a *api.Application) {
			a.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		})}, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := facts()
			if c.facts != nil {
				c.facts(f)
			}
			got, err := Judge(t.Context(), f, c.r)
			require.NoError(t, err)
			if c.want == nil {
				assert.Empty(t, got.Refused)
			}
			for _, part := range c.want {
				assert.Contains(t, got.Refused, part)
			}
			assert.NotContains(t, got.Refused, "12345678")
			assert.Equal(t, c.warned, len(got.Warnings) > 0)
		})
	}
}

func TestLiveIsAskedOnlyOfTheRunningVersion(t *testing.T) {
	f := facts()
	_, err := Judge(t.Context(), f, Request{Old: shop(), New: shop(version("v1.1.0"))})
	require.NoError(t, err)
	assert.False(t, f.asked)
	_, err = Judge(t.Context(), f, Request{Old: shop(), New: shop(settings(`{"replicas":2}`))})
	require.NoError(t, err)
	assert.True(t, f.asked)
}

// review asks the handler as an API server does.
func review(t *testing.T, f Facts, operation admissionv1.Operation, old, now any) (int, *admissionv1.AdmissionResponse) {
	t.Helper()
	raw := func(v any) runtime.RawExtension {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return runtime.RawExtension{Raw: data}
	}
	data, err := json.Marshal(&admissionv1.AdmissionReview{Request: &admissionv1.AdmissionRequest{
		UID: "u", Kind: metav1.GroupVersionKind{Group: api.Group, Version: "v1alpha1", Kind: api.KindApplication},
		Operation: operation, Namespace: "demo", Object: raw(now), OldObject: raw(old),
	}})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	Handler(f).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, Path, bytes.NewReader(data)))
	var answered admissionv1.AdmissionReview
	if w.Code == http.StatusOK {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answered))
	}
	return w.Code, answered.Response
}

func TestHandler(t *testing.T) {
	_, r := review(t, facts(), admissionv1.Create, nil, shop())
	assert.True(t, r.Allowed)
	assert.Equal(t, "u", string(r.UID))
	_, r = review(t, facts(), admissionv1.Create, nil, shop(version("v9.0.0")))
	assert.False(t, r.Allowed)
	assert.Equal(t, int32(http.StatusForbidden), r.Result.Code)
	_, r = review(t, facts(), admissionv1.Delete, shop(), nil)
	assert.True(t, r.Allowed, "deletions are never refused")
	broken := facts()
	broken.broken = errors.New("the API server doesn't answer")
	_, r = review(t, broken, admissionv1.Create, nil, shop())
	assert.False(t, r.Allowed)
	assert.Equal(t, int32(http.StatusInternalServerError), r.Result.Code)

	w := httptest.NewRecorder()
	Handler(facts()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, Path, bytes.NewReader([]byte("no"))))
	assert.Equal(t, http.StatusBadRequest, w.Code)
}
