package traffic

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type parseCase struct {
	method, target, body string
	want                 Request
	write                bool
}

func parseCases() map[string]parseCase {
	return map[string]parseCase{
		"list": {
			method: "GET", target: "/api/v1/namespaces/a/pods?limit=500",
			want: Request{Verb: "list", Resource: "pods", Namespace: "a"},
		},
		"watch": {
			method: "GET", target: "/apis/apps/v1/deployments?watch=true",
			want: Request{Verb: "watch", Resource: "deployments", Group: "apps"},
		},
		"get of a subresource": {
			method: "GET", target: "/api/v1/namespaces/a/pods/p/log?follow=true",
			want: Request{Verb: "get", Resource: "pods/log", Namespace: "a", Name: "p"},
		},
		"create": {
			method: "POST", target: "/api/v1/namespaces/a/configmaps?fieldManager=x",
			want: Request{Verb: "create", Resource: "configmaps", Namespace: "a"}, write: true,
		},
		"patch as a dry run": {
			method: "PATCH", target: "/apis/apps/v1/namespaces/a/deployments/d?dryRun=All&force=true",
			want: Request{Verb: "patch", Resource: "deployments", Group: "apps", Namespace: "a", Name: "d", DryRun: true},
		},
		"delete": {
			method: "DELETE", target: "/api/v1/namespaces/a/configmaps/c", body: `{"propagationPolicy":"Background"}`,
			want: Request{Verb: "delete", Resource: "configmaps", Namespace: "a", Name: "c"}, write: true,
		},
		"delete as a dry run in the body": {
			method: "DELETE", target: "/api/v1/namespaces/a/configmaps/c", body: `{"dryRun":["All"]}`,
			want: Request{Verb: "delete", Resource: "configmaps", Namespace: "a", Name: "c", DryRun: true},
		},
		"delete of a collection": {
			method: "DELETE", target: "/api/v1/namespaces/a/configmaps",
			want: Request{Verb: "deletecollection", Resource: "configmaps", Namespace: "a"}, write: true,
		},
		"cluster-scoped": {
			method: "GET", target: "/api/v1/namespaces/a",
			want: Request{Verb: "get", Resource: "namespaces", Namespace: "a", Name: "a"},
		},
		"discovery": {
			method: "GET", target: "/apis/apps/v1?timeout=5s",
			want: Request{Verb: "get", Route: "/apis/apps/v1"},
		},
	}
}

func TestParse(t *testing.T) {
	for name, test := range parseCases() {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, test.target, strings.NewReader(test.body))
			r.Header.Set("User-Agent", "tool/1")
			got := newParser().parse(r)
			if got.Method != test.method || got.Path != test.target || got.UserAgent != "tool/1" {
				t.Errorf("got %s %s of %s", got.Method, got.Path, got.UserAgent)
			}
			compact := Request{
				Verb: got.Verb, Resource: got.Resource, Group: got.Group, Namespace: got.Namespace,
				Name: got.Name, Route: got.Route, DryRun: got.DryRun,
			}
			if compact != test.want {
				t.Errorf("got %+v, want %+v", compact, test.want)
			}
			if got.Write() != test.write {
				t.Errorf("write: got %v, want %v", got.Write(), test.write)
			}
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != test.body {
				t.Errorf("the body is no longer whole: %q, %v", body, err)
			}
		})
	}
}

func TestDryRunOfProtobufBody(t *testing.T) {
	options := &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
	raw, err := options.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := (&runtime.Unknown{Raw: raw}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		body string
		want bool
	}{
		"protobuf":          {body: protobufPrefix + string(envelope), want: true},
		"broken protobuf":   {body: protobufPrefix + "\xff\xff", want: false},
		"neither":           {body: "dryRun: [All]", want: false},
		"none":              {body: "", want: false},
		"larger than peek":  {body: `{"dryRun":["All"],"kind":"` + strings.Repeat("x", bodyPeek) + `"}`, want: false},
		"another directive": {body: `{"dryRun":["Some"]}`, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodDelete, "/api/v1/namespaces/a/pods/p", strings.NewReader(test.body))
			if got := dryRun(r); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if body, err := io.ReadAll(r.Body); err != nil || string(body) != test.body {
				t.Errorf("the body is no longer whole (%d bytes), %v", len(body), err)
			}
		})
	}
}
