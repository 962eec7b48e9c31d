package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listOf is one page as built-in kinds send it: items without a kind.
func listOf(token string, names ...string) http.HandlerFunc {
	var items []string
	for _, n := range names {
		items = append(items, fmt.Sprintf(`{"metadata":{"name":%q},"n":9007199254740993}`, n))
	}
	return answer(200, fmt.Sprintf(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":%q},"items":[%s]}`, token, strings.Join(items, ",")))
}

func TestListReadsAllPages(t *testing.T) {
	server := play(listOf("t1", "a", "b"), listOf("t2", "c", "d"), listOf("", "e"))
	c := connectTo(t, server)
	got, err := c.Collect(t.Context(), configMaps, ListOptions{Namespace: "shop", Limit: 2})
	require.NoError(t, err)
	assert.Equal(t, "42", got.ResourceVersion)

	var names []string
	for _, o := range got.Items {
		names = append(names, o.GetName())
		assert.Equal(t, configMaps.GVK, o.GroupVersionKind())
		assert.Equal(t, int64(9007199254740993), o.Object["n"])
	}
	assert.Equal(t, []string{"a", "b", "c", "d", "e"}, names)
	assert.Equal(t, []string{
		"/api/v1/namespaces/shop/configmaps?limit=2",
		"/api/v1/namespaces/shop/configmaps?continue=t1&limit=2",
		"/api/v1/namespaces/shop/configmaps?continue=t2&limit=2",
	}, uris(server))
}

func TestListOfNothing(t *testing.T) {
	for _, body := range []string{`{"kind":"ConfigMapList","metadata":{"resourceVersion":"1"},"items":null}`, `{"kind":"ConfigMapList","metadata":{},"items":[]}`} {
		got, err := connectTo(t, play(answer(200, body))).List(t.Context(), configMaps, ListOptions{})
		require.NoError(t, err)
		assert.Empty(t, got)
	}
}

// Half a list is no list.
func TestListThatBreaksOff(t *testing.T) {
	server := play(listOf("t1", "a"), refuse(403, metav1.StatusReasonForbidden, "no more"))
	got, err := connectTo(t, server).List(t.Context(), configMaps, ListOptions{})
	require.True(t, apierrors.IsForbidden(err))
	assert.Nil(t, got)
	_, err = connectTo(t, play(listOf("t1", "a"), answer(200, `{"items":{}}`))).List(t.Context(), configMaps, ListOptions{})
	assert.ErrorContains(t, err, "list ConfigMap: decode the server's answer")
}

func TestListExpired(t *testing.T) {
	expired := refuse(410, metav1.StatusReasonExpired, "the provided continue parameter is too old")
	server := play(listOf("t1", "a"), expired, listOf("", "a", "b", "c"))
	got, err := connectTo(t, server).List(t.Context(), configMaps, ListOptions{Limit: 1})
	require.NoError(t, err)
	assert.Len(t, got, 3, "begun anew, nothing twice")
	assert.Equal(t, "/api/v1/configmaps", uris(server)[2], "in one page, which can't expire")

	server = play(listOf("t1", "a"), expired)
	_, err = connectTo(t, server).List(t.Context(), configMaps, ListOptions{Limit: 1})
	require.True(t, apierrors.IsResourceExpired(err))
	assert.Equal(t, 3, server.count())
}

func TestListMetadataOnly(t *testing.T) {
	server := play(answer(200, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}]}`))
	got, err := connectTo(t, server).List(t.Context(), configMaps, ListOptions{MetadataOnly: true})
	require.NoError(t, err)
	require.Len(t, got, 1)
	assert.Equal(t, configMaps.GVK, got[0].GroupVersionKind())
	assert.Equal(t, mediaMetadataList, server.seen[0].Header.Get("Accept"))
}

func uris(s *script) []string {
	var all []string
	for _, r := range s.seen {
		all = append(all, r.RequestURI)
	}
	return all
}
