package cluster

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func fromYAML(t *testing.T, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	body, err := object.DecodeJSON(data)
	require.NoError(t, err)
	return body
}

func TestLiveDiscovery(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	deployments := mustMap(t, c, "apps", "Deployment", "v1")
	assert.Equal(t, "deployments", deployments.GVR.Resource)
	assert.True(t, deployments.Namespaced && deployments.HasStatus() && deployments.Can("patch"))
	assert.False(t, mustMap(t, c, "", "ConfigMap", "v1").HasStatus())
	assert.False(t, mustMap(t, c, "rbac.authorization.k8s.io", "ClusterRole", "").Namespaced)
	assert.Equal(t, []string{"GET /api", "GET /apis"}, withoutQuery(g.take()))

	_, err := c.Mapping(t.Context(), groupKind("policy", "PodDisruptionBudget"), "v1beta1")
	var miss *ErrNoKind
	require.ErrorAs(t, err, &miss)
	assert.Equal(t, []string{"v1"}, miss.Served)
	_, err = c.Mapping(t.Context(), groupKind("policy", "Nothing"), "v1")
	require.ErrorAs(t, err, &miss)
	assert.Equal(t, []string{"GET /api", "GET /apis"}, withoutQuery(g.take()), "one refresh for both misses")
}

func TestLiveVersionUIDAndFlowControl(t *testing.T) {
	t.Parallel()
	c := live(t)
	v, err := c.ServerVersion(t.Context())
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(v.GitVersion, "v1."), v.GitVersion)
	uid, err := c.ClusterUID(t.Context())
	require.NoError(t, err)
	assert.Len(t, uid, 36)
	assert.True(t, c.throttle.off.Load(), "the server has flow control, so ours is off")

	nobody := "nobody"
	stranger := live(t, func(o *Options) { flagsOf(o).Impersonate = &nobody })
	uid, err = stranger.ClusterUID(t.Context())
	require.NoError(t, err)
	assert.Empty(t, uid)
	_, err = stranger.List(t.Context(), mustMap(t, stranger, "", "Secret", "v1"), ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}

