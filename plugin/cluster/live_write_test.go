package cluster

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// in puts a body into a namespace.
func in(ns string, body map[string]any) map[string]any {
	body["metadata"].(map[string]any)["namespace"] = ns
	return body
}

func withRV(body map[string]any, version string) map[string]any {
	body["metadata"].(map[string]any)["resourceVersion"] = version
	return body
}

func TestLiveApply(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	ns := namespace(t, c)
	g.take()

	would, err := c.Apply(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "1"})), ApplyOptions{DryRun: true})
	require.NoError(t, err)
	assert.NotEmpty(t, would.GetUID())
	_, err = c.Get(t.Context(), configMaps, ns, "a")
	require.True(t, isGone(err), "a dry-run creates nothing")

	made, err := c.Apply(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "1"})), ApplyOptions{})
	require.NoError(t, err)
	require.Len(t, made.GetManagedFields(), 1)
	assert.Equal(t, "tazuna", made.GetManagedFields()[0].Manager)
	assert.Equal(t, metav1.ManagedFieldsOperationApply, made.GetManagedFields()[0].Operation)

	same, err := c.Apply(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "1"})), ApplyOptions{})
	require.NoError(t, err)
	assert.Equal(t, made.GetResourceVersion(), same.GetResourceVersion())

	_, err = c.Apply(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "2"})), ApplyOptions{Manager: "rival"})
	require.True(t, apierrors.IsConflict(err))
	require.ErrorContains(t, err, `apply ConfigMap `+ns+`/a: Apply failed with 1 conflict: conflict with "tazuna": .data.k`)
	var status apierrors.APIStatus
	require.ErrorAs(t, err, &status)
	require.Len(t, status.Status().Details.Causes, 1)
	assert.Equal(t, ".data.k", status.Status().Details.Causes[0].Field)

	taken, err := c.Apply(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "2"})), ApplyOptions{Manager: "rival", Force: true})
	require.NoError(t, err)
	_, err = c.Apply(t.Context(), configMaps, withRV(in(ns, configMap("a", map[string]any{"k": "3"})), made.GetResourceVersion()), ApplyOptions{Force: true})
	require.True(t, apierrors.IsConflict(err), "an old version is refused: %v", err)
	_, err = c.Apply(t.Context(), configMaps, withRV(in(ns, configMap("a", map[string]any{"k": "3"})), taken.GetResourceVersion()), ApplyOptions{Force: true})
	require.NoError(t, err)
	// After a connection that was lost the client looks what became of a write; it
	// doesn't write twice.
	writes := slices.DeleteFunc(g.take(), func(r string) bool { return !strings.HasPrefix(r, "PATCH ") || strings.Contains(r, "dryRun=") })
	assert.Len(t, writes, 6, "one write each")

	_, err = c.Apply(t.Context(), configMaps, in(ns, map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "b"}, "dataa": "x",
	}), ApplyOptions{Validation: ValidateStrict})
	require.Error(t, err)
	require.ErrorContains(t, err, "dataa")
}

func TestLiveNumbersAndText(t *testing.T) {
	t.Parallel()
	c := live(t)
	gadgets := installGadgets(t, c)
	ns := namespace(t, c)
	gadget := func() map[string]any {
		return map[string]any{
			"apiVersion": gadgets.GVK.GroupVersion().String(), "kind": "Gadget",
			"metadata": map[string]any{"name": "g", "namespace": ns},
			"spec": map[string]any{
				"big": json.Number("9007199254740993"), "ratio": json.Number("1.10"), "maybe": nil,
				"free": map[string]any{"huge": json.Number("9223372036854775807"), "text": "\x7f \u0085 \ufeff \ufffe 😀 \u2028 <&>"},
			},
		}
	}
	got, err := c.Apply(t.Context(), gadgets, gadget(), ApplyOptions{})
	require.NoError(t, err)
	check := func(spec map[string]any) {
		t.Helper()
		assert.Equal(t, int64(9007199254740993), spec["big"])
		assert.InDelta(t, 1.1, spec["ratio"], 0)
		assert.Contains(t, spec, "maybe")
		free := spec["free"].(map[string]any)
		assert.Equal(t, int64(9223372036854775807), free["huge"])
		assert.Equal(t, gadget()["spec"].(map[string]any)["free"].(map[string]any)["text"], free["text"])
	}
	check(got.Object["spec"].(map[string]any))
	list, err := c.List(t.Context(), gadgets, ListOptions{Namespace: ns})
	require.NoError(t, err)
	require.Len(t, list, 1)
	check(list[0].Object["spec"].(map[string]any))

	updated, err := c.Update(t.Context(), gadgets, withRV(gadget(), got.GetResourceVersion()), WriteOptions{})
	require.NoError(t, err)
	check(updated.Object["spec"].(map[string]any))

	patched, err := c.Patch(t.Context(), gadgets, ns, "g", types.MergePatchType, []byte(`{"status":{"seen":9007199254740993}}`), WriteOptions{Subresource: "status"})
	require.NoError(t, err)
	assert.Equal(t, int64(9007199254740993), patched.Object["status"].(map[string]any)["seen"])
	main, err := c.Patch(t.Context(), gadgets, ns, "g", types.MergePatchType, []byte(`{"status":{"seen":1}}`), WriteOptions{})
	require.NoError(t, err)
	assert.Equal(t, int64(9007199254740993), main.Object["status"].(map[string]any)["seen"], "status has its own way in")
}

