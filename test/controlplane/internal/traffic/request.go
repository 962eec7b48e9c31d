package traffic

import (
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
)

// Request is what is known about one request.
type Request struct {
	Time time.Time `json:"time"`
	// Method and Path are those of HTTP; the path includes the query.
	Method string `json:"method"`
	Path   string `json:"path"`
	// Verb is the API verb, such as list, or the lower-case method when the
	// request is not for a resource.
	Verb string `json:"verb"`
	// Resource includes the subresource, as in "pods/log". It is empty when
	// the request is not for a resource; Route then holds the path alone.
	Resource  string `json:"resource,omitempty"`
	Group     string `json:"group,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Route     string `json:"route,omitempty"`
	UserAgent string `json:"userAgent"`
	User      string `json:"user,omitempty"`
	DryRun    bool   `json:"dryRun,omitempty"`
	// Own is set for requests of the control plane's own components.
	Own bool `json:"own,omitempty"`
	// Status is the code answered; zero while the request is running, or when
	// it ended without an answer.
	Status int     `json:"status"`
	Millis float64 `json:"millis"`
	// Fault tells which rule disturbed the request and how.
	Fault string `json:"fault,omitempty"`

	resource    string
	subresource string
}

// Write tells whether the request changes the cluster.
func (r *Request) Write() bool {
	return !r.DryRun && r.Resource != "" && slices.Contains(writeVerbs(), r.Verb)
}

func writeVerbs() []string {
	return []string{"create", "update", "patch", "delete", "deletecollection"}
}

// parser turns HTTP requests into Requests.
type parser struct {
	resolver apirequest.RequestInfoFactory
}

func newParser() parser {
	return parser{resolver: apirequest.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}}
}

func (p parser) parse(r *http.Request) *Request {
	request := &Request{
		Time:      time.Now(),
		Method:    r.Method,
		Path:      r.URL.RequestURI(),
		UserAgent: r.UserAgent(),
		DryRun:    dryRun(r),
	}
	info, err := p.resolver.NewRequestInfo(r)
	if err != nil {
		// The server will refuse it; the record need not be exact.
		request.Route = r.URL.Path
		return request
	}
	request.Verb = info.Verb
	if !info.IsResourceRequest {
		request.Route = info.Path
		return request
	}
	request.resource, request.subresource = info.Resource, info.Subresource
	request.Resource = joinResource(info.Resource, info.Subresource)
	request.Group, request.Namespace, request.Name = info.APIGroup, info.Namespace, info.Name
	return request
}

func joinResource(resource, subresource string) string {
	if subresource == "" {
		return resource
	}
	return resource + "/" + subresource
}
