package object

import (
	"bytes"
	"fmt"
	"testing"
)

// deployments is a stream of ordinary documents.
func deployments(n int) []byte {
	var out bytes.Buffer
	for i := range n {
		fmt.Fprintf(&out, `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%d
  namespace: default
  labels:
    app.kubernetes.io/name: web
    app.kubernetes.io/instance: web-%d
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: web
  template:
    metadata:
      labels:
        app.kubernetes.io/name: web
    spec:
      containers:
        - name: main
          image: registry.example/demo:1
          ports:
            - containerPort: 8080
              name: http
          env:
            - {name: COLOUR, value: blue}
            - name: LONG
              value: "some text with spaces"
          resources:
            limits:
              cpu: 100m
              memory: 128Mi
          readinessProbe:
            httpGet: {path: /healthz, port: http}
            periodSeconds: 10
`, i, i)
	}
	return out.Bytes()
}

func BenchmarkLoad(b *testing.B) {
	data := deployments(1000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(bytes.NewReader(data), "f.yaml"); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkBody(b *testing.B) map[string]any {
	b.Helper()
	set, err := Load(bytes.NewReader(deployments(1)), "f.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return set.Objects[0].Body
}

func BenchmarkDecodeJSON(b *testing.B) {
	data, err := EncodeJSON(benchmarkBody(b))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := DecodeJSON(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContentHash(b *testing.B) {
	body := benchmarkBody(b)
	for b.Loop() {
		if _, err := (Hasher{}).Content(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeYAML(b *testing.B) {
	body := benchmarkBody(b)
	for b.Loop() {
		if _, err := EncodeYAML(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMaskPair(b *testing.B) {
	body := benchmarkBody(b)
	for b.Loop() {
		DefaultMasker().Pair(body, body)
	}
}
