package chaos

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// hook is an admission webhook that lets everything through, after a while for the
// first calls.
type hook struct {
	server *httptest.Server
	slow   atomic.Int32
	calls  atomic.Int32
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{}
	h.server = httptest.NewTLSServer(http.HandlerFunc(h.admit))
	t.Cleanup(h.server.Close)
	return h
}

func (h *hook) admit(w http.ResponseWriter, r *http.Request) {
	h.calls.Add(1)
	if h.slow.Add(-1) >= 0 {
		select {
		case <-time.After(3 * time.Second): // the configuration gives it one
		case <-r.Context().Done():
		}
	}
	var review struct {
		Request struct {
			UID string `json:"uid"`
		} `json:"request"`
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.Request.UID)
}

// configuration calls the hook for the ConfigMaps of a namespace.
func (h *hook) configuration(name, namespace string) string {
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.server.Certificate().Raw})
	return fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":%q},
		"webhooks":[{"name":"hook.chaos.example","admissionReviewVersions":["v1"],"sideEffects":"None","timeoutSeconds":1,"failurePolicy":"Fail",
		"clientConfig":{"url":%q,"caBundle":%q},
		"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":%q}},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],"resources":["configmaps"]}]}]}`,
		name, h.server.URL, base64.StdEncoding.EncodeToString(ca), namespace)
}

// webhooks: one that is slow at first is waited for; one that never answers is an
// error with its name, until it is gone.
func webhooks(t *testing.T, w *world) {
	gvr := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
	remove := func(name string) {
		require.NoError(t, w.client.Resource(gvr).Delete(t.Context(), name, metav1.DeleteOptions{}))
	}
	h := newHook(t)
	w.create(t, gvr, h.configuration("slow", w.id))
	require.Eventually(t, func() bool { // the server reads its configuration now and then
		_ = w.poke(t) // refused or not, it calls
		return h.calls.Load() > 0
	}, time.Minute, 100*time.Millisecond)
	h.slow.Store(4)
	w.must(t, w.apply(w.write(t, "one.yaml", many(10, "one")), "--timeout", "1m")...)
	assert.Less(t, h.slow.Load(), int32(1), "the slow calls were made")
	remove("slow")

	gone := newHook(t)
	w.create(t, gvr, gone.configuration("gone", w.id))
	require.Eventually(t, func() bool { _ = w.poke(t); return gone.calls.Load() > 0 }, time.Minute, 100*time.Millisecond)
	gone.server.Close()
	three := w.write(t, "three.yaml", many(10, "three"))
	o := w.prepare(t, w.apply(three, "--timeout", "2s")...).run(t)
	assert.NotZero(t, o.code)
	assert.Contains(t, o.text, "hook.chaos.example")
	remove("gone")
	require.Eventually(t, func() bool { return w.poke(t) == nil }, time.Minute, 100*time.Millisecond)
	w.recover(t, three)
	assert.Len(t, w.snapshot(t).Entries, 10)
}

// poke asks the server to admit a ConfigMap, without making one.
func (w *world) poke(t *testing.T) error {
	t.Helper()
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	u := &unstructured.Unstructured{}
	require.NoError(t, u.UnmarshalJSON([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"poke-"}}`)))
	_, err := w.client.Resource(gvr).Namespace(w.id).Create(t.Context(), u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
