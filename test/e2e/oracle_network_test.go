package e2e

import "k8s.io/apimachinery/pkg/runtime/schema"

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

func ingresses() editedKind {
	backend := func(name string, port any) m {
		where := m{"number": port}
		if text, ok := port.(string); ok {
			where = m{"name": text}
		}
		return m{"service": m{"name": name, "port": where}}
	}
	rule := func(host string, paths ...any) m {
		return m{"host": host, "http": m{"paths": paths}}
	}
	path := func(path, kind string, backend m) m { return m{"path": path, "pathType": kind, "backend": backend} }
	return editedKind{
		prefix: "ingress", resource: resourceOf("networking.k8s.io/v1/ingresses"),
		template: `{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","spec":{"defaultBackend":{"service":{"name":"a","port":{"number":80}}}}}`,
		edits: metadata(
			set("spec/ingressClassName", "a", "b", nil),
			set("spec/defaultBackend", backend("a", int64(80)), backend("a", "http"), backend("b", int64(80))),
			set("spec/tls", list(), list(m{"hosts": list("a.example.com"), "secretName": "a"}), list(m{"secretName": "a"}), nil),
			set("spec/rules", list(), nil, list(rule("a.example.com", path("/", "Prefix", backend("a", int64(80)))))),
			set("spec/rules", list(rule("a.example.com", path("/", "Prefix", backend("a", int64(80))), path("/x", "Exact", backend("b", "http"))),
				rule("b.example.com", path("/", "Prefix", backend("b", int64(80)))))),
			set("spec/rules/0/host", "a.example.com", "c.example.com"),
		),
	}
}
