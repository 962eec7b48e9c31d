package cluster

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	liveSame  = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"9","managedFields":[{"time":"t1"}]},"data":{"k":"v"}}`
	rehearsed = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"9","managedFields":[{"time":"t2"}]},"data":{"k":"v"}}`
	liveOther = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"9"},"data":{"k":"somebody else's"}}`
)

// The connection is cut after the write, the repetition is refused, and the
// object decides.
func TestLostWriteIsChecked(t *testing.T) {
	conflict := refuse(409, metav1.StatusReasonConflict, "the object has been modified")
	exists := refuse(409, metav1.StatusReasonAlreadyExists, "already exists")
	write := map[string]func(*testing.T, *Client) (string, error){
		"apply": func(t *testing.T, c *Client) (string, error) {
			body := configMap("a", map[string]any{"k": "v"})
			body["metadata"].(map[string]any)["resourceVersion"] = "8"
			got, err := c.Apply(t.Context(), configMaps, body, ApplyOptions{Force: true})
			return versionOf(got), err
		},
		"create": func(t *testing.T, c *Client) (string, error) {
			got, err := c.Create(t.Context(), configMaps, configMap("a", map[string]any{"k": "v"}), WriteOptions{})
			return versionOf(got), err
		},
		"update": func(t *testing.T, c *Client) (string, error) {
			got, err := c.Update(t.Context(), configMaps, configMap("a", map[string]any{"k": "v"}), WriteOptions{})
			return versionOf(got), err
		},
	}
	refusal := map[string]http.HandlerFunc{"apply": conflict, "create": exists, "update": conflict}
	for verb, call := range write {
		t.Run(verb+" performed", func(t *testing.T) {
			server := play(cut, refusal[verb], answer(200, liveSame), answer(200, rehearsed))
			got, err := call(t, connectTo(t, server, withClock(newHurry())))
			require.NoError(t, err)
			assert.Equal(t, "9", got, "the answer is the object as it is")

			rehearsal := server.seen[3]
			assert.Equal(t, "All", rehearsal.URL.Query().Get("dryRun"))
			assert.Equal(t, "/api/v1/namespaces/default/configmaps/a", rehearsal.URL.Path)
			if verb == "apply" {
				assert.Equal(t, http.MethodPatch, rehearsal.Method)
				assert.Equal(t, "true", rehearsal.URL.Query().Get("force"))
				assert.NotContains(t, string(server.body[3]), "resourceVersion")
			} else {
				assert.Equal(t, http.MethodPut, rehearsal.Method)
				assert.Contains(t, string(server.body[3]), `"resourceVersion":"9"`)
			}
		})
		t.Run(verb+" not performed", func(t *testing.T) {
			server := play(cut, refusal[verb], answer(200, liveOther), answer(200, rehearsed))
			_, err := call(t, connectTo(t, server, withClock(newHurry())))
			require.Error(t, err)
			assert.True(t, apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err), "%v", err)
		})
		t.Run(verb+" refused at once", func(t *testing.T) {
			server := play(refusal[verb])
			_, err := call(t, connectTo(t, server, withClock(newHurry())))
			require.Error(t, err)
			assert.Equal(t, 1, server.count(), "without doubt there is nothing to check")
		})
		t.Run(verb+" check fails", func(t *testing.T) {
			server := play(cut, refusal[verb], answer(200, liveSame), refuse(400, metav1.StatusReasonBadRequest, "webhook does not support dry run"))
			_, err := call(t, connectTo(t, server, withClock(newHurry())))
			require.Error(t, err)
			assert.True(t, apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err), "the refusal stands: %v", err)
		})
	}
}

func TestDryRunIsNeverInDoubt(t *testing.T) {
	server := play(cut, refuse(409, metav1.StatusReasonConflict, "modified"))
	c := connectTo(t, server, withClock(newHurry()))
	_, err := c.Apply(t.Context(), configMaps, configMap("a", nil), ApplyOptions{DryRun: true})
	require.True(t, apierrors.IsConflict(err))
	assert.Equal(t, 2, server.count())
}

func TestLostDeleteIsChecked(t *testing.T) {
	notFound := refuse(404, metav1.StatusReasonNotFound, `configmaps "a" not found`)
	conflict := refuse(409, metav1.StatusReasonConflict, "the UID in the precondition does not match")
	going := `{"kind":"PartialObjectMetadata","metadata":{"name":"a","uid":"u","deletionTimestamp":"2026-01-01T00:00:00Z"}}`
	other := `{"kind":"PartialObjectMetadata","metadata":{"name":"a","uid":"other"}}`
	still := `{"kind":"PartialObjectMetadata","metadata":{"name":"a","uid":"u"}}`
	tests := []struct {
		name  string
		steps []http.HandlerFunc
		ok    bool
	}{
		{"gone", []http.HandlerFunc{cut, notFound}, true},
		{"going", []http.HandlerFunc{cut, conflict, answer(200, going)}, true},
		{"another in its place", []http.HandlerFunc{cut, conflict, answer(200, other)}, true},
		{"gone in between", []http.HandlerFunc{cut, conflict, notFound}, true},
		{"changed, not deleted", []http.HandlerFunc{cut, conflict, answer(200, still)}, false},
		{"was never there", []http.HandlerFunc{notFound}, false},
		{"the check is refused", []http.HandlerFunc{cut, conflict, refuse(403, metav1.StatusReasonForbidden, "no")}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := play(tt.steps...)
			c := connectTo(t, server, withClock(newHurry()))
			err := c.Delete(t.Context(), configMaps, "default", "a", DeleteOptions{UID: "u"})
			assert.Equal(t, tt.ok, err == nil, "%v", err)
			assert.Equal(t, len(tt.steps), server.count())
		})
	}
}

func versionOf(o *unstructured.Unstructured) string {
	if o == nil {
		return ""
	}
	return o.GetResourceVersion()
}
