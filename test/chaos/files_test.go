package chaos

import (
	"fmt"
	"strings"
)

// before are the files of the first version: 20 objects.
func before() string {
	var b strings.Builder
	for i := range 14 {
		configMap(&b, i, "one")
	}
	for i := range 4 {
		secret(&b, i, "one")
	}
	b.WriteString(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: ID}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ID}
spec: {selector: {app: web}, ports: [{port: 80}]}
`)
	return b.String()
}

// after are those of the second: of the first, seven objects stay as they were,
// seven change and six leave; twelve come, among them a definition and its objects.
func after() string {
	var b strings.Builder
	for i := range 18 {
		switch {
		case i < 6:
			configMap(&b, i, "one")
		case i < 10, i >= 14:
			configMap(&b, i, "two")
		}
	}
	for i := range 6 {
		switch i {
		case 0, 1, 4, 5:
			secret(&b, i, "two")
		case 3:
			secret(&b, i, "one")
		}
	}
	b.WriteString(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: ID}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: ID}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.ID.example}
spec:
  group: ID.example
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`)
	for i := range 4 {
		fmt.Fprintf(&b, "---\napiVersion: ID.example/v1\nkind: Widget\nmetadata: {name: w%d, namespace: ID}\nspec: {size: %d}\n", i, i)
	}
	return b.String()
}

func configMap(b *strings.Builder, i int, value string) {
	fmt.Fprintf(b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%02d, namespace: ID}\ndata: {value: %s}\n", i, value)
}

func secret(b *strings.Builder, i int, value string) {
	fmt.Fprintf(b, "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s%d, namespace: ID}\nstringData: {value: %s-%d}\n", i, value, i)
}
