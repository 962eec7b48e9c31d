package object

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Ref is the identity of an object. The API version is left out on purpose: the
// same object served under two versions is one object. Ref is comparable and
// used as a map key.
type Ref struct {
	Group     string // "" is the core group
	Kind      string
	Namespace string // "" for cluster-scoped objects and before defaulting
	Name      string
}

// String names the object for people: "Deployment.apps default/web",
// "ConfigMap default/a", "ClusterRole.rbac.authorization.k8s.io admin".
func (r Ref) String() string {
	var b strings.Builder
	b.WriteString(r.Kind)
	if r.Group != "" {
		b.WriteString("." + r.Group)
	}
	b.WriteString(" ")
	if r.Namespace != "" {
		b.WriteString(r.Namespace + "/")
	}
	b.WriteString(r.Name)
	return b.String()
}

// GroupKind returns the kind with its group.
func (r Ref) GroupKind() schema.GroupKind {
	return schema.GroupKind{Group: r.Group, Kind: r.Kind}
}

// CompareRefs orders references by group, kind, namespace and name, bytewise.
func CompareRefs(a, b Ref) int {
	return cmp.Or(
		cmp.Compare(a.Group, b.Group),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Name, b.Name),
	)
}
