package plan

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/config"
	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// orderInput reads documents as objects to be applied, in their order.
func orderInput(t testing.TB, text string) []*Object {
	t.Helper()
	set, err := object.Load(strings.NewReader(text), "test.yaml")
	require.NoError(t, err)
	var out []*Object
	for _, o := range set.Objects {
		out = append(out, &Object{Ref: o.Ref(), Desired: o, Op: OpCreate})
	}
	return out
}

// orderDeletions reads documents as objects to be deleted.
func orderDeletions(t testing.TB, text string) []*Object {
	t.Helper()
	out := orderInput(t, text)
	for _, o := range out {
		o.Op, o.Live, o.Desired = OpDelete, o.Desired.Body, object.Object{}
	}
	return out
}

func orderFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// sequenceOf names the objects in the order found.
func sequenceOf(t testing.TB, objects []*Object) []string {
	t.Helper()
	g, err := Order(objects, nil)
	require.NoError(t, err)
	var names []string
	for _, i := range g.Sequence {
		names = append(names, objects[i].Ref.Kind+" "+objects[i].Ref.Name)
	}
	return names
}

// edgesOf describes the edges of one object, those to groups by the group's name.
func edgesOf(g Graph, objects []*Object, name string) []string {
	at := slices.IndexFunc(objects, func(o *Object) bool { return o.Ref.Kind+" "+o.Ref.Name == name })
	return nodeEdges(g, objects, at)
}

func groupEdges(g Graph, objects []*Object, group string) []string {
	at := slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Group == group })
	if at < 0 {
		return []string{"no group " + group}
	}
	return nodeEdges(g, objects, at)
}

func nodeEdges(g Graph, objects []*Object, at int) []string {
	var out []string
	for _, e := range g.Nodes[at].After {
		target := g.Nodes[e.On].Group
		if o := g.Nodes[e.On].Object; o >= 0 {
			target = objects[o].Ref.Kind + " " + objects[o].Ref.Name
		}
		if e.Need >= NeedReady {
			target += ", ready"
		}
		if e.Hard {
			target += ", hard"
		}
		out = append(out, target)
	}
	return out
}

func TestOrderOfTheWorstInput(t *testing.T) {
	objects := orderInput(t, orderFile(t, "testdata/order/reversed.yaml"))
	assert.Equal(t, []string{
		"CustomResourceDefinition orders.demo.example", "Namespace fresh",
		"Order first", "ServiceAccount shop", "Deployment shop",
	}, sequenceOf(t, objects))

	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"Namespace fresh, ready, hard", "CustomResourceDefinition orders.demo.example, ready, hard",
	}, edgesOf(g, objects, "Order first"))
	assert.Equal(t, []string{
		"Namespace fresh, ready, hard", "storage classes and volumes",
		"configuration of namespace fresh", "cluster-wide configuration", "access rights",
		"ServiceAccount shop, hard",
	}, edgesOf(g, objects, "Deployment shop"))
}

func TestOrderKeepsTheInputsOrderAmongFreeObjects(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}}
`)
	assert.Equal(t, []string{"ConfigMap c", "ConfigMap a", "ConfigMap b"}, sequenceOf(t, objects))
}

func TestOrderOfTiers(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: x}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: reads, namespace: x}, roleRef: {kind: Role, name: read}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: read, namespace: x}}
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: x}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: p}
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: elsewhere}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1}
`)
	assert.Equal(t, []string{
		"Role read", "RoleBinding reads", "StorageClass fast",
		"ResourceQuota q", "ConfigMap other", "PriorityClass high",
		"PersistentVolumeClaim data", "StatefulSet db",
	}, sequenceOf(t, objects))

	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Role read, hard"}, edgesOf(g, objects, "RoleBinding reads"))
	assert.NotContains(t, edgesOf(g, objects, "StatefulSet db"), "configuration of namespace elsewhere",
		"configuration of another namespace is no concern")
}

func TestOrderClusterRoleOfABindingInANamespace(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: b, namespace: x}, roleRef: {kind: ClusterRole, name: r}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: r}}
`)
	assert.Equal(t, []string{"ClusterRole r", "RoleBinding b"}, sequenceOf(t, objects))
}

func TestOrderOfReferences(t *testing.T) {
	objects := orderInput(t, `
