package build

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// scopes answers from the CRDs of the input first, then from the Scoper, asking
// it once a kind.
type scopes struct {
	local map[schema.GroupKind]bool
	asked map[schema.GroupVersionKind]scope
	other Scoper
}

type scope struct {
	namespaced, known bool
	err               error
}

func newScopes(results []Result, s Scoper) scopes {
	all := scopes{local: map[schema.GroupKind]bool{}, asked: map[schema.GroupVersionKind]scope{}, other: s}
	for _, r := range results {
		for _, o := range r.Objects {
			if gk, namespaced, ok := defines(o); ok {
				all.local[gk] = namespaced
			}
		}
	}
	return all
}

// defines reads the kind that a CRD defines and its scope. Not ok for anything
// that is no CRD, or one that the server will refuse anyway.
func defines(o object.Object) (gk schema.GroupKind, namespaced, ok bool) {
	gvk := o.GVK()
	if gvk.Group != "apiextensions.k8s.io" || gvk.Kind != "CustomResourceDefinition" {
		return gk, false, false
	}
	gk.Group, _, _ = unstructured.NestedString(o.Body, "spec", "group")
	gk.Kind, _, _ = unstructured.NestedString(o.Body, "spec", "names", "kind")
	where, _, _ := unstructured.NestedString(o.Body, "spec", "scope")
	return gk, where == "Namespaced", gk.Kind != "" && where != ""
}

func (s scopes) namespaced(gvk schema.GroupVersionKind) (namespaced, known bool, err error) {
	if namespaced, known := s.local[gvk.GroupKind()]; known {
		return namespaced, true, nil
	}
	if s.other == nil {
		return false, false, nil
	}
	answer, asked := s.asked[gvk]
	if !asked {
		answer.namespaced, answer.known, answer.err = s.other.Namespaced(gvk.GroupKind(), gvk.Version)
		s.asked[gvk] = answer
	}
	return answer.namespaced, answer.known, answer.err
}

// Builtin is a Scoper for the kinds that every Kubernetes server has, for builds
// without a cluster. It knows no kind of a CRD or an aggregated API.
type Builtin struct{}

// Namespaced answers for any version of a built-in kind.
func (Builtin) Namespaced(gk schema.GroupKind, _ string) (namespaced, known bool, err error) {
	clusterScoped, known := builtinGroups()[gk.Group]
	all := slices.Equal(clusterScoped, []string{"*"})
	return known && !all && !slices.Contains(clusterScoped, gk.Kind), known, nil
}

// builtinGroups lists the API groups of the server with their cluster-scoped
// kinds; "*" stands for all.
func builtinGroups() map[string][]string {
	return map[string][]string{
		"":                             {"ComponentStatus", "Namespace", "Node", "PersistentVolume"},
		"admissionregistration.k8s.io": {"*"},
		"apiextensions.k8s.io":         {"*"},
		"apiregistration.k8s.io":       {"*"},
		"apps":                         {},
		"authentication.k8s.io":        {"*"},
		"authorization.k8s.io":         {"SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"},
		"autoscaling":                  {},
		"batch":                        {},
		"certificates.k8s.io":          {"CertificateSigningRequest", "ClusterTrustBundle"},
		"coordination.k8s.io":          {},
		"discovery.k8s.io":             {},
		"events.k8s.io":                {},
		"extensions":                   {},
		"flowcontrol.apiserver.k8s.io": {"*"},
		"internal.apiserver.k8s.io":    {"*"},
		"networking.k8s.io":            {"IPAddress", "IngressClass", "ServiceCIDR"},
		"node.k8s.io":                  {"*"},
		"policy":                       {"PodSecurityPolicy"},
		"rbac.authorization.k8s.io":    {"ClusterRole", "ClusterRoleBinding"},
		"resource.k8s.io":              {"DeviceClass", "DeviceTaintRule", "ResourcePoolStatusRequest", "ResourceSlice"},
		"scheduling.k8s.io":            {"PriorityClass"},
		"storage.k8s.io":               {"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"},
		"storagemigration.k8s.io":      {"*"},
	}
}
