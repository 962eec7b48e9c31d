package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

func TestDropNulls(t *testing.T) {
	body := decode(t, `{"a":null,"b":{"c":null,"d":1},"e":[null,{"f":null,"g":{"h":null}}],"i":{},"j":{"k":null}}`)
	assert.Equal(t, decode(t, `{"b":{"d":1},"e":[null,{"g":{}}],"i":{},"j":{}}`), DropNulls(body, nil))
	assert.Contains(t, body, "a", "the argument was changed")
	assert.Nil(t, DropNulls(nil, nil))

	var asked []string
	kept := DropNulls(body, func(path fieldpath.Path) bool {
		asked = append(asked, path.String())
		return path.String() == ".e[1].g.h" || path.String() == ".a"
	})
	assert.Equal(t, decode(t, `{"a":null,"b":{"d":1},"e":[null,{"g":{"h":null}}],"i":{},"j":{}}`), kept)
	assert.ElementsMatch(t, []string{".a", ".b.c", ".e[1].f", ".e[1].g.h", ".j.k"}, asked, "asked about nulls only")
}

func TestStripServerFields(t *testing.T) {
	body := decode(t, `{"kind":"A","metadata":{"name":"a","labels":{"x":"y"},"resourceVersion":"1","uid":"u","creationTimestamp":null,"generation":1,"managedFields":[],"selfLink":"l"},"status":{"x":1}}`)
	assert.Equal(t, decode(t, `{"kind":"A","metadata":{"name":"a","labels":{"x":"y"}},"status":{"x":1}}`), StripServerFields(body))
	assert.Contains(t, body["metadata"], "uid", "the argument was changed")
	assert.Nil(t, StripServerFields(nil))
	assert.Equal(t, decode(t, `{"metadata":"x"}`), StripServerFields(decode(t, `{"metadata":"x"}`)))
	assert.Equal(t, decode(t, `{"kind":"A"}`), StripServerFields(decode(t, `{"kind":"A"}`)))
}

func TestFoldStringData(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"folded": {
			body: `{"apiVersion":"v1","kind":"Secret","stringData":{"a":"x"}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"a":"eA=="}}`,
		},
		"wins over data": {
			body: `{"apiVersion":"v1","kind":"Secret","data":{"a":"eQ==","b":"eg=="},"stringData":{"a":"x"}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"a":"eA==","b":"eg=="}}`,
		},
		"empty text": {
			body: `{"apiVersion":"v1","kind":"Secret","stringData":{"a":""}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"a":""}}`,
		},
		"nulls": {
			body: `{"apiVersion":"v1","kind":"Secret","data":null,"stringData":{"a":null}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":null}`,
		},
		"empty": {
			body: `{"apiVersion":"v1","kind":"Secret","stringData":{}}`,
			want: `{"apiVersion":"v1","kind":"Secret"}`,
		},
		"no text": {
			body: `{"apiVersion":"v1","kind":"Secret","stringData":{"a":1,"b":"x"}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"b":"eA=="},"stringData":{"a":1}}`,
		},
		"no mapping": {
			body: `{"apiVersion":"v1","kind":"Secret","stringData":"x"}`,
			want: `{"apiVersion":"v1","kind":"Secret","stringData":"x"}`,
		},
		"data is no mapping": {
			body: `{"apiVersion":"v1","kind":"Secret","data":"x","stringData":{"a":"x"}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":"x","stringData":{"a":"x"}}`,
		},
		"nothing to fold": {
			body: `{"apiVersion":"v1","kind":"Secret","data":{"a":"eA=="}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"a":"eA=="}}`,
		},
		"another kind": {
			body: `{"apiVersion":"v1","kind":"ConfigMap","stringData":{"a":"x"}}`,
			want: `{"apiVersion":"v1","kind":"ConfigMap","stringData":{"a":"x"}}`,
		},
		"a stranger's": {
			body: `{"apiVersion":"x.io/v1","kind":"Secret","stringData":{"a":"x"}}`,
			want: `{"apiVersion":"x.io/v1","kind":"Secret","stringData":{"a":"x"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			body := decode(t, test.body)
			assert.Equal(t, decode(t, test.want), FoldStringData(body))
			assert.Equal(t, decode(t, test.body), body, "the argument was changed")
		})
	}
}

func TestNormalise(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"Secret": {
			body: `{"apiVersion":"v1","kind":"Secret","data":{"a":"//4A\nAQ==\n","b":"eA=="}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"a":"//4AAQ==","b":"eA=="}}`,
		},
		"ConfigMap": {
			body: `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"//4A\nAQ==\n"},"binaryData":{"a":"//4A\r\nAQ=="}}`,
			want: `{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"//4A\nAQ==\n"},"binaryData":{"a":"//4AAQ=="}}`,
		},
		"webhooks": {
			body: `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","webhooks":[{"clientConfig":{"caBundle":"//4A\nAQ=="}},{"name":"x"}]}`,
			want: `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","webhooks":[{"clientConfig":{"caBundle":"//4AAQ=="}},{"name":"x"}]}`,
		},
		"APIService": {
			body: `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","spec":{"caBundle":"eA==\n"}}`,
			want: `{"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService","spec":{"caBundle":"eA=="}}`,
		},
		"CRD": {
			body: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"eA==\n"}}}}}`,
			want: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":"eA=="}}}}}`,
		},
		"CSR": {
			body: `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"request":"eA==\n"}}`,
			want: `{"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","spec":{"request":"eA=="}}`,
		},
		"no base64": {
			body: `{"apiVersion":"v1","kind":"Secret","data":{"a":"%%\n","b":7,"c":null,"d":{"e":"eA==\n"}}}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":{"a":"%%\n","b":7,"c":null,"d":{"e":"eA==\n"}}}`,
		},
		"no mapping": {
			body: `{"apiVersion":"v1","kind":"Secret","data":"eA==\n"}`,
			want: `{"apiVersion":"v1","kind":"Secret","data":"eA==\n"}`,
		},
		"elsewhere": {
			body: `{"apiVersion":"x.io/v1","kind":"ConfigMap","binaryData":{"a":"eA==\n"}}`,
			want: `{"apiVersion":"x.io/v1","kind":"ConfigMap","binaryData":{"a":"eA==\n"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			body := decode(t, test.body)
			assert.Equal(t, decode(t, test.want), Normalise(body))
			assert.Equal(t, decode(t, test.body), body, "the argument was changed")
		})
	}
	assert.Nil(t, Normalise(nil))
}

func TestBuiltIn(t *testing.T) {
	for _, group := range []string{"", "apps", "batch", "rbac.authorization.k8s.io", "apiextensions.k8s.io", "resource.k8s.io"} {
		assert.True(t, BuiltIn(group), group)
	}
	for _, group := range []string{"demo.example", "gateway.networking.k8s.io", "snapshot.storage.k8s.io", "metrics.k8s.io", "cluster.x-k8s.io"} {
		assert.False(t, BuiltIn(group), group)
	}
}
