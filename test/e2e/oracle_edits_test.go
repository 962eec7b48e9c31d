package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// editedKind is a kind of the oracle: how its objects begin, and what may happen
// to them. Values are from small sets, so that edits meet.
type editedKind struct {
	prefix   string
	resource schema.GroupVersionResource
	template string
	edits    []edit
}

// edit changes one thing of an object, in a way that keeps it valid, and says what.
type edit func(r *rand.Rand, body map[string]any) string

func (k editedKind) edit(r *rand.Rand, body map[string]any) string {
	return k.edits[r.IntN(len(k.edits))](r, body)
}

// set gives the field at a path one of some values; a nil removes it.
func set(path string, values ...any) edit {
	return func(r *rand.Rand, body map[string]any) string {
		value := runtime.DeepCopyJSONValue(values[r.IntN(len(values))])
		put(body, strings.Split(path, "/"), value)
		return fmt.Sprintf("%s=%v", path, value)
	}
}

// put walks maps by key, making them on the way, and lists by index. A list that
// is too short ends the walk.
func put(at any, path []string, value any) {
	switch at := at.(type) {
	case map[string]any:
		if len(path) == 1 && value == nil {
			delete(at, path[0])
			return
		}
		if len(path) == 1 {
			at[path[0]] = value
			return
		}
		if at[path[0]] == nil {
			at[path[0]] = map[string]any{}
		}
		put(at[path[0]], path[1:], value)
	case []any:
		var index int
		if _, err := fmt.Sscan(path[0], &index); err == nil && index < len(at) {
			put(at[index], path[1:], value)
		}
	}
}

// item changes a list of maps with a key: it removes the item with that key, or
// replaces it, or puts it at the end or the beginning.
func item(path, key string, items ...map[string]any) edit {
	return func(r *rand.Rand, body map[string]any) string {
		wanted := items[r.IntN(len(items))]
		old, _ := get(body, strings.Split(path, "/")).([]any)
		var kept []any
		for _, i := range old {
			// A number may be an int64 or, just decoded, a float64.
			if fmt.Sprint(i.(m)[key]) != fmt.Sprint(wanted[key]) {
				kept = append(kept, i)
			}
		}
		what := "without"
		switch choice := r.IntN(3); {
		case choice == 0 || len(kept) == 0:
			what, kept = "append", append(kept, runtime.DeepCopyJSON(wanted))
		case choice == 1:
			what, kept = "prepend", append([]any{runtime.DeepCopyJSON(wanted)}, kept...)
		}
		put(body, strings.Split(path, "/"), kept)
		return fmt.Sprintf("%s %s %v", path, what, wanted)
	}
}

func get(at any, path []string) any {
	for _, step := range path {
		switch here := at.(type) {
		case map[string]any:
			at = here[step]
		case []any:
			var index int
			if _, err := fmt.Sscan(step, &index); err != nil || index >= len(here) {
				return nil
			}
			at = here[index]
		default:
			return nil
		}
	}
	return at
}

// list is a value of a list of text.
func list(items ...any) []any { return items }

// m is a short name for what most values are made of.
type m = map[string]any

func editedKinds(group string) []editedKind {
	return []editedKind{configMaps(), services(), networkPolicies(), deployments(), gadgets(group)}
}

// metadata are the edits that every object can have.
func metadata(more ...edit) []edit {
	return append([]edit{
		set("metadata/labels/app", "a", "b"),
		set("metadata/labels/tier", "front", "back", nil),
		set("metadata/annotations/note", "x", "y", "", nil),
	}, more...)
}

func configMaps() editedKind {
	return editedKind{
		prefix:   "configmap",
		resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		template: `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","b":"2"}}`,
		edits: metadata(
			set("data/a", "1", "2", "", nil),
			set("data/b", "1", "2", "two\nlines\n", nil),
			set("data/c", "1", "2", nil),
			set("data", nil, m{}, m{"a": "1"}),
			set("binaryData/z", "AAEC", "AAED", nil),
			set("immutable", false, nil),
		),
	}
}

func services() editedKind {
	return editedKind{
		prefix:   "service",
		resource: schema.GroupVersionResource{Version: "v1", Resource: "services"},
		template: `{"apiVersion":"v1","kind":"Service","spec":{"selector":{"app":"a"},
			"ports":[{"name":"http","port":80,"targetPort":8080},{"name":"metrics","port":81,"protocol":"TCP"}]}}`,
		edits: metadata(
			set("spec/selector/app", "a", "b"),
			set("spec/selector/tier", "x", "y", nil),
			set("spec/publishNotReadyAddresses", true, false, nil),
			set("spec/internalTrafficPolicy", "Cluster", "Local", nil),
			set("spec/ports/0/targetPort", int64(8080), int64(9090), "web"),
			set("spec/ports/0/appProtocol", "http", nil),
			item("spec/ports", "port",
				m{"name": "extra", "port": int64(82)},
				m{"name": "metrics", "port": int64(81), "targetPort": int64(81)},
				m{"name": "metrics", "port": int64(81), "protocol": "TCP"}),
		),
	}
}

