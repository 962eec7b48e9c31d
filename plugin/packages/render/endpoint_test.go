package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

func TestEndpoints(t *testing.T) {
	ingress := func(annotations, spec string) string {
		return "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, annotations: {" + annotations + "}}\nspec: " + spec + "\n"
	}
	const is = "packages.deckhouse.io/application-endpoint-description: "
	tests := map[string]struct {
		object string
		want   []Endpoint
	}{
		"host":           {ingress(is+"The shop", "{rules: [{host: shop.example}]}"), []Endpoint{{"http://shop.example/", "The shop"}}},
		"old annotation": {ingress("packages.deckhouse.io/is-application-endpoint: 'true'", "{rules: [{host: shop.example}]}"), []Endpoint{{"http://shop.example/", ""}}},
		"no description": {ingress(is+"'true'", "{rules: [{host: shop.example}]}"), []Endpoint{{"http://shop.example/", ""}}},
		"excluded":       {ingress(is+"'false'", "{rules: [{host: shop.example}]}"), nil},
		"no annotation":  {ingress("a: b", "{rules: [{host: shop.example}]}"), nil},
		"secure":         {ingress(is+"x", "{tls: [{hosts: [a.example]}], rules: [{host: b.example}, {host: a.example}]}"), []Endpoint{{"http://b.example/", "x"}, {"https://a.example/", "x"}}},
		"paths":          {ingress(is+"x", "{rules: [{host: a.example, http: {paths: [{path: /b}, {path: a}, {}, {path: /b}]}}]}"), []Endpoint{{"http://a.example/", "x"}, {"http://a.example/a", "x"}, {"http://a.example/b", "x"}}},
		"no host":        {ingress(is+"x", "{rules: [{http: {paths: [{path: /}]}}]}"), nil},
		"another form":   {ingress(is+"x", "{rules: text, tls: [text]}"), nil},
		"another group":  {"apiVersion: demo.example/v1\nkind: Ingress\nmetadata: {name: a, annotations: {" + is + "x}}\nspec: {rules: [{host: a.example}]}\n", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := object.Load(strings.NewReader(test.object), "a.yaml")
			require.NoError(t, err)
			assert.Equal(t, test.want, Endpoints(set.Objects))
		})
	}
}