func TestLiveSecretErrors(t *testing.T) {
	t.Parallel()
	var warned collected
	c := live(t, func(o *Options) { o.Warn = warned.add })
	ns := namespace(t, c)
	const value = "correct-horse-battery"
	for name, data := range map[string]any{
		"a number":         map[string]any{"password": int64(918273645546)},
		"not base64":       map[string]any{"password": value},
		"a bad key":        map[string]any{"no spaces": base64.StdEncoding.EncodeToString([]byte(value))},
		"text in data":     value,
		"a list of values": []any{value},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := in(ns, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "s"}, "data": data})
			for verb, call := range map[string]func() error{
				"apply":  func() error { _, err := c.Apply(t.Context(), secrets, body, ApplyOptions{}); return err },
				"create": func() error { _, err := c.Create(t.Context(), secrets, body, WriteOptions{}); return err },
			} {
				err := call()
				require.Error(t, err, verb)
				t.Log(err)
				for _, text := range append(allTexts(err), warned.all()...) {
					assert.NotContains(t, text, "horse", verb)
					assert.NotContains(t, text, "918273645546", verb)
					assert.NotContains(t, text, base64.StdEncoding.EncodeToString([]byte(value))[:12], verb)
				}
			}
		})
	}
}

func TestLiveDelete(t *testing.T) {
	t.Parallel()
	c := live(t)
	ns := namespace(t, c)
	made, err := c.Create(t.Context(), configMaps, in(ns, configMap("a", nil)), WriteOptions{})
	require.NoError(t, err)
	_, err = c.Create(t.Context(), configMaps, in(ns, configMap("a", nil)), WriteOptions{})
	require.True(t, apierrors.IsAlreadyExists(err))

	require.NoError(t, c.Delete(t.Context(), configMaps, ns, "a", DeleteOptions{DryRun: true}))
	err = c.Delete(t.Context(), configMaps, ns, "a", DeleteOptions{UID: "another"})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	err = c.Delete(t.Context(), configMaps, ns, "a", DeleteOptions{ResourceVersion: "1"})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	_, err = c.Get(t.Context(), configMaps, ns, "a")
	require.NoError(t, err)
	require.NoError(t, c.Delete(t.Context(), configMaps, ns, "a", DeleteOptions{UID: made.GetUID(), ResourceVersion: made.GetResourceVersion(), Propagation: metav1.DeletePropagationBackground}))
	err = c.Delete(t.Context(), configMaps, ns, "a", DeleteOptions{})
	require.True(t, isGone(err), "%v", err)
}