apiVersion: batch/v1
kind: CronJob
metadata: {name: c, namespace: x}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          serviceAccountName: sa
          priorityClassName: high
          imagePullSecrets: [{name: pull}]
          initContainers:
          - {name: i, envFrom: [{configMapRef: {name: cm1}}, {secretRef: {name: maybe, optional: true}}]}
          containers:
          - name: m
            env:
            - {name: A, valueFrom: {secretKeyRef: {name: s1, key: k}}}
            - {name: B, valueFrom: {configMapKeyRef: {name: cm1, key: k}}}
          volumes:
          - {name: a, configMap: {name: cm2}}
          - {name: b, secret: {secretName: s2}}
          - {name: c, persistentVolumeClaim: {claimName: pvc}}
          - {name: d, projected: {sources: [{configMap: {name: cm3}}, {secret: {name: s3}}]}}
          - {name: e, emptyDir: {}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa, namespace: x}}
---
{apiVersion: v1, kind: Secret, metadata: {name: maybe, namespace: x}}
---
{apiVersion: v1, kind: Secret, metadata: {name: s1, namespace: elsewhere}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1}
`)
	g, err := Order(objects, nil)
	require.NoError(t, err)
	edges := edgesOf(g, objects, "CronJob c")
	assert.Contains(t, edges, "ServiceAccount sa, hard")
	assert.Contains(t, edges, "PriorityClass high, hard")
	assert.NotContains(t, edges, "Secret maybe, hard", "optional")
	assert.NotContains(t, edges, "Secret s1, hard", "another namespace")

	pod := podSpec(objects[0].Ref, objects[0].Desired.Body)
	var names []string
	for _, ref := range podReferences(pod) {
		names = append(names, ref.Kind+" "+ref.Name)
	}
	assert.ElementsMatch(t, []string{
		"ServiceAccount sa", "Secret pull", "ConfigMap cm1", "Secret s1", "ConfigMap cm2", "Secret s2",
		"PersistentVolumeClaim pvc", "ConfigMap cm3", "Secret s3",
	}, names)
}

func TestOrderOfWebhooks(t *testing.T) {
	objects := orderInput(t, orderFile(t, "testdata/order/webhook-set.yaml"))
	assert.Equal(t, []string{
		"Service gate", "CustomResourceDefinition pools.demo.example", "Deployment gate",
		"ValidatingWebhookConfiguration gate.demo.example", "Pool main",
	}, sequenceOf(t, objects))

	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"workloads", "Service gate, hard", "Deployment gate, ready, hard",
	}, edgesOf(g, objects, "ValidatingWebhookConfiguration gate.demo.example"))
	assert.Contains(t, edgesOf(g, objects, "Pool main"), "webhooks of group demo.example, hard")
	assert.Equal(t, []string{"ValidatingWebhookConfiguration gate.demo.example, hard"},
		groupEdges(g, objects, "webhooks of group demo.example"))
}

func TestOrderOfAWebhookBehindAURL(t *testing.T) {
	objects := orderInput(t, orderFile(t, "testdata/order/loopback.yaml"))
	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"workloads"}, edgesOf(g, objects, "ValidatingWebhookConfiguration loop.demo.example"),
		"after all workloads, without waiting for any")
}

func TestOrderOfWebhooksForAllGroupsIsSoft(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: demo.example/v1, kind: Pool, metadata: {name: p, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: x}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: policy}
webhooks: [{name: a, rules: [{apiGroups: ["*", apps, ""], resources: ["*"]}]}]
`)
	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"webhooks of group *"}, edgesOf(g, objects, "Pool p"))
	assert.Empty(t, edgesOf(g, objects, "ConfigMap c"), "built-in kinds don't wait for webhooks")
}

