package plan

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

const (
	groupApps         = "apps"
	groupRBAC         = "rbac.authorization.k8s.io"
	groupRegistration = "apiregistration.k8s.io"
	groupAdmission    = "admissionregistration.k8s.io"
)

// afterNamespace puts objects after their namespace. A deleted namespace thus
// waits until what the record lists in it is really gone.
func afterNamespace(s *orderSide) {
	for _, i := range s.members {
		ns := s.objects[i].Ref.Namespace
		if ns == "" {
			continue
		}
		s.linkRef(i, object.Ref{Kind: "Namespace", Name: ns}, Edge{Need: NeedReady, Hard: true, Why: "its namespace"})
	}
}

// afterDefinition puts custom objects after the CustomResourceDefinition or the
// APIService that serves them.
func afterDefinition(s *orderSide) {
	kinds, groups, services := definitions(s)
	for _, i := range s.members {
		o := s.objects[i]
		if object.BuiltIn(o.Ref.Group) {
			linkNamesake(s, kinds, i)
			continue
		}
		crd, ok := kinds[o.Ref.GroupKind()]
		if !ok {
			crd, ok = groups[o.Ref.Group]
		}
		if ok {
			s.link(i, Edge{On: crd, Need: NeedReady, Hard: true, Why: "its CustomResourceDefinition"})
		}
		if at, ok := services[o.Ref.Group]; ok {
			s.link(i, Edge{On: at, Need: NeedReady, Hard: true, Why: "the APIService of its group"})
		}
	}
}

// linkNamesake puts a second definition of a kind after the first one. They
// can't both be established; which one is should not be left to chance.
func linkNamesake(s *orderSide, kinds map[schema.GroupKind]int, i int) {
	if s.objects[i].Ref.GroupKind() != crdKind {
		return
	}
	if first, ok := kinds[kindDefinedBy(s.body(i))]; ok && first < i {
		s.link(i, Edge{On: first, Need: NeedReady, Why: "another definition of its kind"})
	}
}

// kindDefinedBy is the kind that a CustomResourceDefinition brings.
func kindDefinedBy(crd map[string]any) schema.GroupKind {
	return schema.GroupKind{Group: textAt(crd, "spec", "group"), Kind: textAt(crd, "spec", "names", "kind")}
}

// definitions finds what serves which kinds. groups holds definitions of which
// only the name is known, as when a deletion was listed by metadata alone.
func definitions(s *orderSide) (kinds map[schema.GroupKind]int, groups, services map[string]int) {
	kinds, groups, services = map[schema.GroupKind]int{}, map[string]int{}, map[string]int{}
	for _, i := range s.members {
		ref, body := s.objects[i].Ref, s.body(i)
		switch {
		case ref.GroupKind() == crdKind:
			if gk := kindDefinedBy(body); gk.Kind != "" {
				if _, twice := kinds[gk]; !twice {
					kinds[gk] = i
				}
			} else if _, group, ok := strings.Cut(ref.Name, "."); ok {
				groups[group] = i
			}
		case ref.Group == groupRegistration && ref.Kind == "APIService":
			// The name is version.group; a service is named only where the group
			// is not served by the API server itself.
			if _, group, ok := strings.Cut(ref.Name, "."); ok && mapAt(body, "spec", "service") != nil {
				services[group] = i
			}
		}
	}
	return kinds, groups, services
}

// afterStorage puts claims, and what makes claims, after classes and volumes.
func afterStorage(s *orderSide) {
	const name = "storage classes and volumes"
	for _, i := range s.members {
		switch ref := s.objects[i].Ref; {
		case ref.Group == "storage.k8s.io", ref.Group == "" && ref.Kind == "PersistentVolume":
			s.link(s.group(name), Edge{On: i})
		case ref.Group == "" && ref.Kind == "PersistentVolumeClaim", isWorkload(ref):
			s.link(i, Edge{On: s.group(name), Why: "storage comes before what claims it"})
		}
	}
}

// afterConfiguration puts workloads after the configuration of their namespace
// and after what holds for the whole cluster.
func afterConfiguration(s *orderSide) {
	const wide = "cluster-wide configuration"
	for _, i := range s.members {
		ref := s.objects[i].Ref
		name := "configuration of namespace " + ref.Namespace
		switch {
		case isConfiguration(ref):
			s.link(s.group(name), Edge{On: i})
		case ref.Group == "scheduling.k8s.io", ref.Group == "node.k8s.io":
			s.link(s.group(wide), Edge{On: i})
		case isWorkload(ref):
			s.link(i, Edge{On: s.group(name), Why: "configuration comes before workloads"})
			s.link(i, Edge{On: s.group(wide), Why: "configuration comes before workloads"})
		}
	}
}

// isConfiguration tells what a Pod may meet when it starts: values to read,
// names to resolve, limits and policies to hold to.
func isConfiguration(ref object.Ref) bool {
	switch ref.Group {
	case "":
		switch ref.Kind {
		case "ConfigMap", "Secret", "ServiceAccount", "ResourceQuota", "LimitRange", "Service", "PersistentVolumeClaim":
			return true
		}
	case "networking.k8s.io":
		return ref.Kind == "NetworkPolicy"
	}
	return false
}

// afterAccess puts bindings after the role they grant, which the API server
// looks up to prevent escalation, and workloads after all access rights.
func afterAccess(s *orderSide) {
	const name = "access rights"
	for _, i := range s.members {
		ref := s.objects[i].Ref
		switch {
		case ref.Group == groupRBAC:
			s.link(s.group(name), Edge{On: i})
			role := mapAt(s.body(i), "roleRef")
			if role == nil {
				continue
			}
			to := object.Ref{Group: groupRBAC, Kind: textAt(role, "kind"), Name: textAt(role, "name")}
			if to.Kind == "Role" {
				to.Namespace = ref.Namespace
			}
			s.linkRef(i, to, Edge{Hard: true, Why: "the role that it binds"})
		case isWorkload(ref):
			s.link(i, Edge{On: s.group(name), Why: "access rights come before workloads"})
		}
	}
}

// isWorkload tells what makes Pods.
func isWorkload(ref object.Ref) bool {
	switch ref.Group {
	case "":
		return ref.Kind == "Pod" || ref.Kind == "ReplicationController"
	case groupApps:
		return ref.Kind == "Deployment" || ref.Kind == "StatefulSet" || ref.Kind == "DaemonSet" || ref.Kind == "ReplicaSet"
	case "batch":
		return ref.Kind == "Job" || ref.Kind == "CronJob"
	default:
		return false
	}
}
