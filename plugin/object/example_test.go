package object_test

import (
	"fmt"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func ExampleLoad() {
	const stream = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: settings, namespace: default}
  data: {debug: off}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
`
	set, err := object.Load(strings.NewReader(stream), "app.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range set.Objects {
		fmt.Println(o.Ref(), "from", o.Origin)
	}
	for _, w := range set.Warnings {
		fmt.Println("warning:", w)
	}
	// Output:
	// ConfigMap default/settings from app.yaml: document 1, line 4
	// Deployment.apps default/web from app.yaml: document 2, line 9
	// warning: app.yaml: document 1, line 7: ConfigMap default/settings: items[0].data.debug: a plain y, n, yes, no, on or off is read as a boolean; quote it if text is meant
}

func ExampleLoad_fault() {
	_, err := object.Load(strings.NewReader("kind: ConfigMap\nmetadata:\n  name: a\n  name: b\n"), "app.yaml")
	fmt.Println(err)
	// Output:
	// app.yaml: document 1, line 4: the key "name" is given twice, first on line 3 (metadata.name)
}

func ExampleMasker_Pair() {
	before := map[string]any{"apiVersion": "v1", "kind": "Secret", "data": map[string]any{"password": "b2xk", "user": "bWU="}}
	after := map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"password": "new", "user": "me"}}
	b, a := object.DefaultMasker().Pair(object.FoldStringData(before), object.FoldStringData(after))
	for _, body := range []map[string]any{b, a} {
		text, _ := object.EncodeYAML(body)
		fmt.Printf("%s\n", text)
	}
	// Output:
	// apiVersion: v1
	// data:
	//   password: <-- value not shown (#1)
	//   user: <-- value not shown (#2)
	// kind: Secret
	//
	// apiVersion: v1
	// data:
	//   password: <-- value not shown (#3)
	//   user: <-- value not shown (#2)
	// kind: Secret
}

func ExampleScrub() {
	secret := map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"password": "hunter22"}}
	fmt.Println(object.Scrub(`admission webhook denied the request: "hunter22" is too short`, secret))
	// Output:
	// admission webhook denied the request: "<hidden>" is too short
}

func ExampleHasher_Matches() {
	body := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"x": "1"}}
	var h object.Hasher
	stored, _ := h.Content(body)

	body["status"] = map[string]any{"observed": int64(1)}
	same, _ := h.Matches(body, stored)
	fmt.Println("after the server wrote its status:", same)

	body["data"] = map[string]any{"x": "2"}
	same, _ = h.Matches(body, stored)
	fmt.Println("after a change:", same)
	// Output:
	// after the server wrote its status: true
	// after a change: false
}
