package e2e

import "k8s.io/apimachinery/pkg/runtime/schema"

var customResourceDefinitions = resourceOf("apiextensions.k8s.io/v1/customresourcedefinitions")

// editedKinds are the kinds of the oracle; group is that of the test's own kinds.
func editedKinds(group string) []editedKind {
	return []editedKind{
		configMaps(), secretObjects(), serviceAccounts(), claims(), quotas(), limitRanges(), priorityClasses(),
		services(), networkPolicies(), ingresses(),
		deployments(), statefulSets(), daemonSets(), jobs(), cronJobs(), autoscaling(), disruptionBudgets(),
		roles(), roleBindings(), clusterRoles(), validatingWebhooks(), crds(group),
		gadgets(group), gizmos(group),
	}
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

func secretObjects() editedKind {
	return editedKind{
		prefix: "secret", resource: resourceOf("v1/secrets"),
		template: `{"apiVersion":"v1","kind":"Secret","data":{"a":"MQ=="},"stringData":{"b":"2"}}`,
		edits: metadata(
			set("data/a", "MQ==", "Mg==", "", nil),
			set("data/c", "MQ==", "Mw==", nil),
			set("stringData/b", "2", "3", "", nil),
			set("stringData/a", "1", "2", nil),
			set("stringData", nil, m{}),
			set("immutable", false, nil),
		),
	}
}

func serviceAccounts() editedKind {
	return editedKind{
		prefix: "account", resource: resourceOf("v1/serviceaccounts"),
		template: `{"apiVersion":"v1","kind":"ServiceAccount","imagePullSecrets":[{"name":"a"}]}`,
		edits: metadata(
			set("automountServiceAccountToken", true, false, nil),
			set("imagePullSecrets", list(), nil),
			item("imagePullSecrets", "name", m{"name": "a"}, m{"name": "b"}),
			item("secrets", "name", m{"name": "a"}, m{"name": "b", "namespace": "c"}),
		),
	}
}

// claims can't be changed much.
func claims() editedKind {
	return editedKind{
		prefix: "claim", resource: resourceOf("v1/persistentvolumeclaims"),
		template: `{"apiVersion":"v1","kind":"PersistentVolumeClaim","spec":{"storageClassName":"","accessModes":["ReadWriteOnce"],
			"resources":{"requests":{"storage":"1Gi"}}}}`,
		edits: metadata(
			set("metadata/finalizers", list("kubernetes.io/pvc-protection"), nil),
			set("spec/resources/requests/storage", "1Gi", "1024Mi"),
			set("spec/volumeMode", "Filesystem", nil),
		),
	}
}

// quotas are too high to matter.
func quotas() editedKind {
	return editedKind{
		prefix: "quota", resource: resourceOf("v1/resourcequotas"),
		template: `{"apiVersion":"v1","kind":"ResourceQuota","spec":{"hard":{"count/leases.coordination.k8s.io":"1k"}}}`,
		edits: metadata(
			set("spec/hard/count~1leases.coordination.k8s.io", "1k", "1000", "2k", nil),
			set("spec/hard/services.loadbalancers", "100", "0.1k", "200", nil),
			set("spec/hard/persistentvolumeclaims", "500", int64(500), nil),
		),
	}
}

func limitRanges() editedKind {
	return editedKind{
		prefix: "limits", resource: resourceOf("v1/limitranges"),
		template: `{"apiVersion":"v1","kind":"LimitRange","spec":{"limits":[{"type":"PersistentVolumeClaim","max":{"storage":"100Gi"}}]}}`,
		edits: metadata(
			set("spec/limits/0/max/storage", "100Gi", "102400Mi", "200Gi"),
			set("spec/limits/0/min/storage", "1", "1000m", nil),
			set("spec/limits", list(), list(m{"type": "PersistentVolumeClaim", "max": m{"storage": "1Ti"}}),
				list(m{"type": "PersistentVolumeClaim", "max": m{"storage": "1Ti"}}, m{"type": "Pod", "max": m{"memory": "1Ti"}})),
		),
	}
}

func priorityClasses() editedKind {
	return editedKind{
		prefix: "priority", cluster: true, resource: resourceOf("scheduling.k8s.io/v1/priorityclasses"),
		template: `{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","value":5}`,
		edits: metadata(
			set("description", "some", "other", "", nil),
			set("globalDefault", false, nil),
			set("preemptionPolicy", "PreemptLowerPriority", nil),
		),
	}
}

func roles() editedKind {
	return editedKind{
		prefix: "role", resource: resourceOf("rbac.authorization.k8s.io/v1/roles"),
		template: `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]}`,
		edits:    metadata(rules()...),
	}
}

func rules() []edit {
	pods := m{"apiGroups": list(""), "resources": list("pods"), "verbs": list("get", "list")}
	return []edit{
		set("rules/0/verbs", list("get", "list"), list("list", "get"), list("*")),
		set("rules/0/resourceNames", list("a"), list(), nil),
		set("rules", list(), nil, list(pods), list(pods, m{"apiGroups": list("apps"), "resources": list("deployments"), "verbs": list("get")})),
	}
}

func roleBindings() editedKind {
	subject := m{"kind": "ServiceAccount", "name": "a"}
	return editedKind{
		prefix: "binding", resource: resourceOf("rbac.authorization.k8s.io/v1/rolebindings"),
		template: `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",
			"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"a"},"subjects":[{"kind":"ServiceAccount","name":"a","namespace":"b"}]}`,
		edits: metadata(
			set("subjects", list(), nil),
			set("subjects", list(subject), list(subject, m{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "b"}), list(m{"kind": "User", "name": "b"})),
			set("subjects/0/namespace", "b", "c"),
		),
	}
}

func clusterRoles() editedKind {
	return editedKind{
		prefix: "viewer", cluster: true, resource: resourceOf("rbac.authorization.k8s.io/v1/clusterroles"),
		template: `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]}`,
		edits:    metadata(append(rules(), set("rules/0/nonResourceURLs", nil))...),
	}
}

// validatingWebhooks are never called: no resource is of their group.
func validatingWebhooks() editedKind {
	webhook := func(name string, more m) m {
		body := m{
			"name": name + ".example.com", "admissionReviewVersions": list("v1"), "sideEffects": "None",
			"clientConfig": m{"url": "https://127.0.0.1:1/"},
		}
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	const first = "webhooks/0/"
	return editedKind{
		prefix: "webhook", cluster: true, resource: resourceOf("admissionregistration.k8s.io/v1/validatingwebhookconfigurations"),
		template: `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","webhooks":[{"name":"a.example.com",
			"admissionReviewVersions":["v1"],"sideEffects":"None","clientConfig":{"service":{"namespace":"default","name":"none"}},
			"rules":[{"apiGroups":["none.example.com"],"apiVersions":["v1"],"operations":["CREATE"],"resources":["nothing"]}]}]}`,
		edits: metadata(
			set(first+"failurePolicy", "Ignore", "Fail", nil),
			set(first+"timeoutSeconds", int64(10), int64(5), nil),
			set(first+"matchPolicy", "Equivalent", "Exact", nil),
			set(first+"clientConfig/caBundle", "Q0E=", nil),
			set(first+"clientConfig/service/path", "/", "/x", nil),
			set(first+"clientConfig/service/port", int64(443), int64(8443), nil),
			set(first+"namespaceSelector", m{}, m{"matchLabels": m{"a": "b"}}, nil),
			set(first+"rules/0/scope", "*", "Namespaced", nil),
			set(first+"rules/0/operations", list("CREATE"), list("CREATE", "UPDATE"), list("UPDATE", "CREATE")),
			set(first+"matchConditions", list(), list(m{"name": "a", "expression": "true"}), nil),
			item("webhooks", "name", webhook("b", nil), webhook("b", m{"failurePolicy": "Fail"}), webhook("c", m{"timeoutSeconds": int64(1)})),
		),
	}
}
