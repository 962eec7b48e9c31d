package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kubectl-tazuna/kubectl-tazuna/plugin/object"
)

// The annotations that make an Ingress an endpoint of the application. The second
// is what it was called before.
const (
	EndpointAnnotation       = "packages.deckhouse.io/application-endpoint-description"
	legacyEndpointAnnotation = "packages.deckhouse.io/is-application-endpoint"
)

// Endpoint is an address of the application.
type Endpoint struct {
	URL         string `json:"url"`
	Description string `json:"description,omitempty"`
}

// Endpoints finds the addresses that Ingresses with the annotation give: one for
// each path of each host. The annotation is the description; "true" is none and
// "false" excludes the Ingress. Sorted by address, then description.
func Endpoints(objects []object.Object) []Endpoint {
	var all []Endpoint
	for _, o := range objects {
		if o.GVK().Group != "networking.k8s.io" || o.GVK().Kind != "Ingress" {
			continue
		}
		description, isEndpoint := endpointOf(o)
		if !isEndpoint {
			continue
		}
		for _, url := range urls(o) {
			all = append(all, Endpoint{URL: url, Description: description})
		}
	}
	slices.SortFunc(all, func(a, b Endpoint) int {
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Description, b.Description))
	})
	return slices.Compact(all)
}

func endpointOf(o object.Object) (description string, isEndpoint bool) {
	value := o.Annotation(EndpointAnnotation)
	if value == "" {
		value = o.Annotation(legacyEndpointAnnotation)
	}
	switch value {
	case "", "false":
		return "", false
	case "true":
		return "", true
	}
	return value, true
}

// urls lists the addresses of an Ingress. What has another form than an Ingress
// should have gives none.
func urls(ingress object.Object) []string {
	spec, _ := ingress.Body["spec"].(map[string]any)
	secure := secureHosts(spec)
	var all []string
	for _, rule := range mappings(spec["rules"]) {
		host, _ := rule["host"].(string)
		if host == "" {
			continue
		}
		scheme := "http://"
		if slices.Contains(secure, host) {
			scheme = "https://"
		}
		http, _ := rule["http"].(map[string]any)
		paths := mappings(http["paths"])
		if len(paths) == 0 {
			all = append(all, scheme+host+"/")
		}
		for _, p := range paths {
			path, _ := p["path"].(string)
			all = append(all, scheme+host+"/"+strings.TrimPrefix(path, "/"))
		}
	}
	return all
}

func secureHosts(spec map[string]any) []string {
	var hosts []string
	for _, entry := range mappings(spec["tls"]) {
		list, _ := entry["hosts"].([]any)
		for _, host := range list {
			if text, isText := host.(string); isText {
				hosts = append(hosts, text)
			}
		}
	}
	return hosts
}

// mappings returns the mappings of a list.
func mappings(value any) []map[string]any {
	list, _ := value.([]any)
	var all []map[string]any
	for _, item := range list {
		if m, isMap := item.(map[string]any); isMap {
			all = append(all, m)
		}
	}
	return all
}
