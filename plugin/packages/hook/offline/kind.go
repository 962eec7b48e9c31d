package offline

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// isKind tells whether an object is of a kind in the way bindings name one: the
// kind, its plural or a short name, in any case. Without a cluster, plurals are
// formed by the rules of English and short names are those of built-in kinds.
func isKind(body map[string]any, apiVersion, kind string) bool {
	version, _ := body["apiVersion"].(string)
	return (apiVersion == "" || apiVersion == version) && isNamed(body, kind)
}

// isGroupKind is isKind for any version of the group.
func isGroupKind(body map[string]any, apiVersion, kind string) bool {
	version, _ := body["apiVersion"].(string)
	wanted, _ := schema.ParseGroupVersion(apiVersion)
	found, _ := schema.ParseGroupVersion(version)
	return (apiVersion == "" || wanted.Group == found.Group) && isNamed(body, kind)
}

func isNamed(body map[string]any, kind string) bool {
	own, _ := body["kind"].(string)
	own, kind = strings.ToLower(own), strings.ToLower(kind)
	return kind == own || kind == plural(own) || shortNames()[kind] == own
}

func plural(kind string) string {
	switch {
	case strings.HasSuffix(kind, "y") && !strings.HasSuffix(kind, "ay") && !strings.HasSuffix(kind, "ey"):
		return strings.TrimSuffix(kind, "y") + "ies"
	case strings.HasSuffix(kind, "s"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"):
		return kind + "es"
	}
	return kind + "s"
}

func shortNames() map[string]string {
	return map[string]string{
		"cm": "configmap", "ep": "endpoints", "ev": "event", "limits": "limitrange", "ns": "namespace", "no": "node",
		"pvc": "persistentvolumeclaim", "pv": "persistentvolume", "po": "pod", "rc": "replicationcontroller",
		"quota": "resourcequota", "sa": "serviceaccount", "svc": "service", "crd": "customresourcedefinition",
		"crds": "customresourcedefinition", "ds": "daemonset", "deploy": "deployment", "rs": "replicaset",
		"sts": "statefulset", "hpa": "horizontalpodautoscaler", "cj": "cronjob", "csr": "certificatesigningrequest",
		"ing": "ingress", "netpol": "networkpolicy", "pdb": "poddisruptionbudget", "pc": "priorityclass", "sc": "storageclass",
	}
}
