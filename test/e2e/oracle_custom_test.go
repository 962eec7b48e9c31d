package e2e

import "fmt"

// definitions are the test's own kinds: gadgets with every type of list and map that
// a schema knows, and gizmos, which live in no namespace and have a status.
func definitions(group string) []string {
	return []string{
		definition(group, "gadget", "Namespaced", "", `"size":{"type":"integer","format":"int64"},"ratio":{"type":"number"},
			"color":{"type":"string","default":"red"},
			"either":{"x-kubernetes-int-or-string":true},
			"maybe":{"type":"string","nullable":true},
			"nothing":{"type":"object","nullable":true,"properties":{"a":{"type":"string"}}},
			"tags":{"type":"array","items":{"type":"string"}},
			"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
			"numbers":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"integer"}},
			"records":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","default":"x"}}}},
			"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
			"properties":{"name":{"type":"string"},"count":{"type":"integer","default":7},
			"inner":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["key"],"items":{"type":"object","required":["key"],
			"properties":{"key":{"type":"string"},"value":{"type":"string"},"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}}}}}}}},
			"ports":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port","protocol"],"items":{"type":"object","required":["port"],
			"properties":{"port":{"type":"integer"},"protocol":{"type":"string","default":"TCP"},"name":{"type":"string"}}}},
			"settings":{"type":"object","default":{},"properties":{"mode":{"type":"string","default":"on"},"level":{"type":"integer"}}},
			"lists":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}},
			"free":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
			"object":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true},
			"whole":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}}`),
		definition(group, "gizmo", "Cluster", `"subresources":{"status":{}},`, `"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"integer"},"d":{"type":"boolean","default":true}}}`),
	}
}