// What the server says of a deletion agrees with what a look shows, also of the kinds
// that it answers with the object of.
func TestLiveRemove(t *testing.T) {
	t.Parallel()
	c := live(t)
	ns := namespace(t, c)
	core := func(kind, resource string) Mapping {
		return Mapping{Namespaced: true, GVR: schema.GroupVersionResource{Version: "v1", Resource: resource}, GVK: schema.GroupVersionKind{Version: "v1", Kind: kind}}
	}
	for _, tt := range []struct {
		m          Mapping
		finalizers []any
		spec       map[string]any
		gone       bool
	}{
		{m: core("ConfigMap", "configmaps"), gone: true},
		{m: core("ServiceAccount", "serviceaccounts"), gone: true},
		{m: core("Service", "services"), spec: map[string]any{"ports": []any{map[string]any{"port": int64(80)}}}, gone: true},
		{m: core("ConfigMap", "configmaps"), finalizers: []any{"demo.example/hold"}},
		{m: core("ServiceAccount", "serviceaccounts"), finalizers: []any{"demo.example/hold"}},
	} {
		body := map[string]any{"apiVersion": "v1", "kind": tt.m.GVK.Kind, "metadata": map[string]any{"name": "removed", "namespace": ns, "finalizers": tt.finalizers}}
		if tt.spec != nil {
			body["spec"] = tt.spec
		}
		made, err := c.Create(t.Context(), tt.m, body, WriteOptions{})
		require.NoError(t, err)
		gone, err := c.Remove(t.Context(), tt.m, ns, "removed", DeleteOptions{UID: made.GetUID()})
		require.NoError(t, err)
		assert.Equal(t, tt.gone, gone, "%s with %v", tt.m.GVK.Kind, tt.finalizers)
		_, err = c.Get(t.Context(), tt.m, ns, "removed")
		assert.Equal(t, tt.gone, isGone(err), "%s: %v", tt.m.GVK.Kind, err)
		if !tt.gone {
			_, err := c.Patch(t.Context(), tt.m, ns, "removed", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), WriteOptions{})
			require.NoError(t, err)
		}
	}
}

// The answer to a write gets lost after the server has performed it.
func TestLiveLostAnswers(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	ns := namespace(t, c)
	lose := func() { g.setDisturb(once(writes, fault{cutAfter: true})) }

	lose()
	made, err := c.Create(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "1"})), WriteOptions{})
	require.NoError(t, err)

	lose()
	updated, err := c.Update(t.Context(), configMaps, withRV(in(ns, configMap("a", map[string]any{"k": "2"})), made.GetResourceVersion()), WriteOptions{})
	require.NoError(t, err)
	assert.NotEqual(t, made.GetResourceVersion(), updated.GetResourceVersion())

	lose()
	applied, err := c.Apply(t.Context(), configMaps, withRV(in(ns, configMap("a", map[string]any{"k": "3"})), updated.GetResourceVersion()), ApplyOptions{Force: true})
	require.NoError(t, err)
	value, _, _ := metav1Nested(applied.Object, "data", "k")
	assert.Equal(t, "3", value)

	lose()
	patched, err := c.Patch(t.Context(), configMaps, ns, "a", types.MergePatchType,
		fmt.Appendf(nil, `{"metadata":{"resourceVersion":%q},"data":{"k":"4"}}`, applied.GetResourceVersion()), WriteOptions{})
	require.NoError(t, err)
	value, _, _ = metav1Nested(patched.Object, "data", "k")
	assert.Equal(t, "4", value)

	lose()
	require.NoError(t, c.Delete(t.Context(), configMaps, ns, "a", DeleteOptions{UID: patched.GetUID(), ResourceVersion: patched.GetResourceVersion()}))
	_, err = c.Get(t.Context(), configMaps, ns, "a")
	require.True(t, isGone(err))

	// With a finalizer the object stays, on its way out.
	held := in(ns, configMap("held", nil))
	held["metadata"].(map[string]any)["finalizers"] = []any{"demo.example/hold"}
	made, err = c.Create(t.Context(), configMaps, held, WriteOptions{})
	require.NoError(t, err)
	lose()
	require.NoError(t, c.Delete(t.Context(), configMaps, ns, "held", DeleteOptions{ResourceVersion: made.GetResourceVersion()}))
	_, err = c.Patch(t.Context(), configMaps, ns, "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), WriteOptions{})
	require.NoError(t, err)
}

func metav1Nested(body map[string]any, fields ...string) (any, bool, error) {
	var v any = body
	for _, f := range fields {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false, nil
		}
		v = m[f]
	}
	return v, true, nil
}

// Somebody else's change in the same moment is still a conflict.
func TestLiveLostAnswerAndARival(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	rival := live(t)
	ns := namespace(t, c)
	made, err := c.Create(t.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "1"})), WriteOptions{})
	require.NoError(t, err)
	g.setDisturb(once(writes, fault{instead: func(w http.ResponseWriter, r *http.Request) {
		_, err := rival.Update(r.Context(), configMaps, in(ns, configMap("a", map[string]any{"k": "rival"})), WriteOptions{})
		assert.NoError(t, err)
		cut(w, r)
	}}))
	_, err = c.Apply(t.Context(), configMaps, withRV(in(ns, configMap("a", map[string]any{"k": "2"})), made.GetResourceVersion()), ApplyOptions{Force: true})
	require.True(t, apierrors.IsConflict(err), "%v", err)
	now, err := c.Get(t.Context(), configMaps, ns, "a")
	require.NoError(t, err)
	value, _, _ := metav1Nested(now.Object, "data", "k")
	assert.Equal(t, "rival", value)
}

