package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kinds is the number of kinds in a mixed set.
const kinds = 6

// mixed writes a file with the kinds that real sets are made of, one namespace a set.
// Every tenth object differs in kind; version makes a hundredth of them change.
func (w *world) mixed(namespace string, n, version int) (string, error) {
	path := w.path(fmt.Sprintf("%s-%d.yaml", namespace, version))
	return path, os.WriteFile(path, []byte(objects(namespace, 0, n, version)), 0o600)
}

// onlyChanged are the objects of a set that its versions differ in.
func (w *world) onlyChanged(namespace string, n, version int) (string, error) {
	var b strings.Builder
	for i := 0; i < n; i += 100 {
		b.WriteString("---\n" + object(i, namespace, version))
	}
	path := w.path(fmt.Sprintf("%s-%d-changed.yaml", namespace, version))
	return path, os.WriteFile(path, []byte(b.String()), 0o600)
}

// chart writes a chart of the same objects, some hundred a template.
func (w *world) chart(namespace string, n, version int) (string, error) {
	const a = 500
	dir := w.path(fmt.Sprintf("chart-%s-%d", namespace, version))
	if err := os.MkdirAll(filepath.Join(dir, "templates"), 0o700); err != nil {
		return "", err
	}
	meta := fmt.Sprintf("apiVersion: v2\nname: bench\nversion: 1.0.%d\n", version)
	if err := os.WriteFile(filepath.Join(dir, "Chart.yaml"), []byte(meta), 0o600); err != nil {
		return "", err
	}
	for from := 0; from < n; from += a {
		path := filepath.Join(dir, "templates", fmt.Sprintf("objects-%05d.yaml", from))
		if err := os.WriteFile(path, []byte(objects(namespace, from, min(from+a, n), version)), 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// tazunaYAML writes a directory with a tazuna.yaml of one manifest, and its objects.
func (w *world) tazunaYAML(namespace string, n, version int) (string, error) {
	dir := w.path("tazuna-" + namespace)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	text := fmt.Sprintf("spec:\n  manifests:\n  - {name: %s, type: yaml, path: objects.yaml}\n", namespace)
	if err := os.WriteFile(filepath.Join(dir, "tazuna.yaml"), []byte(text), 0o600); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "objects.yaml"), []byte(objects(namespace, 0, n, version)), 0o600)
}

func objects(namespace string, from, to, version int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		v := 0
		if i%100 == 0 {
			v = version
		}
		b.WriteString("---\n")
		b.WriteString(object(i, namespace, v))
	}
	return b.String()
}

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
