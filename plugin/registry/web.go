package registry

import "net/http"

// NewTransport gives what requests to registries are sent with, certificates,
// bounds and repetitions included, for servers that are asked beside them, as
// repositories of charts are.
func NewTransport(o Options) (http.RoundTripper, error) { return newTransport(o.withDefaults()) }
