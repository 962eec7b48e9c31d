package cluster

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// stream sends lines and then keeps the answer open until the client goes.
func stream(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, l := range lines {
			fmt.Fprintln(w, l)
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func event(kind, name, version string) string {
	return fmt.Sprintf(`{"type":%q,"object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"resourceVersion":%q},"n":9007199254740993}}`, kind, name, version)
}

func TestWatchEvents(t *testing.T) {
	server := play(stream(
		event("ADDED", "a", "1"), event("MODIFIED", "a", "2"), event("DELETED", "a", "3"),
		`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}`,
		`{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410,"message":"too old"}}`,
	))
	c := connectTo(t, server)
	w, err := c.Watch(t.Context(), configMaps, "shop", ListOptions{ResourceVersion: "42", LabelSelector: "a=b"})
	require.NoError(t, err)
	defer w.Stop()
	for _, want := range []struct {
		kind    watch.EventType
		version string
	}{{watch.Added, "1"}, {watch.Modified, "2"}, {watch.Deleted, "3"}, {watch.Bookmark, "9"}} {
		e := <-w.ResultChan()
		assert.Equal(t, want.kind, e.Type)
		o := e.Object.(*unstructured.Unstructured)
		assert.Equal(t, want.version, o.GetResourceVersion())
		assert.Equal(t, configMaps.GVK, o.GroupVersionKind())
	}
	e := <-w.ResultChan()
	assert.Equal(t, watch.Error, e.Type)
	assert.True(t, apierrors.IsResourceExpired(apierrors.FromObject(e.Object)))
	assert.Equal(t, "/api/v1/namespaces/shop/configmaps?allowWatchBookmarks=true&labelSelector=a%3Db&resourceVersion=42&watch=true", server.seen[0].RequestURI)
}

func TestWatchEnds(t *testing.T) {
	t.Run("when stopped", func(t *testing.T) {
		w, err := connectTo(t, play(stream(event("ADDED", "a", "1")))).Watch(t.Context(), configMaps, "", ListOptions{})
		require.NoError(t, err)
		<-w.ResultChan()
		w.Stop()
		w.Stop()
		assertClosed(t, w)
	})
	t.Run("when the server ends it", func(t *testing.T) {
		w, err := connectTo(t, play(answer(200, event("ADDED", "a", "1")))).Watch(t.Context(), configMaps, "", ListOptions{})
		require.NoError(t, err)
		<-w.ResultChan()
		assertClosed(t, w)
	})
	t.Run("when the connection is cut", func(t *testing.T) {
		server := func(rw http.ResponseWriter, r *http.Request) {
			fmt.Fprintln(rw, event("ADDED", "a", "1"))
			rw.(http.Flusher).Flush()
			cut(rw, r)
		}
		w, err := connectTo(t, http.HandlerFunc(server)).Watch(t.Context(), configMaps, "", ListOptions{})
		require.NoError(t, err)
		<-w.ResultChan()
		assertClosed(t, w)
	})
	t.Run("with an error event for garbage", func(t *testing.T) {
		for _, garbage := range []string{`{"type":"ADDED","object":null}`, `{"type":"ADDED","object":[]}`, `<html>`, `{"type":"ERROR","object":7}`} {
			w, err := connectTo(t, play(answer(200, garbage))).Watch(t.Context(), configMaps, "", ListOptions{})
			require.NoError(t, err)
			assert.Equal(t, watch.Error, (<-w.ResultChan()).Type, garbage)
			assertClosed(t, w)
		}
	})
}

func assertClosed(t *testing.T, w watch.Interface) {
	t.Helper()
	for {
		select {
		case _, open := <-w.ResultChan():
			if !open {
				return
			}
		case <-time.After(5 * time.Second):
			t.Fatal("the watch does not end")
		}
	}
}

func TestWatchStart(t *testing.T) {
	t.Run("is repeated", func(t *testing.T) {
		server := play(cut, after("1", refuse(429, metav1.StatusReasonTooManyRequests, "later")), stream(event("ADDED", "a", "1")))
		w, err := connectTo(t, server, withClock(newHurry())).Watch(t.Context(), configMaps, "", ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		assert.Equal(t, watch.Added, (<-w.ResultChan()).Type)
	})
	t.Run("is refused", func(t *testing.T) {
		_, err := connectTo(t, play(refuse(403, metav1.StatusReasonForbidden, "no"))).Watch(t.Context(), configMaps, "shop", ListOptions{})
		require.True(t, apierrors.IsForbidden(err))
		require.ErrorContains(t, err, "watch ConfigMap in namespace shop: no")
		_, err = connectTo(t, play(answer(200, ""))).Watch(t.Context(), configMaps, "../x", ListOptions{})
		require.Error(t, err)
	})
	t.Run("keeps the request timeout, the watch outlives it", func(t *testing.T) {
		timeout := "100ms"
		short := func(o *Options) { flagsOf(o).Timeout = &timeout }
		_, err := connectTo(t, http.HandlerFunc(hang), short).Watch(t.Context(), configMaps, "", ListOptions{})
		require.ErrorIs(t, err, errRequestTimeout)

		late := func(rw http.ResponseWriter, _ *http.Request) {
			rw.(http.Flusher).Flush()
			time.Sleep(300 * time.Millisecond)
			fmt.Fprintln(rw, event("ADDED", "a", "1"))
		}
		w, err := connectTo(t, http.HandlerFunc(late), short).Watch(t.Context(), configMaps, "", ListOptions{})
		require.NoError(t, err)
		defer w.Stop()
		assert.Equal(t, watch.Added, (<-w.ResultChan()).Type)
	})
}