func networkPolicies() editedKind {
	from := list(m{"podSelector": m{"matchLabels": m{"app": "b"}}})
	return editedKind{
		prefix:   "networkpolicy",
		resource: schema.GroupVersionResource{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
		template: `{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy",
			"spec":{"podSelector":{"matchLabels":{"app":"a"}},"policyTypes":["Ingress"],"ingress":[]}}`,
		edits: metadata(
			set("spec/ingress", list(), list(m{}), list(m{"from": from}), nil),
			set("spec/ingress", list(m{"ports": list(m{"port": int64(80)})}), list(m{"ports": list(m{"port": int64(80), "protocol": "TCP"})})),
			set("spec/egress", list(), list(m{}), nil),
			set("spec/policyTypes", list("Ingress"), list("Ingress", "Egress")),
			set("spec/podSelector", m{}, m{"matchLabels": m{"app": "a"}}, m{"matchLabels": m{"app": "b"}}),
		),
	}
}

func deployments() editedKind {
	const container = "spec/template/spec/containers/0/"
	return editedKind{
		prefix:   "deployment",
		resource: schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		template: `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1,"selector":{"matchLabels":{"pod":"a"}},
			"template":{"metadata":{"labels":{"pod":"a"}},"spec":{"containers":[{"name":"web","image":"example.com/web:1",
			"args":["a","b"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],
			"ports":[{"containerPort":8080}],"resources":{"requests":{"cpu":"100m","memory":"128Mi"}}}]}}}}`,
		edits: metadata(
			set("spec/replicas", int64(0), int64(1), int64(2), nil),
			set("spec/minReadySeconds", int64(0), int64(1), nil),
			set("spec/paused", true, false, nil),
			set("spec/strategy", nil, m{"type": "RollingUpdate", "rollingUpdate": m{"maxSurge": int64(1), "maxUnavailable": "25%"}}),
			set("spec/template/metadata/annotations/restart", "1", "2", nil),
			set("spec/template/spec/nodeSelector/disk", "ssd", "hdd", nil),
			set("spec/template/spec/securityContext", m{}, m{"runAsUser": int64(1000)}, nil),
			set("spec/template/spec/terminationGracePeriodSeconds", int64(30), int64(5), nil),
			set("spec/template/spec/tolerations", list(), list(m{"key": "a", "operator": "Exists"}), nil),
			set(container+"image", "example.com/web:1", "example.com/web:2"),
			set(container+"imagePullPolicy", "Always", "IfNotPresent", nil),
			set(container+"args", list("a", "b"), list("b", "a"), list(), nil),
			set(container+"command", list("run"), nil),
			set(container+"resources/requests/cpu", "100m", "0.1", "200m", nil),
			set(container+"resources/limits/memory", "1Gi", "1024Mi", nil),
			item(container+"env", "name",
				m{"name": "A", "value": "1"}, m{"name": "A", "value": "2"}, m{"name": "B", "value": "2"}, m{"name": "C"}),
			item(container+"ports", "containerPort",
				m{"containerPort": int64(8080)}, m{"containerPort": int64(9090), "name": "metrics"},
				m{"containerPort": int64(8080), "name": "http", "protocol": "TCP"}),
			item("spec/template/spec/volumes", "name",
				m{"name": "tmp", "emptyDir": m{}}, m{"name": "tmp", "emptyDir": m{"sizeLimit": "1Gi"}}),
		),
	}
}

func gadgets(group string) editedKind {
	return editedKind{
		prefix:   "gadget",
		resource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: "gadgets"},
		template: `{"apiVersion":"` + group + `/v1","kind":"Gadget","spec":{"size":1,"tags":["a"],"set":["x"],
			"parts":[{"name":"one","count":1}],"free":{"a":1}}}`,
		edits: metadata(
			set("spec/size", int64(1), int64(2), nil),
			set("spec/color", "red", "blue", nil),
			set("spec/ratio", 0.5, int64(1), nil),
			set("spec/either", int64(80), "80", "50%", nil),
			// No empty lists and maps: where one is applied over an absent one, the
			// server makes null of it and refuses that.
			set("spec/tags", list("a"), list("a", "b"), list("b", "a"), nil),
			set("spec/set", list("x"), list("y"), list("y", "x"), nil),
			set("spec/free", m{"a": int64(1)}, m{"a": m{"deep": list(int64(1), "2", nil)}}, nil),
			set("spec/free/b", true, false, "", nil),
			set("spec/whole", m{"a": "1"}, m{"b": "2"}, nil),
			item("spec/parts", "name",
				m{"name": "one", "count": int64(1)}, m{"name": "one", "count": int64(2)}, m{"name": "two"}),
		),
	}
}

// definition is the CustomResourceDefinition of gadgets: every list type, a
// default, unknown fields, an atomic map.
func definition(group string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"gadgets.` + group + `"},
"spec":{"group":"` + group + `","scope":"Namespaced","names":{"kind":"Gadget","listKind":"GadgetList","plural":"gadgets","singular":"gadget"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
"size":{"type":"integer"},"ratio":{"type":"number"},
"color":{"type":"string","default":"red"},
"either":{"x-kubernetes-int-or-string":true},
"tags":{"type":"array","items":{"type":"string"}},
"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
"properties":{"name":{"type":"string"},"count":{"type":"integer","default":7}}}},
"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
"whole":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}}
}}}}}}]}}`
}