// Case K03: a server that throttles, fails and cuts, in the rhythm of the case's
// proxy, and then is away for a while.
func TestLiveUnderFire(t *testing.T) {
	t.Parallel()
	c, g := viaGateway(t, nil)
	ns := namespace(t, c)
	g.take()
	g.setDisturb(func(n int, _ *http.Request) fault {
		switch {
		case n%13 == 0:
			return fault{instead: cut}
		case n%7 == 0:
			return fault{instead: after("1", refuse(429, metav1.StatusReasonTooManyRequests, ""))}
		case n%11 == 0:
			return fault{instead: refuse(500, "", "etcdserver: leader changed")}
		case n%5 == 0:
			return fault{cutAfter: true}
		}
		return fault{}
	})
	work := c.Limiter()
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			if work.Acquire(t.Context()) != nil {
				return // seen in the count below
			}
			defer work.Release()
			_, err := c.Apply(t.Context(), configMaps, in(ns, configMap(fmt.Sprintf("many-%d", i), map[string]any{"i": fmt.Sprint(i)})), ApplyOptions{})
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	g.setDisturb(nil)
	all, err := c.List(t.Context(), configMaps, ListOptions{Namespace: ns, FieldSelector: "metadata.name!=kube-root-ca.crt"})
	require.NoError(t, err)
	assert.Len(t, all, 40)

	away := time.Now().Add(3 * time.Second)
	g.setDisturb(func(int, *http.Request) fault {
		if time.Now().Before(away) {
			return fault{instead: cut}
		}
		return fault{}
	})
	_, err = c.Apply(t.Context(), configMaps, in(ns, configMap("late", nil)), ApplyOptions{})
	require.NoError(t, err)
}

// Case I11: the server's own refusal reaches the caller at once, worded.
func TestLiveManagedFieldsOfARemovedVersion(t *testing.T) {
	t.Parallel()
	c := live(t)
	group := fmt.Sprintf("v%x.demo.example", time.Now().UnixNano())
	crds := mustMap(t, c, "apiextensions.k8s.io", "CustomResourceDefinition", "v1")
	crd := func(versions string) map[string]any {
		return fromYAML(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: olds.`+group+`}
spec:
  group: `+group+`
  scope: Cluster
  names: {kind: Old, plural: olds, singular: old}
  versions: [`+versions+`]
`)
	}
	const both = `{name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}},
    {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`
	_, err := c.Apply(t.Context(), crds, crd(both), ApplyOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { remove(t, crds, "", "olds."+group) })

	var m Mapping
	object := func(version string) map[string]any {
		return map[string]any{"apiVersion": group + "/" + version, "kind": "Old", "metadata": map[string]any{"name": "o"}, "spec": map[string]any{"a": version}}
	}
	require.Eventually(t, func() bool {
		c.InvalidateDiscovery()
		if m, err = c.Mapping(t.Context(), groupKind(group, "Old"), "v1beta1"); err != nil {
			return false
		}
		_, err = c.Apply(t.Context(), m, object("v1beta1"), ApplyOptions{})
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)

	_, err = c.Apply(t.Context(), crds, crd(both[strings.Index(both, "{name: v1,"):]), ApplyOptions{})
	require.NoError(t, err)
	c.InvalidateDiscovery()
	require.Eventually(t, func() bool {
		_, err := c.List(t.Context(), m, ListOptions{})
		return err != nil
	}, 20*time.Second, 100*time.Millisecond, "v1beta1 is still served")
	v1 := mustMap(t, c, group, "Old", "v1")
	start := time.Now()
	_, err = c.Apply(t.Context(), v1, object("v1"), ApplyOptions{})
	require.Error(t, err)
	require.ErrorContains(t, err, "apply Old."+group+" o: ")
	require.ErrorContains(t, err, "request to convert CR to an invalid group/version: "+group+"/v1beta1")
	assert.Less(t, time.Since(start), 10*time.Second, "asking again does not help")
}
