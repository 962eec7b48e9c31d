package cluster

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
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
	require.ErrorContains(t, err, "list ConfigMap: decode the server's answer")
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

// Metadata comes in three forms: protobuf, JSON, and whole objects from a server
// that does not know better. The result is the same.
func TestListMetadataOnly(t *testing.T) {
	deleted := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	grace := int64(30)
	list := metav1.PartialObjectMetadataList{
		ListMeta: metav1.ListMeta{ResourceVersion: "42"},
		Items: []metav1.PartialObjectMetadata{{ObjectMeta: metav1.ObjectMeta{
			Name: "a", Namespace: "shop", UID: "u", ResourceVersion: "7", Generation: 3,
			CreationTimestamp: deleted, DeletionTimestamp: &deleted, DeletionGracePeriodSeconds: &grace,
			Labels: map[string]string{"k": "v"}, Annotations: map[string]string{"k": "v"}, Finalizers: []string{"f"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n", UID: "o"}},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "m", FieldsV1: metav1.NewFieldsV1(`{"f:data":{}}`)}},
		}}},
	}
	raw, err := list.Marshal()
	require.NoError(t, err)
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"}, Raw: raw}
	data, err := envelope.Marshal()
	require.NoError(t, err)
	whole := strings.Replace(string(mustJSON(list)), `{"metadata":{"name":"a"`, `{"data":{"k":"v"},"metadata":{"name":"a"`, 1)
	require.Contains(t, whole, `"data"`)

	var results []*unstructured.Unstructured
	for name, body := range map[string]string{"protobuf": "k8s\x00" + string(data), "JSON": string(mustJSON(list)), "whole objects": whole} {
		server := play(answer(200, body))
		got, err := connectTo(t, server).Collect(t.Context(), configMaps, ListOptions{MetadataOnly: true})
		require.NoError(t, err, name)
		assert.Equal(t, "42", got.ResourceVersion)
		require.Len(t, got.Items, 1, name)
		assert.Equal(t, mediaMetadataList, server.seen[0].Header.Get("Accept"))
		results = append(results, got.Items[0])
	}
	assert.Equal(t, results[0], results[1])
	assert.Equal(t, results[0], results[2])
	o := results[0]
	assert.Equal(t, configMaps.GVK, o.GroupVersionKind())
	assert.Equal(t, "u", string(o.GetUID()))
	assert.Equal(t, int64(3), o.GetGeneration())
	assert.True(t, o.GetDeletionTimestamp().Equal(&deleted))
	assert.Equal(t, []metav1.ManagedFieldsEntry{{Manager: "m"}}, o.GetManagedFields())
	assert.Len(t, o.Object, 3)
}

func TestListMetadataBroken(t *testing.T) {
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Status"}}
	other, err := envelope.Marshal()
	require.NoError(t, err)
	envelope = runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "PartialObjectMetadataList"}, Raw: []byte{0xff}}
	garbage, err := envelope.Marshal()
	require.NoError(t, err)
	for _, body := range []string{"k8s\x00", "k8s\x00\xff\xff", "k8s\x00" + string(other), "k8s\x00" + string(garbage)} {
		_, err := connectTo(t, play(answer(200, body))).List(t.Context(), configMaps, ListOptions{MetadataOnly: true})
		require.ErrorContains(t, err, "list ConfigMap: decode the server's answer", "%q", body)
	}
}

func uris(s *script) []string {
	var all []string
	for _, r := range s.seen {
		all = append(all, r.RequestURI)
	}
	return all
}
