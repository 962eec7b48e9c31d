package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mixed are the kinds that real sets are made of, one namespace a set. Every
// tenth object differs in kind; value makes a hundredth of them change.
func (w *world) mixed(namespace string, n, version int) (string, error) {
	var b strings.Builder
	for i := range n {
		v := 0
		if i%100 == 0 {
			v = version
		}
		b.WriteString("---\n")
		b.WriteString(object(i, namespace, v))
	}
	path := filepath.Join(w.dir, fmt.Sprintf("%s-%d.yaml", namespace, version))
	return path, os.WriteFile(path, []byte(b.String()), 0o600)
}

// kinds is the number of kinds in a mixed set.
const kinds = 6

func object(i int, namespace string, v int) string {
	meta := fmt.Sprintf("metadata: {name: o-%05d, namespace: %s, labels: {app: bench, version: v%d}}\n", i, namespace, v)
	switch i % 10 {
	case 0:
		return "apiVersion: apps/v1\nkind: Deployment\n" + meta + fmt.Sprintf(deployment, i, i)
	case 1:
		return "apiVersion: v1\nkind: Service\n" + meta + fmt.Sprintf("spec: {selector: {app: o-%d}, ports: [{port: 80, targetPort: 8080}]}\n", i)
	case 2:
		return "apiVersion: v1\nkind: ServiceAccount\n" + meta
	case 3:
		return "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n" + meta + "rules: [{apiGroups: [\"\"], resources: [pods], verbs: [get, list]}]\n"
	case 4, 5:
		return "apiVersion: v1\nkind: Secret\n" + meta + fmt.Sprintf("stringData: {password: \"secret-%d\"}\n", i)
	default:
		return "apiVersion: v1\nkind: ConfigMap\n" + meta + fmt.Sprintf("data: {number: \"%d\", text: %q}\n", i, strings.Repeat("x", 600))
	}
}

// deployment has no replicas: the bench measures clients, not controllers.
const deployment = `spec:
  replicas: 0
  selector: {matchLabels: {app: o-%d}}
  template:
    metadata: {labels: {app: o-%d}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        ports: [{containerPort: 8080}]
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
        resources: {limits: {cpu: 100m, memory: 128Mi}}
`