func TestLiveListPaging(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	ns := namespace(t, c)
	for i := range 7 {
		body := configMap(fmt.Sprintf("cm-%d", i), map[string]any{"i": fmt.Sprint(i)})
		body["metadata"].(map[string]any)["namespace"] = ns
		body["metadata"].(map[string]any)["labels"] = map[string]any{"paged": "yes"}
		_, err := c.Apply(t.Context(), configMaps, body, ApplyOptions{})
		require.NoError(t, err)
	}
	g.take()
	full, err := c.List(t.Context(), configMaps, ListOptions{Namespace: ns, LabelSelector: "paged=yes", Limit: 3})
	require.NoError(t, err)
	assert.Len(t, g.take(), 3)
	require.Len(t, full, 7)
	var names []string
	for _, o := range full {
		names = append(names, o.GetName())
		assert.Equal(t, configMaps.GVK, o.GroupVersionKind())
		assert.Contains(t, o.Object, "data")
	}
	assert.True(t, sort.StringsAreSorted(names), "%v", names)

	metadata, err := c.List(t.Context(), configMaps, ListOptions{Namespace: ns, LabelSelector: "paged=yes", MetadataOnly: true})
	require.NoError(t, err)
	assert.Len(t, g.take(), 1)
	require.Len(t, metadata, 7)
	for i, o := range metadata {
		assert.NotContains(t, o.Object, "data")
		assert.Equal(t, configMaps.GVK, o.GroupVersionKind())
		assert.Equal(t, full[i].GetResourceVersion(), o.GetResourceVersion())
		assert.Equal(t, full[i].GetUID(), o.GetUID())
		assert.Equal(t, full[i].GetLabels(), o.GetLabels())
		assert.Equal(t, full[i].GetCreationTimestamp(), o.GetCreationTimestamp())
		assert.NotEmpty(t, o.GetManagedFields()) // who wrote it is part of a proof
	}
	one, err := c.List(t.Context(), configMaps, ListOptions{Namespace: ns, FieldSelector: "metadata.name=cm-3"})
	require.NoError(t, err)
	assert.Len(t, one, 1)
	none, err := c.List(t.Context(), configMaps, ListOptions{Namespace: ns, LabelSelector: "paged=no"})
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestLiveSchema(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	deployment, err := c.Schema(t.Context(), deploymentKind)
	require.NoError(t, err)
	containers := at(deployment, "spec", "template", "spec", "containers")
	assert.Equal(t, []string{"name"}, containers.ListMapKeys())
	assert.Equal(t, "TCP", at(containers, "[]", "ports").KeyDefault("protocol"))
	assert.True(t, at(containers, "[]", "resources", "requests", "cpu").IsQuantity())
	assert.True(t, at(deployment, "spec", "strategy", "rollingUpdate", "maxUnavailable").IsIntOrString())
	assert.True(t, at(deployment, "spec", "selector").MapAtomic())

	service, err := c.Schema(t.Context(), schema.GroupVersionKind{Version: "v1", Kind: "Service"})
	require.NoError(t, err)
	assert.Equal(t, []string{"port", "protocol"}, at(service, "spec", "ports").ListMapKeys())
	assert.Equal(t, "TCP", at(service, "spec", "ports").KeyDefault("protocol"))
	assert.True(t, at(service, "spec", "selector").MapAtomic())
	assert.True(t, at(service, "spec", "ports", "[]", "targetPort").IsIntOrString())
	assert.Len(t, slices.Compact(g.take()), 3, "the hashes and two documents; a read may be repeated")

	nothing, err := c.Schema(t.Context(), schema.GroupVersionKind{Group: "nope.example", Version: "v1", Kind: "X"})
	require.NoError(t, err)
	assert.Nil(t, nothing)
	assert.Empty(t, g.take())
}

func TestLiveSchemaOfCRD(t *testing.T) {
	t.Parallel()
	c := live(t)
	gadgets := installGadgets(t, c)
	var s *Schema
	require.Eventually(t, func() bool {
		c.InvalidateDiscovery()
		var err error
		s, err = c.Schema(t.Context(), gadgets.GVK)
		require.NoError(t, err)
		return s != nil
	}, 20*time.Second, 100*time.Millisecond, "it is published a moment after the kind is served")
	spec := s.Field("spec")
	assert.Equal(t, []string{"port", "protocol"}, spec.Field("endpoints").ListMapKeys())
	assert.Equal(t, "TCP", spec.Field("endpoints").KeyDefault("protocol"))
	assert.Equal(t, ListSet, spec.Field("tags").ListType())
	assert.True(t, spec.Field("maybe").Nullable())
	assert.True(t, spec.Field("whole").MapAtomic())
	assert.True(t, spec.Field("free").PreserveUnknown())
	assert.True(t, spec.Field("port").IsIntOrString())
	assert.Equal(t, ListMap, at(s, "metadata", "ownerReferences").ListType())
}

// A CRD that goes away takes its kind with it, and nobody takes that for an
// empty list.
func TestLiveKindDisappears(t *testing.T) {
	t.Parallel()
	c := live(t)
	gadgets := installGadgets(t, c)
	crds := mustMap(t, c, "apiextensions.k8s.io", "CustomResourceDefinition", "v1")
	require.NoError(t, c.Delete(t.Context(), crds, "", "gadgets."+gadgets.GVK.Group, DeleteOptions{}))
	var noKind *ErrNoKind
	require.Eventually(t, func() bool {
		_, err := c.List(t.Context(), gadgets, ListOptions{})
		return errors.As(err, &noKind)
	}, 20*time.Second, 100*time.Millisecond)
	_, err := c.Get(t.Context(), gadgets, "default", "a")
	require.ErrorAs(t, err, &noKind)
	assert.False(t, apierrors.IsNotFound(err))
	require.Eventually(t, func() bool {
		c.InvalidateDiscovery()
		_, err := c.List(t.Context(), gadgets, ListOptions{}) // forgets what discovery said
		require.Error(t, err)
		_, err = c.Mapping(t.Context(), gadgets.GVK.GroupKind(), "v1")
		return errors.As(err, &noKind)
	}, 20*time.Second, 200*time.Millisecond)
}

// Case K01: an APIService whose service does not exist.
func TestLiveBrokenAPIService(t *testing.T) {
	t.Parallel()
	c := live(t)
	group := fmt.Sprintf("broken%x.demo.example", time.Now().UnixNano())
	services := mustMap(t, c, "apiregistration.k8s.io", "APIService", "v1")
	_, err := c.Apply(t.Context(), services, fromYAML(t, `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.`+group+`}
spec:
  group: `+group+`
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: not-there, namespace: default}
`), ApplyOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { remove(t, services, "", "v1."+group) })

	var broken *ErrUnavailable
	require.Eventually(t, func() bool {
		c.InvalidateDiscovery()
		_, err = c.Mapping(t.Context(), groupKind(group, "Thing"), "v1")
		return errors.As(err, &broken)
	}, 20*time.Second, 200*time.Millisecond, "%v", err)
	assert.Equal(t, group, broken.GroupVersion.Group)
	_, err = c.Mapping(t.Context(), groupKind(group, "Thing"), "")
	require.ErrorAs(t, err, &broken)

	fresh := live(t)
	mustMap(t, fresh, "apps", "Deployment", "v1")
	_, err = fresh.List(t.Context(), mustMap(t, fresh, "", "ConfigMap", "v1"), ListOptions{Namespace: "default"})
	require.NoError(t, err)
	_, err = fresh.Schema(t.Context(), deploymentKind)
	require.NoError(t, err)
	var miss *ErrNoKind
	_, err = fresh.Mapping(t.Context(), groupKind("apps", "Thing"), "v1")
	require.ErrorAs(t, err, &miss)

	unknown := Mapping{GVR: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "things"}, GVK: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Thing"}}
	_, err = fresh.Get(t.Context(), unknown, "", "a")
	require.ErrorAs(t, err, &miss, "a resource nobody serves, in a group that is served")

	// With a mapping from better days the server itself answers.
	stale := Mapping{GVR: schema.GroupVersionResource{Group: group, Version: "v1", Resource: "things"}, GVK: schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Thing"}}
	start := time.Now()
	_, err = fresh.List(t.Context(), stale, ListOptions{})
	require.ErrorAs(t, err, &broken)
	assert.Less(t, time.Since(start), 10*time.Second)
}

func TestLiveWatch(t *testing.T) {
	t.Parallel()
	c := live(t)
	ns := namespace(t, c)
	apply := func(name, value string) {
		t.Helper()
		body := configMap(name, map[string]any{"k": value})
		body["metadata"].(map[string]any)["namespace"] = ns
		_, err := c.Apply(t.Context(), configMaps, body, ApplyOptions{})
		require.NoError(t, err)
	}
	apply("before", "1")
	all, err := c.Collect(t.Context(), configMaps, ListOptions{Namespace: ns, FieldSelector: "metadata.name!=kube-root-ca.crt"})
	require.NoError(t, err)
	require.Len(t, all.Items, 1)
	o := ListOptions{FieldSelector: "metadata.name!=kube-root-ca.crt", ResourceVersion: all.ResourceVersion}
	w, err := c.Watch(t.Context(), configMaps, ns, o)
	require.NoError(t, err)
	defer func() { w.Stop() }()
	apply("after", "1")
	apply("before", "2")
	require.NoError(t, c.Delete(t.Context(), configMaps, ns, "after", DeleteOptions{}))

	var got []string
	deadline := time.After(time.Minute)
	for len(got) < 3 {
		select {
		case e, open := <-w.ResultChan():
			if !open { // a busy server ends watches as it likes
				w, err = c.Watch(t.Context(), configMaps, ns, o)
				require.NoError(t, err)
				continue
			}
			object, ok := e.Object.(*unstructured.Unstructured)
			require.True(t, ok, "%v", e)
			o.ResourceVersion = object.GetResourceVersion()
			assert.Equal(t, configMaps.GVK, object.GroupVersionKind())
			if e.Type != watch.Bookmark {
				got = append(got, string(e.Type)+" "+object.GetName())
			}
		case <-deadline:
			t.Fatalf("only %v", got)
		}
	}
	assert.Equal(t, []string{"ADDED after", "MODIFIED before", "DELETED after"}, got)

	metadata, err := c.Watch(t.Context(), configMaps, ns, ListOptions{MetadataOnly: true})
	require.NoError(t, err)
	defer metadata.Stop()
	event := <-metadata.ResultChan()
	first, ok := event.Object.(*unstructured.Unstructured)
	require.True(t, ok, "%v", event)
	assert.NotContains(t, first.Object, "data")
	assert.Equal(t, configMaps.GVK, first.GroupVersionKind())
}

func withoutQuery(requests []string) []string {
	for i, r := range requests {
		requests[i], _, _ = strings.Cut(r, "?")
	}
	return requests
}
