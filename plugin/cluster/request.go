package cluster

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	mediaJSON     = "application/json"
	mediaMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

// request is one call, ready to be sent as often as it takes.
type request struct {
	verb        verb
	path        string
	query       url.Values
	accept      string
	contentType string
	body        []byte

	// What it is about, for errors.
	gk              schema.GroupKind
	version         string
	namespace, name string
	// dryRun requests change nothing: they are dropped at once when the context
	// ends.
	dryRun bool
	// scrub cleans the server's texts; nil leaves them.
	scrub func(string) string
}

// writes tells whether the request changes the cluster.
func (r *request) writes() bool { return r.verb.writes() && !r.dryRun }

// fail wraps an error with what the request was about.
func (r *request) fail(err error) error {
	if r.gk == noGroupKind {
		return err
	}
	return &Error{Verb: r.verb.String(), GroupKind: r.gk, Namespace: r.namespace, Name: r.name, Err: err}
}

// newRequest addresses one object, or a collection when name is empty.
func (c *Client) newRequest(v verb, m Mapping, namespace, name, subresource string) *request {
	if !m.Namespaced {
		namespace = ""
	}
	return &request{
		verb:      v,
		path:      resourcePath(m, namespace, name, subresource),
		query:     url.Values{},
		accept:    mediaJSON,
		gk:        m.GVK.GroupKind(),
		version:   m.GVK.Version,
		namespace: namespace,
		name:      name,
	}
}

// resourcePath is the server's path of an object or collection, without the
// prefix of the server's address.
func resourcePath(m Mapping, namespace, name, subresource string) string {
	parts := []string{"/apis", m.GVR.Group, m.GVR.Version}
	if m.GVR.Group == "" {
		parts = []string{"/api", m.GVR.Version}
	}
	if namespace != "" {
		parts = append(parts, "namespaces", namespace)
	}
	parts = append(parts, m.GVR.Resource)
	if name != "" {
		parts = append(parts, name)
	}
	if subresource != "" {
		parts = append(parts, subresource)
	}
	return strings.Join(parts, "/")
}

// validTarget refuses names that would change the path: "..", "a/b".
func validTarget(m Mapping, namespace, name string) error {
	if name == "" {
		return fmt.Errorf("the object has no name")
	}
	if m.Namespaced && namespace == "" {
		return fmt.Errorf("%s is namespaced, but no namespace was given", m.GVK.Kind)
	}
	if err := validSegment(namespace); err != nil {
		return err
	}
	return validSegment(name)
}

// validSegment applies the rule of the API server's names.
func validSegment(part string) error {
	if part == "." || part == ".." || strings.ContainsAny(part, "/%") {
		return fmt.Errorf("%q can't be part of an object's address", part)
	}
	return nil
}

// httpRequest makes the HTTP request of one attempt.
func (c *Client) httpRequest(ctx context.Context, r *request) (*http.Request, error) {
	u := *c.base
	u.Path = path.Join(c.base.Path, r.path)
	u.RawPath = ""
	u.RawQuery = r.query.Encode()
	req, err := http.NewRequestWithContext(withScrub(ctx, r.scrub), r.verb.method(), u.String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", r.accept)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	return req, nil
}