func definition(group, name, scope, subresources, properties string) string {
	kind := string(name[0]-32) + name[1:]
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"` + name + `s.` + group + `"},
"spec":{"group":"` + group + `","scope":"` + scope + `","names":{"kind":"` + kind + `","listKind":"` + kind + `List","plural":"` + name + `s","singular":"` + name + `"},
"versions":[{"name":"v1","served":true,"storage":true,` + subresources + `"schema":{"openAPIV3Schema":{"type":"object","properties":{
"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"spec":{"type":"object","properties":{` + properties + `}}}}}}]}}`
}

// gadgets: no edit puts an empty list or map where there is none, see
// docs/diff-oracle.md.
func gadgets(group string) editedKind {
	return editedKind{
		prefix: "gadget", resource: resourceOf(group + "/v1/gadgets"),
		template: `{"apiVersion":"` + group + `/v1","kind":"Gadget","spec":{"size":1,"tags":["a"],"set":["x"],
			"parts":[{"name":"one","count":1}],"ports":[{"port":80},{"port":80,"protocol":"UDP"}],"free":{"a":1}}}`,
		edits: metadata(
			set("spec/size", int64(1), int64(2), int64(9007199254740993), int64(9007199254740992), nil),
			set("spec/color", "red", "blue", nil),
			set("spec/ratio", 0.5, int64(1), 1e21, nil),
			set("spec/either", int64(80), "80", "50%", nil),
			set("spec/maybe", "a", "b", nil),
			set("spec/nothing", m{"a": "1"}, m{"a": "2"}, nil),
			set("spec/tags", list("a"), list("a", "b"), list("b", "a"), list("a", "a"), nil),
			set("spec/set", list("x"), list("y"), list("y", "x"), nil),
			set("spec/numbers", list(int64(1)), list(int64(2), int64(1)), list(int64(1), int64(2)), nil),
			set("spec/records", list(m{"a": "1"}), list(m{"a": "1", "b": "x"}), list(m{"a": "1", "b": "y"}, m{"a": "2"}), nil),
			set("spec/settings/mode", "on", "off", nil),
			set("spec/settings/level", int64(1), int64(2), nil),
			set("spec/lists/a", list("1"), list("1", "2"), nil),
			set("spec/lists/b", list("1"), list("2"), nil),
			set("spec/free", m{"a": int64(1)}, m{"a": m{"deep": list(int64(1), "2", nil)}}, nil),
			set("spec/free/b", true, false, "", nil),
			set("spec/object", m{"apiVersion": "v1", "kind": "Thing", "metadata": m{"name": "a"}, "x": int64(1)}, m{"apiVersion": "v1", "kind": "Thing", "x": int64(2)}, nil),
			set("spec/whole", m{"a": "1"}, m{"b": "2"}, m{"a": "1", "b": "2"}, nil),
			item("spec/parts", "name",
				m{"name": "one", "count": int64(1)}, m{"name": "one", "count": int64(2)}, m{"name": "two"},
				m{"name": "one", "inner": list(m{"key": "a", "value": "1"})},
				m{"name": "one", "inner": list(m{"key": "b", "set": list("1", "2")}, m{"key": "a", "value": "2"})}),
			item("spec/ports", "port,protocol",
				m{"port": int64(80)}, m{"port": int64(80), "protocol": "UDP", "name": "dns"}, m{"port": int64(80), "protocol": "UDP"},
				m{"port": int64(81), "protocol": "SCTP"}),
		),
	}
}

func gizmos(group string) editedKind {
	return editedKind{
		prefix: "gizmo", cluster: true, resource: resourceOf(group + "/v1/gizmos"),
		template: `{"apiVersion":"` + group + `/v1","kind":"Gizmo","spec":{"a":"1"}}`,
		edits: metadata(
			set("spec/a", "1", "2", nil),
			set("spec/b/c", int64(1), int64(2), nil),
			set("spec/b/d", true, false, nil),
			set("spec/b", m{"c": int64(3)}, nil),
		),
	}
}

// crds are definitions as objects: nobody uses their kinds.
func crds(group string) editedKind {
	const version = "spec/versions/0/"
	return editedKind{
		prefix: "crd", cluster: true, resource: customResourceDefinitions,
		template: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"` + group + `","scope":"Namespaced",
			"names":{"kind":"K","plural":"k"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
			"properties":{"spec":{"type":"object","properties":{"a":{"type":"string"}}}}}}}]}}`,
		named: func(body map[string]any, seed uint64) string {
			plural := fmt.Sprintf("things%d", seed)
			put(body, []string{"spec", "names"}, m{"kind": fmt.Sprintf("Thing%d", seed), "plural": plural})
			return plural + "." + group
		},
		edits: metadata(
			set("spec/names/shortNames", list("a"), list("a", "b"), list("b", "a"), nil),
			set("spec/names/categories", list("x"), list("y"), nil),
			set("spec/preserveUnknownFields", false, nil),
			set("spec/conversion", nil, m{"strategy": "None"}),
			set(version+"served", true, false),
			set(version+"deprecated", true, false, nil),
			set(version+"schema/openAPIV3Schema/description", "some", "other", "", nil),
			set(version+"schema/openAPIV3Schema/properties/spec/properties/a/enum", list("1"), list("1", "2"), nil),
			set(version+"schema/openAPIV3Schema/properties/spec/properties/b", nil, m{"type": "integer", "minimum": int64(1)}, m{"type": "number", "minimum": 0.5}),
			set(version+"schema/openAPIV3Schema/properties/spec/required", list("a"), list(), nil),
			set(version+"additionalPrinterColumns", nil, list(), list(m{"name": "A", "type": "string", "jsonPath": ".spec.a"}),
				list(m{"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": int64(1)})),
			set(version+"subresources", nil, m{}, m{"status": m{}}, m{"scale": m{"specReplicasPath": ".spec.r", "statusReplicasPath": ".status.r"}}),
			set(version+"selectableFields", nil, list(m{"jsonPath": ".spec.a"})),
			item("spec/versions", "name", m{"name": "v2", "served": false, "storage": false, "schema": m{"openAPIV3Schema": m{"type": "object"}}},
				m{"name": "v2", "served": true, "storage": false, "schema": m{"openAPIV3Schema": m{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}),
		),
	}
}