func TestOrderOfAnAggregatedAPI(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: wide.example/v1, kind: Thing, metadata: {name: t, namespace: x}}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.wide.example}
spec: {group: wide.example, version: v1, service: {namespace: x, name: api}}
---
{apiVersion: v1, kind: Service, metadata: {name: api, namespace: x}, spec: {selector: {app: api}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: x}
spec: {template: {metadata: {labels: {app: api, more: "1"}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, namespace: x}
spec: {template: {metadata: {labels: {app: other}}}}
`)
	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"workloads", "Service api, hard", "Deployment api, ready, hard"},
		edgesOf(g, objects, "APIService v1.wide.example"))
	assert.Equal(t, []string{"APIService v1.wide.example, ready, hard"}, edgesOf(g, objects, "Thing t"))
}

func TestOrderOfConversion(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: demo.example/v1, kind: Pool, metadata: {name: p, namespace: x}}
---
{apiVersion: demo.example/v1, kind: Pool, metadata: {name: q, namespace: x}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.demo.example}
spec:
  group: demo.example
  names: {kind: Pool, plural: pools}
  conversion: {strategy: Webhook, webhook: {clientConfig: {service: {namespace: x, name: conv}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: conv, namespace: x}, spec: {selector: {app: conv}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: conv, namespace: x}, spec: {template: {metadata: {labels: {app: conv}}}}}
`)
	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Contains(t, edgesOf(g, objects, "Pool p"), "conversion of pools.demo.example")
	assert.Equal(t, []string{"Service conv", "Deployment conv, ready"}, groupEdges(g, objects, "conversion of pools.demo.example"),
		"once, for any number of objects")
}

func TestOrderOfDeletions(t *testing.T) {
	objects := orderDeletions(t, orderFile(t, "testdata/order/farewell.yaml"))
	assert.Equal(t, []string{
		"Boat b", "CustomResourceDefinition boats.demo.example",
		"Deployment d", "ServiceAccount worker", "ConfigMap c", "Namespace farewell",
	}, sequenceOf(t, objects))

	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Boat b, ready, hard"}, edgesOf(g, objects, "CustomResourceDefinition boats.demo.example"))
	assert.Contains(t, edgesOf(g, objects, "Namespace farewell"), "Boat b, ready, hard")
	assert.Contains(t, edgesOf(g, objects, "ServiceAccount worker"), "Deployment d, ready, hard")
}

func TestOrderOfDeletionsKnownByMetadataAlone(t *testing.T) {
	objects := orderDeletions(t, `
{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: boats.demo.example}}
---
{apiVersion: demo.example/v1, kind: Boat, metadata: {name: b, namespace: x}}
`)
	assert.Equal(t, []string{"Boat b", "CustomResourceDefinition boats.demo.example"}, sequenceOf(t, objects))
}

func TestOrderDeletionsComeLast(t *testing.T) {
	old := orderDeletions(t, `{apiVersion: v1, kind: Namespace, metadata: {name: old}}`)
	fresh := orderInput(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: x}}`)
	objects := append(old, fresh...)
	assert.Equal(t, []string{"Deployment d", "Namespace old"}, sequenceOf(t, objects))
	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"Deployment d, ready"}, groupEdges(g, objects, "everything that is applied"))
}

// W09: of two definitions of a kind the first in the files comes first.
func TestOrderOfTwoDefinitionsOfAKind(t *testing.T) {
	crd := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.demo.example}
spec: {group: demo.example, names: {kind: Clock, plural: %s}}
`
	objects := orderInput(t, fmt.Sprintf(crd, "watches", "watches")+"---"+fmt.Sprintf(crd, "clocks", "clocks")+
		"---\n{apiVersion: demo.example/v1, kind: Clock, metadata: {name: c, namespace: x}}")
	g, err := Order(objects, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"CustomResourceDefinition watches.demo.example, ready"},
		edgesOf(g, objects, "CustomResourceDefinition clocks.demo.example"))
	assert.Equal(t, []string{"CustomResourceDefinition watches.demo.example, ready, hard"}, edgesOf(g, objects, "Clock c"))
}

func TestOrderOfNothing(t *testing.T) {
	g, err := Order(nil, nil)
	require.NoError(t, err)
	assert.Empty(t, g.Nodes)
}

func TestOrderTakesAnythingForABody(t *testing.T) {
	for _, body := range []map[string]any{
		nil, {"spec": "text"}, {"spec": map[string]any{"template": []any{1}}}, {"webhooks": []any{"x", map[string]any{"rules": "y"}}},
	} {
		var objects []*Object
		for _, ref := range []object.Ref{
			{Group: "apps", Kind: "Deployment", Name: "a"},
			{Kind: "Pod", Name: "a"},
			{Group: "batch", Kind: "CronJob", Name: "a"},
			{Group: crdKind.Group, Kind: crdKind.Kind, Name: "a"},
			{Group: groupAdmission, Kind: "MutatingWebhookConfiguration", Name: "a"},
			{Group: groupRegistration, Kind: "APIService", Name: "a"},
			{Group: groupRBAC, Kind: "RoleBinding", Name: "a"},
		} {
			objects = append(objects,
				&Object{Ref: ref, Desired: object.Object{Body: body}},
				&Object{Ref: ref, Live: body, Op: OpDelete})
		}
		_, err := Order(objects, nil)
		assert.NoError(t, err)
	}
}

func TestOrderCycle(t *testing.T) {
	objects := orderInput(t, `
{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: behind, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: x}}
`)
	circle := orderRule{"circle", func(s *orderSide) {
		s.link(2, Edge{On: 3, Hard: true, Why: "rule one"})
		s.link(3, Edge{On: s.group("group g"), Hard: true, Why: "rule two"})
		s.link(s.group("group g"), Edge{On: 2, Hard: true})
		s.link(1, Edge{On: 2})
		s.link(1, Edge{On: 0})
	}}
	_, err := orderBy(objects, []orderRule{circle}, changeOrder{})
	var cycle *CycleError
	require.ErrorAs(t, err, &cycle)
	assert.Equal(t, "order the objects: these wait for each other in a circle: "+
		"ConfigMap x/a (rule one) -> ConfigMap x/b (rule two) -> group g -> ConfigMap x/a", err.Error())
}

func TestOrderDefaultRulesMakeNoCycle(t *testing.T) {
	objects := manyObjects(300)
	for i, o := range manyObjects(300) {
		o.Op, o.Live, o.Ref.Name = OpDelete, o.Desired.Body, fmt.Sprint("gone", i)
		objects = append(objects, o)
	}
	g, err := Order(objects, nil)
	require.NoError(t, err)
	position := map[int]int{}
	for at, i := range g.Sequence {
		position[i] = at
	}
	require.Len(t, position, len(objects))
	for i, n := range g.Nodes[:len(objects)] {
		for _, e := range n.After {
			if g.Nodes[e.On].Object >= 0 {
				assert.Less(t, position[e.On], position[i])
			}
		}
	}
}

// TestOrderIsLinear holds the number of edges: groups are there so that it stays
// a small multiple of the number of objects.
func TestOrderIsLinear(t *testing.T) {
	edges := func(n int) int {
		g, err := Order(manyObjects(n), nil)
		require.NoError(t, err)
		sum := 0
		for _, node := range g.Nodes {
			sum += len(node.After)
		}
		return sum
	}
	small, large := edges(315), edges(3150)
	assert.LessOrEqual(t, large, 8*3150)
	assert.LessOrEqual(t, large, 11*small)
}

// manyObjects mixes the kinds that have edges, in ten namespaces.
func manyObjects(n int) []*Object {
	out := make([]*Object, 0, n)
	add := func(apiVersion, kind, ns, name string, more map[string]any) {
		meta := map[string]any{"name": name}
		if ns != "" {
			meta["namespace"] = ns
		}
		body := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": meta}
		for k, v := range more {
			body[k] = v
		}
		o := object.Object{Body: body}
		if len(out) < n {
			out = append(out, &Object{Ref: o.Ref(), Desired: o, Op: OpCreate})
		}
	}
	for i := 0; len(out) < n; i++ {
		ns, id := fmt.Sprint("ns", i%10), fmt.Sprint("x", i)
		labels := map[string]any{"app": id}
		add("example.org/v1", "Kind"+fmt.Sprint(i%20), ns, id, nil)
		add("apps/v1", "Deployment", ns, id, map[string]any{"spec": map[string]any{"template": map[string]any{
			"metadata": map[string]any{"labels": labels},
			"spec":     map[string]any{"volumes": []any{map[string]any{"configMap": map[string]any{"name": id}}}},
		}}})
		add("v1", "ConfigMap", ns, id, nil)
		add("v1", "Service", ns, id, map[string]any{"spec": map[string]any{"selector": labels}})
		add("rbac.authorization.k8s.io/v1", "RoleBinding", ns, id, map[string]any{"roleRef": map[string]any{"kind": "Role", "name": id}})
		add("rbac.authorization.k8s.io/v1", "Role", ns, id, nil)
		add("v1", "PersistentVolumeClaim", ns, id, nil)
		if i < 10 {
			add("v1", "Namespace", "", ns, nil)
			add("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "", id, map[string]any{"webhooks": []any{map[string]any{
				"clientConfig": map[string]any{"service": map[string]any{"namespace": ns, "name": id}},
				"rules":        []any{map[string]any{"apiGroups": []any{"example.org"}}},
			}}})
		}
		if i < 20 {
			add("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", fmt.Sprint("kind", i, ".example.org"), map[string]any{
				"spec": map[string]any{"group": "example.org", "names": map[string]any{"kind": fmt.Sprint("Kind", i)}},
			})
		}
	}
	return out
}

func BenchmarkOrder3150(b *testing.B) {
	objects := manyObjects(3150)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Order(objects, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// An object that two manifests have is made by the first: what waits for it doesn't wait
// for the one that is refused.
func TestOrderKnowsTheTwinThatIsMade(t *testing.T) {
	space := "{apiVersion: v1, kind: Namespace, metadata: {name: x}}"
	made := object.Object{Body: parsed(t, space)}
	objects := []*Object{
		{Ref: made.Ref(), Desired: made, Op: OpCreate},
		{Ref: made.Ref(), Desired: made, Op: OpRefuse, disputed: true},
	}
	inside := object.Object{Body: parsed(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}")}
	objects = append(objects, &Object{Ref: inside.Ref(), Desired: inside, Op: OpCreate})
	rules, err := config.DefaultKappConfig()
	require.NoError(t, err)
	g, err := Order(objects, &rules)
	require.NoError(t, err)
	for _, n := range g.Nodes {
		for _, e := range n.After {
			require.NotEqual(t, 1, e.On)
		}
	}
	require.Empty(t, g.Nodes[1].After)
}
